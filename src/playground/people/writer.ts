import type { Hub } from '../state/hub.ts';
import { botDirectMessages, privateChannel, type Standing } from '../state/installations.ts';
import type { Interactions } from '../state/interactions.ts';
import { createMessage, deleteMessage, editMessage, purgeMessages } from '../state/messages.ts';
import { type Channel, findChannel, type Guild, MESSAGE_FLAGS, type Member, type Message } from '../state/model.ts';
import {
  channelPermissions,
  guildPermissions,
  PERMISSIONS,
  type PermissionName,
  writingPermission,
} from '../state/permissions.ts';
import { type CommandContext, uploaded } from './command-data.ts';
import { CommandRefused, type FileInput } from './typed-command.ts';
import { findMember, messageView, type VisibleMessage } from './views.ts';

/** `in` is a channel's name (default `general`) or direct messages: `@bot`, `@bob`, or the group `@bob,@frank`. */
export interface Place {
  readonly in?: string;
}

export interface Surroundings {
  readonly hub: Hub;
  readonly interactions: Interactions;
  readonly guild: Guild;
}

class Actor {
  readonly name: string;
  readonly id: string;
  protected readonly hub: Hub;
  protected readonly interactions: Interactions;
  protected readonly guild: Guild;
  protected readonly self: Member;

  constructor({ hub, interactions, guild }: Surroundings, self: Member, name: string) {
    this.hub = hub;
    this.interactions = interactions;
    this.guild = guild;
    this.self = self;
    this.name = name;
    this.id = self.userId;
  }

  protected channelNamed(wanted: string): Channel {
    const channel = [...this.guild.channels.values()].find((candidate) => candidate.name === wanted);
    if (!channel) throw new CommandRefused(`There is no channel ${wanted}`);
    return channel;
  }

  protected standingIn(channel: Channel): CommandContext {
    const guild = channel.guildId === undefined ? undefined : this.hub.model.guilds.get(channel.guildId);
    return { hub: this.hub, userId: this.id, channel, guild, member: guild?.members.get(this.id) };
  }

  protected standingAt(place: Place | undefined): CommandContext {
    const wanted = place?.in ?? 'general';
    if (wanted === '@bot') return this.standingIn(botDirectMessages(this.hub, this.id));
    if (wanted.startsWith('@')) {
      const others = wanted.split(',').map((part) => this.#userNamed(part.trim().replace(/^@/, '')));
      if (others.includes(this.id)) throw new CommandRefused(`${this.name} has no direct messages with ${this.name}`);
      return this.standingIn(privateChannel(this.hub, [this.id, ...others]));
    }
    const standing = this.standingIn(this.channelNamed(wanted));
    this.needs(standing, 'ViewChannel', `${this.name} cannot see ${wanted}`);
    return standing;
  }

  protected whereIs(message: Message): CommandContext {
    const channel = findChannel(this.hub.model, message.channelId);
    if (!channel) throw new CommandRefused('The channel no longer exists');
    return this.standingIn(channel);
  }

  /** True if the person has the permission. Direct messages and groups, which have no roles, grant every permission. */
  protected may({ guild, member, channel }: Standing, permission: PermissionName): boolean {
    if (!guild) return true;
    const bits = member ? channelPermissions(guild, member, channel, this.hub.clock.now()) : 0n;
    return (bits & PERMISSIONS[permission]) !== 0n;
  }

  protected needs(standing: Standing, permission: PermissionName, otherwise: string): void {
    if (!this.may(standing, permission)) throw new CommandRefused(otherwise);
  }

  protected moderates(permission: PermissionName): void {
    if (!(guildPermissions(this.guild, this.self) & PERMISSIONS[permission]))
      throw new CommandRefused(`${this.name} may not do that`);
  }

  protected seen(view: VisibleMessage): Message {
    const message = this.hub.model.messages.get(view.messageId);
    if (!message || message.deleted) throw new CommandRefused('This message no longer exists');
    const channel = findChannel(this.hub.model, message.channelId);
    const outsider = channel?.participants !== undefined && !channel.participants.includes(this.id);
    if (outsider || (message.onlyFor !== undefined && message.onlyFor !== this.id))
      throw new CommandRefused(`${this.name} cannot see this message`);
    return message;
  }

  protected called(who: string): string {
    const { users, application } = this.hub.model;
    return (who === 'bot' ? users.get(application.botId)?.username : undefined) ?? who;
  }

  protected other(who: string): Member {
    const { hub, guild } = this;
    const found = who === 'bot' ? guild.members.get(hub.model.application.botId) : findMember(hub, guild, who);
    if (!found) throw new CommandRefused(`There is no member ${this.called(who)}`);
    return found;
  }

  #userNamed(wanted: string): string {
    const { hub, guild } = this;
    const found =
      findMember(hub, guild, wanted)?.userId ??
      [...hub.model.users.values()].find((user) => user.username === wanted)?.id;
    if (found === undefined) throw new CommandRefused(`There is nobody called ${wanted}`);
    return found;
  }
}

