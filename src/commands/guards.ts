import type { InteractionContextType } from 'discord.js';
import { type Text, text } from '../texts/catalogue.ts';
import type { Needs } from './command.ts';

/** Who asks from where, as far as a command's needs are concerned. */
export interface Situation {
  readonly context: InteractionContextType | null;
  /** The voice channel the caller is in. */
  readonly callerChannelId?: string | undefined;
  /** Why the bot could not speak in that channel. */
  readonly obstacle?: Text | undefined;
  /** The voice channel the bot is in or on its way to. */
  readonly botChannelId?: string | undefined;
  /** Whether members are listening to the bot in another channel than the caller's. */
  readonly occupiedElsewhere: boolean;
  /** Whether the caller may move members, the bot too. */
  readonly mayMoveMembers: boolean;
}

const mention = (channelId: string) => `<#${channelId}>`;

/** Why a command cannot be begun in this situation, or undefined when it can. */
export function refusal(command: string, needs: Needs, situation: Situation): Text | undefined {
  const { context, callerChannelId, botChannelId } = situation;
  if (context === null || !needs.contexts.includes(context)) return text('refused.server-only');
  if (needs.voice === 'speak') {
    if (callerChannelId === undefined) return text('refused.not-in-voice', { command });
    if (situation.obstacle) return situation.obstacle;
    if (situation.occupiedElsewhere && botChannelId !== undefined) {
      return text('refused.busy-elsewhere', { channel: mention(botChannelId) });
    }
  }
  if (needs.voice === 'together' && botChannelId !== undefined && callerChannelId !== botChannelId) {
    if (!situation.mayMoveMembers) return text('refused.other-channel', { channel: mention(botChannelId), command });
  }
  return undefined;
}
