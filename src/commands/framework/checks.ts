import {
  type BaseInteraction,
  ChannelType,
  type ChatInputCommandInteraction,
  type GuildMember,
  type InteractionContextType,
  PermissionFlagsBits,
  type RepliableInteraction,
  type Role,
  type VoiceBasedChannel,
} from 'discord.js';
import { mayManage } from '../../discord/channels/permissions.ts';
import { countListeners, obstacleTo, voiceChannelsOf } from '../../discord/channels/voice-access.ts';
import { parentOfThread } from '../../discord/client/client.ts';
import { quote } from '../../discord/replies/quote.ts';
import { kindOf, refusal } from '../../errors/refusals.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { GuildSpeakers } from '../../services/playback/guild-speakers.ts';
import { type Heard, type QueueItem, type QueueView, underWay } from '../../services/queue/queue-item.ts';
import { placeRefusal, type Requester } from '../../services/servers/admission.ts';
import type { ServerRules } from '../../services/servers/server-rules.ts';
import { type Text, text } from '../../texts/catalog.ts';
import type { Needs, Services } from './command.ts';

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

/**
 * The place that counts a person's uses: each of the bot's servers, and everywhere else together, since a person could
 * bring the bot to any number of servers.
 */
export const countedIn = (interaction: BaseInteraction): string | null =>
  interaction.inCachedGuild() ? interaction.guildId : null;

/** The requester of an interaction. */
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

/** The asker, and the places of asker and bot as far as they matter for other members' items. */
export interface QueueUser {
  readonly userId: string;
  /** May move or mute members in voice: could stop the bot by hand anyway. */
  readonly isModerator: boolean;
  /** Whether someone is in the voice channel that the item is spoken in. */
  readonly isThere: (userId: string, channelId: string) => boolean;
  /** Whether they themselves could go and listen in that channel. */
  readonly mayEnter: (channelId: string) => boolean;
}

/** What is used of an interaction from a server. */
interface InServer {
  readonly user: { readonly id: string };
  readonly member: GuildMember;
  readonly memberPermissions: { has(permission: bigint): boolean };
  readonly guild: {
    readonly voiceStates: { readonly cache: ReadonlyMap<string, { readonly channelId: string | null }> };
    readonly channels: {
      readonly cache: ReadonlyMap<
        string,
        { permissionsFor(member: GuildMember): { has(permission: bigint): boolean } }
      >;
    };
  };
}

/** Everyone sees a channel that is locked with Connect alone; its content is for those allowed to enter. */
const TO_ENTER = PermissionFlagsBits.ViewChannel | PermissionFlagsBits.Connect;

export function queueUserOf({ user, member, memberPermissions, guild }: InServer): QueueUser {
  return {
    userId: user.id,
    isModerator:
      memberPermissions.has(PermissionFlagsBits.MoveMembers) || memberPermissions.has(PermissionFlagsBits.MuteMembers),
    isThere: (userId, channelId) => guild.voiceStates.cache.get(userId)?.channelId === channelId,
    mayEnter: (channelId) => guild.channels.cache.get(channelId)?.permissionsFor(member).has(TO_ENTER) ?? false,
  };
}

/** The words of an item: one's own, and those that are spoken where one could go and listen. */
export function mayRead({ userId, mayEnter }: QueueUser, item: Heard): boolean {
  return item.order.userId === userId || mayEnter(item.channelId);
}

/**
 * The words of an item in a reply that all readers of its channel see: in full where it is the asker's own, or where the roles
 * let each of those readers listen in the voice channel it was spoken in.
 */
export function wordsInPublic(
  { user, guild, channel }: RepliableInteraction<'cached'>,
  { order: { userId }, channelId, requested: { request } }: QueueItem,
): string {
  const voice = guild.channels.cache.get(channelId);
  const mayListen = (role: Role) => voice?.permissionsFor(role)?.has(TO_ENTER) === true;
  const isReader = (role: Role) => channel?.permissionsFor(role)?.has(PermissionFlagsBits.ViewChannel) !== false;
  const isForAll =
    userId === user.id ||
    channel?.id === channelId ||
    guild.roles.cache.every((role) => !isReader(role) || mayListen(role));
  return isForAll ? quote(request.input) : '…';
}

/** Refuses the words, and the sound, of an item to a member who could not have listened to it. */
export function mustBeReadable(interaction: InServer, item: QueueItem): void {
  if (!mayRead(queueUserOf(interaction), item)) throw new UserError(text('replay.unseen'));
}

/**
 * True if a member is allowed to end, pause or resume an item: their own; any as a moderator; and, for everyone who has
 * to listen to it, an item whose requester has left.
 */
export function mayEnd({ userId, isModerator, isThere }: QueueUser, item: QueueItem): boolean {
  const { userId: requesterId } = item.order;
  if (requesterId === userId || isModerator) return true;
  return !isThere(requesterId, item.channelId) && isThere(userId, item.channelId);
}

/** The refusal for members who are not allowed to end, pause or resume an item. */
export const notYours = ({ order: { userId } }: QueueItem): UserError =>
  new UserError(text('skip.not-yours', { member: `<@${userId}>` }));

/** The first current or queued item that the asker is not allowed to end. */
export const firstOfOthers = (asker: QueueUser, view: QueueView): QueueItem | undefined =>
  underWay(view).find((item) => !mayEnd(asker, item));

/** Why there is nothing to end or to show: right after a start, texts of before may still be on their way back. */
export function nothingThere({ speakers }: Services, guildId: string, otherwise: Text): Text {
  const isComing = speakers.unspoken
    .left()
    .some(
      ({ origin, words, state }) => origin.guildId === guildId && words && state !== 'spoken' && state !== 'failed',
    );
  return isComing ? text('resumed.coming') : otherwise;
}
