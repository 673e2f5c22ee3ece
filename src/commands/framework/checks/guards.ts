import { type InteractionContextType, PermissionFlagsBits, type RepliableInteraction } from 'discord.js';
import type { GuildSpeakers } from '../../../services/playback/guild-speakers.ts';
import { type Text, text } from '../../../texts/catalogue.ts';
import type { Needs } from '../command.ts';

/** The caller's place and rights, as far as a command's needs depend on them. */
export interface Situation {
  readonly context: InteractionContextType | null;
  /** The voice channel the caller is in. */
  readonly callerChannelId?: string | undefined;
  /** The voice channel the bot is in or on its way to. */
  readonly botChannelId?: string | undefined;
  /** Whether the caller may move members, the bot too. */
  readonly mayMoveMembers: boolean;
}

/** Why it cannot be begun in this situation, or undefined when it can. `command` is what was typed; undefined for a button. */
export function guardRefusal(command: string | undefined, needs: Needs, situation: Situation): Text | undefined {
  const { context, callerChannelId, botChannelId } = situation;
  if (context === null || !needs.contexts.includes(context)) return text('refused.server-only');
  const isApart = botChannelId !== undefined && callerChannelId !== botChannelId;
  if (needs.voice !== 'together' || !isApart || situation.mayMoveMembers) return undefined;
  const channel = `<#${botChannelId}>`;
  return command === undefined
    ? text('refused.other-channel-again', { channel })
    : text('refused.other-channel', { channel, command });
}

/** From discord.js's cache, without a request to Discord. */
export function situationOf(interaction: RepliableInteraction, speakers: GuildSpeakers): Situation {
  const { context } = interaction;
  if (!interaction.inCachedGuild()) return { context, mayMoveMembers: false };
  const { guild, member } = interaction;
  return {
    context,
    callerChannelId: member.voice.channelId ?? undefined,
    botChannelId: speakers.find(guild.id)?.channelId,
    mayMoveMembers: interaction.memberPermissions.has(PermissionFlagsBits.MoveMembers),
  };
}
