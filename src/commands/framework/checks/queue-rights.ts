import { type GuildMember, PermissionFlagsBits, type RepliableInteraction, type Role } from 'discord.js';
import { quote } from '../../../discord/replies/quote.ts';
import { UserError } from '../../../errors/user-errors.ts';
import { type QueuedItem, type QueueView, underWay } from '../../../services/queue/queued-item.ts';
import { type Text, text } from '../../../texts/catalogue.ts';
import type { Services } from '../command.ts';

/** Who asks, and where they and the bot are, as far as it matters for what others have asked for. */
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

/** Everybody sees a channel that is locked with Connect alone; what is said in it is for those who may enter. */
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
export function mayRead({ userId, mayEnter }: QueueUser, item: Pick<QueuedItem, 'userId' | 'channelId'>): boolean {
  return item.userId === userId || mayEnter(item.channelId);
}

/**
 * The words of an item in a reply that all readers of its channel see: in full where it is the asker's own, or where the roles
 * let each of those readers listen in the voice channel it was spoken in.
 */
export function wordsInPublic(
  { user, guild, channel }: Pick<RepliableInteraction<'cached'>, 'user' | 'guild' | 'channel'>,
  { userId, channelId, request }: Pick<QueuedItem, 'userId' | 'channelId' | 'request'>,
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
export function mustBeReadable(interaction: InServer, item: QueuedItem): void {
  if (!mayRead(queueUserOf(interaction), item)) throw new UserError(text('replay.unseen'));
}

/**
 * Who may end it, hold it and have it go on: one's own; a moderator any; and what was left behind by somebody who is
 * no longer there, everybody who has to listen to it.
 */
export function mayEnd({ userId, isModerator, isThere }: QueueUser, item: QueuedItem): boolean {
  if (item.userId === userId || isModerator) return true;
  return !isThere(item.userId, item.channelId) && isThere(userId, item.channelId);
}

/** What somebody is told who may not end it, hold it or have it go on. */
export const notYours = ({ userId }: QueuedItem): UserError =>
  new UserError(text('skip.not-yours', { member: `<@${userId}>` }));

/** What is spoken or waits first of all that the asker may not end. */
export const firstOfOthers = (asker: QueueUser, view: Pick<QueueView, 'current' | 'waiting'>): QueuedItem | undefined =>
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
