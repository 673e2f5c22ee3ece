import {
  type BaseInteraction,
  PermissionFlagsBits,
  type RepliableInteraction,
  type VoiceBasedChannel,
} from 'discord.js';
import { mayManage } from '../../discord/channels/permissions.ts';
import { countListeners, obstacleTo, voiceChannelsOf } from '../../discord/channels/voice-access.ts';
import { parentOfThread } from '../../discord/client/client.ts';
import { kindOf, refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import { type Heard, type QueueItem, type QueueView, underWay } from '../../services/queue/queue-item.ts';
import { placeRefusal, type Requester } from '../../services/servers/admission.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { Needs } from './command.ts';

/** Why a command cannot be used here, as far as its needs say; `command` is undefined for a button, which nobody types. */
export function guardRefusal(
  interaction: RepliableInteraction,
  needs: Needs,
  speakers: GuildSpeakers,
): Text | undefined {
  const { context } = interaction;
  if (context === null || !needs.contexts.includes(context)) return text('refused.server-only');
  if (needs.voice !== 'together' || !interaction.inCachedGuild()) return undefined;
  const botChannelId = speakers.find(interaction.guildId)?.channelId;
  const isApart = botChannelId !== undefined && botChannelId !== interaction.member.voice.channelId;
  if (!isApart || interaction.memberPermissions.has(PermissionFlagsBits.MoveMembers)) return undefined;
  const channel = `<#${botChannelId}>`;
  return text('refused.other-channel', { channel });
}

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

/** Permissions that a member needs in a channel to send the bot there from elsewhere. */
const CALLER_NEEDS = ['ViewChannel', 'Connect', 'Speak'] as const;

/**
 * The voice channel with that id, otherwise the caller's own, checked for the caller and for the bot: a UserError says who
 * lacks what where.
 */
export function usableChannel(
  interaction: RepliableInteraction<'cached'>,
  speakers: GuildSpeakers,
  namedId: string | undefined,
): VoiceBasedChannel {
  const channel = namedId === undefined ? callersChannel(interaction) : namedChannel(interaction, namedId);
  const { guild, user } = interaction;
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

function callersChannel({ member }: RepliableInteraction<'cached'>): VoiceBasedChannel {
  const { channel } = member.voice;
  if (!channel) throw new UserError(text('refused.not-in-voice'));
  return channel;
}

function namedChannel({ guild, member }: RepliableInteraction<'cached'>, channelId: string): VoiceBasedChannel {
  const named = guild.channels.cache.get(channelId);
  if (!named?.isVoiceBased()) throw new UserError(refusal('channel-gone', { heard: 'nothing' }));
  const missing = CALLER_NEEDS.filter((name) => !named.permissionsFor(member).has(PermissionFlagsBits[name]));
  if (missing.length === 0) return named;
  const permissions = { list: missing.map((name) => text(`permission.${name}`)) };
  throw new UserError(text('refused.you-lack', { channel: `<#${named.id}>`, permissions }));
}

/** Refuses to speak in an empty channel: said before the text is written, looked up and paid for. */
export function mustHaveListeners({ client, guildId }: RepliableInteraction<'cached'>, channelId: string): void {
  if (countListeners(client, guildId, channelId) > 0) return;
  throw new UserError(text('refused.nobody-there', { channel: `<#${channelId}>` }));
}

/**
 * The place that counts a person's uses: each of the bot's servers, and everywhere else together, since a person could
 * bring the bot to any number of servers.
 */
export const countedIn = (interaction: BaseInteraction): string | null =>
  interaction.inCachedGuild() ? interaction.guildId : null;

export function requesterOf(interaction: BaseInteraction<'cached'>): Requester {
  const { member, user } = interaction;
  return {
    userId: user.id,
    roleIds: [...member.roles.cache.keys()],
    isAdmin: mayManage(member.permissions),
    textChannelId: textChannelOf(interaction),
    voiceChannelId: member.voice.channelId ?? undefined,
  };
}

/**
 * The text channel of the request. For a thread, even a private one that discord.js does not know, it is the channel
 * above.
 */
function textChannelOf({ channel, channelId, client }: BaseInteraction<'cached'>): string | undefined {
  if (channelId === null) return undefined;
  if (channel?.isThread()) return channel.parentId ?? undefined;
  return parentOfThread(client, channelId) ?? channelId;
}

/** Everyone sees a channel that is locked with Connect alone; its content is for those allowed to enter. */
export const TO_ENTER = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.Connect;

/** True if the asker may read the words of an item: their own, or words spoken where they could go and listen. */
export function mayRead({ user, guild, member }: BaseInteraction<'cached'>, { order, channelId }: Heard): boolean {
  if (order.userId === user.id) return true;
  return guild.channels.cache.get(channelId)?.permissionsFor(member).has(TO_ENTER) ?? false;
}

/** Refuses the words, and the audio, of an item to a member who could not have listened to it. */
export function mustBeReadable(interaction: BaseInteraction<'cached'>, item: QueueItem): void {
  if (!mayRead(interaction, item)) throw new UserError(text('replay.unseen'));
}

/** True if the asker may move or mute members in voice, and could stop the bot by hand anyway. */
export const isModerator = ({ memberPermissions }: BaseInteraction<'cached'>): boolean =>
  memberPermissions.has(PermissionFlagsBits.MoveMembers) || memberPermissions.has(PermissionFlagsBits.MuteMembers);

/**
 * True if the asker is allowed to end, pause or resume an item: their own; any as a moderator; and, for everyone who has
 * to listen to it, an item whose requester has left.
 */
export function mayEnd(interaction: BaseInteraction<'cached'>, { order, channelId }: QueueItem): boolean {
  const { user, guild } = interaction;
  if (order.userId === user.id || isModerator(interaction)) return true;
  const isThere = (userId: string) => guild.voiceStates.cache.get(userId)?.channelId === channelId;
  return !isThere(order.userId) && isThere(user.id);
}

export const firstOfOthers = (interaction: BaseInteraction<'cached'>, view: QueueView): QueueItem | undefined =>
  underWay(view).find((item) => !mayEnd(interaction, item));
