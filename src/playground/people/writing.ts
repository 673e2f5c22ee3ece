import type { FileInput, MessageParts, Person } from '../interface/world-types.ts';
import type { Standing } from '../state/installations.ts';
import { createMessage, deleteMessage, editMessage, forwardedFrom, purgeMessages } from '../state/messages.ts';
import { type Attachment, MESSAGE_FLAGS, type Message } from '../state/model.ts';
import { channelPermissions, PERMISSIONS, writingPermission } from '../state/permissions.ts';
import type { Actor } from './actor.ts';
import { newAttachment } from './command-data.ts';
import { CommandRefused } from './typed-command.ts';
import { messageView } from './views.ts';

/** 2,000 characters without Nitro. */
const MAX_CHARACTERS = 2_000;
const SILENT = /^@silent\s+/;

/** Messages, as a person writes and reads them. */
export function createWriting(actor: Actor) {
  const { hub, member, name } = actor;
  const { userId } = member;

  const mayPingEveryone = ({ guild, channel, member: self }: Standing) =>
    guild !== undefined &&
    self !== undefined &&
    (channelPermissions(guild, self, channel, hub.clock.now()) & PERMISSIONS.MentionEveryone) !== 0n;

  const checkLength = (text: string) => {
    if ([...text].length > MAX_CHARACTERS) throw new CommandRefused('Your message is too long');
  };

  /** The names that the client turns into mentions. */
  const withMentions = (text: string, { guild }: Standing): string => {
    if (!guild) return text;
    const members = [...guild.members.values()].flatMap(({ userId: id, nick }) => {
      const user = hub.model.users.get(id);
      return [nick, user?.displayName, user?.username].flatMap((known) => (known ? [[`@${known}`, `<@${id}>`]] : []));
    });
    const roles = [...guild.roles.values()]
      .filter(({ id, botId }) => id !== guild.id && botId === undefined)
      .map((role) => [`@${role.name}`, `<@&${role.id}>`]);
    const channels = [...guild.channels.values()].map((channel) => [`#${channel.name}`, `<#${channel.id}>`]);
    const names = new Map([...roles, ...members, ...channels] as [string, string][]);
    const longestFirst = [...names.keys()]
      .sort((a, b) => b.length - a.length)
      .map((known) => known.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    const known = new RegExp(`(?<![\\w<])(?:${longestFirst.join('|')})(?![\\w])`, 'gu');
    return text.replace(known, (found) => names.get(found) ?? found);
  };

  const attach = (file: FileInput, voice: MessageParts['voiceMessage']): Attachment => ({
    ...newAttachment(hub, file),
    ...(voice ? { durationSeconds: voice.durationSeconds, waveform: Buffer.alloc(64, 128).toString('base64') } : {}),
  });

  const view = (message: Message) => messageView(hub, message);

  return {
    says(text, place = {}) {
      const standing = actor.standingAt(place);
      const { channel, guild } = standing;
      if (channel.kind === 'forum') throw new CommandRefused(`${channel.name} holds posts, not messages`);
      const may = (permission: Parameters<Actor['needs']>[1], what: string) =>
        actor.needs(standing, permission, `${name} may not ${what} in ${channel.name}`);
      may(writingPermission(channel), 'write');
      if (place.files?.length) may('AttachFiles', 'attach files');
      if (place.voiceMessage) may('SendVoiceMessages', 'send voice messages');
      const content = withMentions(text.replace(SILENT, ''), standing);
      checkLength(content);
      const answered = place.replyTo && actor.seen(place.replyTo);
      if (answered && answered.channelId !== channel.id)
        throw new CommandRefused('A reply stands below what it answers');
      const forwarded = place.forwards && actor.seen(place.forwards);
      if (forwarded && (text !== '' || answered || place.files || place.stickers))
        throw new CommandRefused('A forward holds nothing of its own');
      if (place.thinking && !hub.model.users.get(userId)?.bot)
        throw new CommandRefused('Only bots defer their replies');
      const silent = place.silent ?? SILENT.test(text);
      const message = createMessage(hub, {
        channelId: channel.id,
        guildId: guild?.id,
        authorId: userId,
        type: answered ? 19 : 0,
        content,
        embeds: [...(place.embeds ?? [])],
        attachments: (place.files ?? []).map((file) => attach(file, place.voiceMessage)),
        flags:
          (silent ? MESSAGE_FLAGS.SuppressNotifications : 0) |
          (place.voiceMessage ? MESSAGE_FLAGS.IsVoiceMessage : 0) |
          (forwarded ? MESSAGE_FLAGS.HasSnapshot : 0) |
          (place.thinking ? MESSAGE_FLAGS.Loading : 0),
        replyTo: answered?.id,
        forwards: forwarded && forwardedFrom(hub.model, forwarded),
        pings: answered && place.ping !== false ? [answered.authorId] : undefined,
        stickers: place.stickers?.map((sticker) => ({ id: hub.newId(), name: sticker })),
        mentionsEveryone: /@(everyone|here)\b/.test(content) && mayPingEveryone(standing),
      });
      return view(message);
    },
    edits(shown, text) {
      const message = actor.seen(shown);
      if (message.authorId !== userId) throw new CommandRefused(`${name} did not write this`);
      const content = withMentions(text, actor.whereIs(message));
      checkLength(content);
      return view(editMessage(hub, message, { content }));
    },
    deletes(shown) {
      const message = actor.seen(shown);
      if (message.authorId !== userId && message.onlyFor === undefined) {
        actor.needs(actor.whereIs(message), 'ManageMessages', `${name} did not write this`);
      }
      deleteMessage(hub, message);
    },
    purges(shown) {
      const messages = shown.map((each) => actor.seen(each));
      for (const message of messages) {
        actor.needs(actor.whereIs(message), 'ManageMessages', `${name} may not delete what others wrote`);
      }
      purgeMessages(hub, messages);
    },
    looksAt: (shown) => view(actor.seen(shown)),
    sees(channelName) {
      const { channel } = actor.standingAt({ in: channelName });
      const shown = [...hub.model.messages.values()].filter(
        ({ channelId, deleted, onlyFor }) =>
          channelId === channel.id && !deleted && (onlyFor === undefined || onlyFor === userId),
      );
      return shown.map(view);
    },
  } satisfies Partial<Person>;
}