interface MessageParts {
  readonly replyTo?: VisibleMessage;
  /** If true, the message, which another bot than Crier posts, shows “is thinking” until the bot edits the message. */
  readonly thinking?: boolean;
  readonly files?: readonly FileInput[];
}

const MAX_CHARACTERS = 2_000;
const SILENT = /^@silent\s+/;

export class Writer extends Actor {
  /** Posts a message. `@name` and `#channel` become mentions; a leading `@silent` suppresses the notification. */
  says(text: string, place: Place & MessageParts = {}): VisibleMessage {
    const { hub, name } = this;
    const standing = this.standingAt(place);
    const { channel, guild } = standing;
    if (channel.kind === 'forum') throw new CommandRefused(`${channel.name} holds posts, not messages`);
    const may = (permission: PermissionName, what: string) =>
      this.needs(standing, permission, `${name} may not ${what} in ${channel.name}`);
    may(writingPermission(channel), 'write');
    if (place.files?.length) may('AttachFiles', 'attach files');
    const content = this.#checked(text.replace(SILENT, ''), standing);
    const answered = place.replyTo && this.seen(place.replyTo);
    if (answered && answered.channelId !== channel.id) throw new CommandRefused('A reply stands below what it answers');
    if (place.thinking && !hub.model.users.get(this.id)?.bot) throw new CommandRefused('Only bots defer their replies');
    const message = createMessage(hub, channel, {
      authorId: this.id,
      content,
      attachments: (place.files ?? []).map((file) => uploaded(hub, file)),
      flags:
        (SILENT.test(text) ? MESSAGE_FLAGS.SuppressNotifications : 0) | (place.thinking ? MESSAGE_FLAGS.Loading : 0),
      replyTo: answered?.id,
      pings: answered ? [answered.authorId] : [],
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

  deletes(shown: VisibleMessage): void {
    const message = this.seen(shown);
    if (message.authorId !== this.id && message.onlyFor === undefined)
      this.needs(this.whereIs(message), 'ManageMessages', `${this.name} did not write this`);
    deleteMessage(this.hub, message);
  }

  purges(shown: readonly VisibleMessage[]): void {
    const messages = shown.map((each) => this.seen(each));
    for (const message of messages)
      this.needs(this.whereIs(message), 'ManageMessages', `${this.name} may not delete what others wrote`);
    purgeMessages(this.hub, messages);
  }

  looksAt(shown: VisibleMessage): VisibleMessage {
    return this.#view(this.seen(shown));
  }

  /** The messages that this person sees in a channel or in direct messages (`@bot`, …), oldest first. */
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

  #checked(text: string, standing: Standing): string {
    const content = this.#withMentions(text, standing);
    if ([...content].length > MAX_CHARACTERS) throw new CommandRefused('Your message is too long');
    return content;
  }

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
