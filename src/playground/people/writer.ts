import type { APIEmbed } from 'discord-api-types/v10';
import type { Standing } from '../state/installations.ts';
import { createMessage, deleteMessage, editMessage, forwardedFrom, purgeMessages } from '../state/messages.ts';
import { type Attachment, MESSAGE_FLAGS, type Message } from '../state/model.ts';
import { type PermissionName, writingPermission } from '../state/permissions.ts';
import { Actor, type Place } from './actor.ts';
import { newAttachment } from './command-data.ts';
import { CommandRefused, type FileInput } from './typed-command.ts';
import { messageView, type VisibleMessage } from './views.ts';

/** The parts of a message besides its text. */
export interface MessageParts {
  readonly replyTo?: VisibleMessage;
  /** A forward says nothing itself. */
  readonly forwards?: VisibleMessage;
  /** Another bot's deferred reply: 'is thinking', until it is edited. */
  readonly thinking?: boolean;
  /** A reply pings the author it answers. Default true. */
  readonly ping?: boolean;
  readonly files?: readonly FileInput[];
  /** A recorded voice message: no words, one file. */
  readonly voiceMessage?: { readonly durationSeconds: number };
  readonly embeds?: readonly APIEmbed[];
  readonly stickers?: readonly string[];
  readonly silent?: boolean;
}

/** 2,000 characters without Nitro. */
const MAX_CHARACTERS = 2_000;
const SILENT = /^@silent\s+/;

/** Messages, as a person writes and reads them. */
export class Writer extends Actor {
  /** Posts an ordinary message. `@name` and `#channel` become mentions, a leading `@silent` silences it. */
  says(text: string, place: Place & MessageParts = {}): VisibleMessage {
    const { hub, name } = this;
    const standing = this.standingAt(place);
    const { channel, guild } = standing;
    if (channel.kind === 'forum') throw new CommandRefused(`${channel.name} holds posts, not messages`);
    const may = (permission: PermissionName, what: string) =>
      this.needs(standing, permission, `${name} may not ${what} in ${channel.name}`);
    may(writingPermission(channel), 'write');
    if (place.files?.length) may('AttachFiles', 'attach files');
    if (place.voiceMessage) may('SendVoiceMessages', 'send voice messages');
    const content = this.#checked(text.replace(SILENT, ''), standing);
    const answered = place.replyTo && this.seen(place.replyTo);
    if (answered && answered.channelId !== channel.id) throw new CommandRefused('A reply stands below what it answers');
    const forwarded = place.forwards && this.seen(place.forwards);
    if (forwarded && (text !== '' || answered || place.files || place.stickers))
      throw new CommandRefused('A forward holds nothing of its own');
    if (place.thinking && !hub.model.users.get(this.id)?.bot) throw new CommandRefused('Only bots defer their replies');
    const silent = place.silent ?? SILENT.test(text);
    const message = createMessage(hub, {
      channelId: channel.id,
      guildId: guild?.id,
      authorId: this.id,
      type: answered ? 19 : 0,
      content,
      embeds: [...(place.embeds ?? [])],
      attachments: (place.files ?? []).map((file) => this.#attach(file, place.voiceMessage)),
      flags:
        (silent ? MESSAGE_FLAGS.SuppressNotifications : 0) |
        (place.voiceMessage ? MESSAGE_FLAGS.IsVoiceMessage : 0) |
        (forwarded ? MESSAGE_FLAGS.HasSnapshot : 0) |
        (place.thinking ? MESSAGE_FLAGS.Loading : 0),
      replyTo: answered?.id,
      forwards: forwarded && forwardedFrom(hub.model, forwarded),
      pings: answered && place.ping !== false ? [answered.authorId] : [],
      stickers: (place.stickers ?? []).map((sticker) => ({ id: hub.newId(), name: sticker })),
      mentionsEveryone:
        /@(everyone|here)\b/.test(content) && guild !== undefined && this.may(standing, 'MentionEveryone'),
    });
    return this.#view(message);
  }

  edits(shown: VisibleMessage, text: string): VisibleMessage {
    const message = this.seen(shown);
    if (message.authorId !== this.id) throw new CommandRefused(`${this.name} did not write this`);
    return this.#view(editMessage(this.hub, message, { content: this.#checked(text, this.whereIs(message)) }));
  }

  /** One's own message, or with Manage Messages any. */
  deletes(shown: VisibleMessage): void {
    const message = this.seen(shown);
    if (message.authorId !== this.id && message.onlyFor === undefined)
      this.needs(this.whereIs(message), 'ManageMessages', `${this.name} did not write this`);
    deleteMessage(this.hub, message);
  }

  /** Many at once, as with a ban or through a moderators' bot; needs Manage Messages. */
  purges(shown: readonly VisibleMessage[]): void {
    const messages = shown.map((each) => this.seen(each));
    for (const message of messages)
      this.needs(this.whereIs(message), 'ManageMessages', `${this.name} may not delete what others wrote`);
    purgeMessages(this.hub, messages);
  }

  /** The message as this person sees it now. */
  looksAt(shown: VisibleMessage): VisibleMessage {
    return this.#view(this.seen(shown));
  }

  /** The messages this person sees in a channel (or `@bot` …), oldest first. */
  sees(channelName: string): readonly VisibleMessage[] {
    const { channel } = this.standingAt({ in: channelName });
    const shown = [...this.hub.model.messages.values()].filter(
      ({ channelId, deleted, onlyFor }) =>
        channelId === channel.id && !deleted && (onlyFor === undefined || onlyFor === this.id),
    );
    return shown.map((message) => this.#view(message));
  }

  #view(message: Message): VisibleMessage {
    return messageView(this.hub, message);
  }

  #attach(file: FileInput, voice: MessageParts['voiceMessage']): Attachment {
    const attachment = newAttachment(this.hub, file);
    if (!voice) return attachment;
    const waveform = Buffer.alloc(64, 128).toString('base64');
    return { ...attachment, durationSeconds: voice.durationSeconds, waveform };
  }

  #checked(text: string, standing: Standing): string {
    const content = this.#withMentions(text, standing);
    if ([...content].length > MAX_CHARACTERS) throw new CommandRefused('Your message is too long');
    return content;
  }

  /** The names that the client turns into mentions. */
  #withMentions(text: string, { guild }: Standing): string {
    if (!guild) return text;
    const members = [...guild.members.values()].flatMap(({ userId: id, nick }) => {
      const user = this.hub.model.users.get(id);
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
  }
}
