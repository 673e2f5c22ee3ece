import type { InteractionContextType } from 'discord.js';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Needs } from './command.ts';

/** Who asks from where, as far as a command's needs are concerned. */
export interface Situation {
  readonly context: InteractionContextType | null;
  /** The voice channel the caller is in. */
  readonly callerChannelId?: string | undefined;
  /** The voice channel the bot is in or on its way to. */
  readonly botChannelId?: string | undefined;
  /** Whether the caller may move members, the bot too. */
  readonly mayMoveMembers: boolean;
}

/** Why a command cannot be begun in this situation, or undefined when it can. */
export function refusal(command: string, needs: Needs, situation: Situation): Text | undefined {
  const { context, callerChannelId, botChannelId } = situation;
  if (context === null || !needs.contexts.includes(context)) return text('refused.server-only');
  const isApart = botChannelId !== undefined && callerChannelId !== botChannelId;
  if (needs.voice !== 'together' || !isApart || situation.mayMoveMembers) return undefined;
  return text('refused.other-channel', { channel: `<#${botChannelId}>`, command });
}
