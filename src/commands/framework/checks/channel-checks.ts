import {
  ChannelType,
  type ChatInputCommandInteraction,
  PermissionFlagsBits,
  type RepliableInteraction,
  type VoiceBasedChannel,
} from 'discord.js';
import { mayManage } from '../../../discord/channels/permissions.ts';
import { countListeners, obstacleTo, voiceChannelsOf } from '../../../discord/channels/voice-access.ts';
import { kindOf, refusal } from '../../../errors/refusals.ts';
import { UserError } from '../../../errors/user-errors.ts';
import type { GuildSpeakers } from '../../../services/playback/guild-speakers.ts';
import { placeRefusal } from '../../../services/servers/admission.ts';
import type { ServerRules } from '../../../services/servers/server-rules.ts';
import { text } from '../../../texts/catalogue.ts';

/** Refuses a voice channel in which the server's admins have the bot not speak. */
export function mustBeSpokenIn(
  channel: VoiceBasedChannel,
  { guild, member }: RepliableInteraction<'cached'>,
  rules: ServerRules,
): void {
  const refused = placeRefusal(rules, {
    isAdmin: mayManage(member.permissions),
    voiceChannelId: channel.id,
    isVoiceChannel: voiceChannelsOf(guild),
  });
  if (refused) throw new UserError(refused);
}

/** What somebody needs themselves in a channel that they send the bot to without being there. */
const CALLER_NEEDS = ['ViewChannel', 'Connect', 'Speak'] as const;

/**
 * The voice channel named in the option `channel`, otherwise the caller's own, checked for the caller and for the bot:
 * a UserError says who lacks what where.
 */
export function chosenChannel(
  interaction: ChatInputCommandInteraction<'cached'>,
  speakers: GuildSpeakers,
  command: string,
): VoiceBasedChannel {
  const named = interaction.options.getChannel('channel', false, [ChannelType.GuildVoice, ChannelType.GuildStageVoice]);
  return named ? namedChannel(interaction, speakers, named.id) : callersChannel(interaction, speakers, command);
}

/** A voice channel that the caller is not in, but could speak in. */
function namedChannel(
  interaction: RepliableInteraction<'cached'>,
  speakers: GuildSpeakers,
  channelId: string,
): VoiceBasedChannel {
  const named = interaction.guild.channels.cache.get(channelId);
  if (!named?.isVoiceBased()) throw new UserError(refusal('channel-gone', { heard: 'nothing' }));
  const missing = CALLER_NEEDS.filter(
    (name) => !named.permissionsFor(interaction.member).has(PermissionFlagsBits[name]),
  );
  if (missing.length > 0) {
    throw new UserError(
      text('refused.you-lack', {
        channel: `<#${named.id}>`,
        permissions: { list: missing.map((name) => text(`permission.${name}`)) },
      }),
    );
  }
  return usableChannel(interaction, speakers, named);
}

/** The same, for what is to be spoken there: said before it is written, looked up and paid for. */
export function namedChannelWithListeners(
  interaction: RepliableInteraction<'cached'>,
  speakers: GuildSpeakers,
  channelId: string,
): VoiceBasedChannel {
  const named = namedChannel(interaction, speakers, channelId);
  if (countListeners(interaction.client, interaction.guildId, named.id) === 0) {
    throw new UserError(text('refused.nobody-there', { channel: `<#${named.id}>` }));
  }
  return named;
}

/** The voice channel the caller is in, in which the bot can speak now. */
export function callersChannel(
  interaction: RepliableInteraction<'cached'>,
  speakers: GuildSpeakers,
  command: string,
): VoiceBasedChannel {
  const { channel } = interaction.member.voice;
  if (!channel) {
    // A button, or the command of a message, is not typed.
    const isTyped = interaction.isChatInputCommand();
    throw new UserError(isTyped ? text('refused.not-in-voice', { command }) : text('refused.not-in-voice-again'));
  }
  return usableChannel(interaction, speakers, channel);
}

function usableChannel(
  { guild, user }: RepliableInteraction<'cached'>,
  speakers: GuildSpeakers,
  channel: VoiceBasedChannel,
): VoiceBasedChannel {
  const bot = guild.members.me;
  const obstacle = bot ? obstacleTo(channel, bot) : undefined;
  const speaker = speakers.find(guild.id);
  const busyIn = speaker?.occupiedElsewhere(channel.id, user.id) ? speaker.channelId : undefined;
  // To make room is of no use while the bot stays elsewhere; what else is in its way would be there after the wait, too.
  const isOnlyFull = kindOf(obstacle) === 'channel-full';
  if (obstacle && !(isOnlyFull && busyIn !== undefined)) throw new UserError(obstacle);
  if (busyIn !== undefined) throw new UserError(text('refused.busy-elsewhere', { channel: `<#${busyIn}>` }));
  return channel;
}
