import type { Hub } from '../state/hub.ts';
import { botDirectMessages, privateChannel, type Standing } from '../state/installations.ts';
import type { Interactions } from '../state/interactions.ts';
import { type Channel, findChannel, type Guild, type Member, type Message } from '../state/model.ts';
import { channelPermissions, guildPermissions, PERMISSIONS, type PermissionName } from '../state/permissions.ts';
import { findMember } from './command-data.ts';
import { CommandRefused } from './typed-command.ts';
import type { VisibleMessage } from './views.ts';

/**
 * Where a person acts: `in` is a channel's name, default `general`; `@bot` is the direct messages with the bot, `@bob`
 * those with bob, `@bob,@frank` the group of the three.
 */
export interface Place {
  readonly in?: string;
}

/** The server of a member, and what is shared with all others. */
export interface Surroundings {
  readonly hub: Hub;
  readonly interactions: Interactions;
  readonly guild: Guild;
}

/** The acting person, with what every kind of act needs. */
export class Actor {
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

  protected standingIn(channel: Channel): Standing {
    const guild = channel.guildId === undefined ? undefined : this.hub.model.guilds.get(channel.guildId);
    return { userId: this.id, channel, guild, member: guild?.members.get(this.id) };
  }

  /** At a channel this person sees. */
  protected standingAt(place: Place | undefined): Standing {
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

  protected whereIs(message: Message): Standing {
    const channel = findChannel(this.hub.model, message.channelId);
    if (!channel) throw new CommandRefused('The channel no longer exists');
    return this.standingIn(channel);
  }

  /** Whether nothing forbids it; in private channels nothing does. */
  protected may({ guild, member, channel }: Standing, permission: PermissionName): boolean {
    if (!guild) return true;
    const bits = member ? channelPermissions(guild, member, channel, this.hub.clock.now()) : 0n;
    return (bits & PERMISSIONS[permission]) !== 0n;
  }

  /** Refuses with `otherwise` when the permission is missing. */
  protected needs(standing: Standing, permission: PermissionName, otherwise: string): void {
    if (!this.may(standing, permission)) throw new CommandRefused(otherwise);
  }

  protected moderates(permission: PermissionName): void {
    if (!(guildPermissions(this.guild, this.self) & PERMISSIONS[permission]))
      throw new CommandRefused(`${this.name} may not do that`);
  }

  /** The message behind its view, when the person still sees it. */
  protected seen(view: VisibleMessage): Message {
    const message = this.hub.model.messages.get(view.messageId);
    if (!message || message.deleted) throw new CommandRefused('This message no longer exists');
    const channel = findChannel(this.hub.model, message.channelId);
    const outsider = channel?.participants !== undefined && !channel.participants.includes(this.id);
    if (outsider || (message.onlyFor !== undefined && message.onlyFor !== this.id))
      throw new CommandRefused(`${this.name} cannot see this message`);
    return message;
  }

  /** The bot, `bot` here, by the name that people see. */
  protected called(who: string): string {
    const { users, application } = this.hub.model;
    return (who === 'bot' ? users.get(application.botId)?.username : undefined) ?? who;
  }

  /** A member by name, `bot` for the bot. */
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
