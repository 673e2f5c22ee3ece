import { PermissionFlagsBits, type RepliableInteraction } from 'discord.js';
import { obstacleTo } from '../discord/voice-access.ts';
import type { GuildSpeakers } from '../services/guild-speakers.ts';
import type { Situation } from './guards.ts';

/** What is known, without asking Discord, about who asks from where. */
export function situationOf(interaction: RepliableInteraction, speakers: GuildSpeakers): Situation {
  const { context } = interaction;
  if (!interaction.inCachedGuild()) return { context, occupiedElsewhere: false, mayMoveMembers: false };
  const { guild, member } = interaction;
  const channel = member.voice.channel;
  const speaker = speakers.find(guild.id);
  const bot = guild.members.me;
  return {
    context,
    callerChannelId: channel?.id,
    obstacle: channel && bot ? obstacleTo(channel, bot) : undefined,
    botChannelId: speaker?.channelId,
    occupiedElsewhere: channel ? (speaker?.occupiedElsewhere(channel.id) ?? false) : false,
    mayMoveMembers: interaction.memberPermissions.has(PermissionFlagsBits.MoveMembers),
  };
}
