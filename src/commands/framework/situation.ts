import { PermissionFlagsBits, type RepliableInteraction } from 'discord.js';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import type { Situation } from './guards.ts';

/** What is known, without asking Discord, about who asks from where. */
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
