import { findMember, newAttachment } from '../people/command-data.ts';
import { Person } from '../people/person.ts';
import { memberView, messageView, type VisibleMember, type VisibleMessage } from '../people/views.ts';
import type { MessageParts, Place, Surroundings } from '../people/writer.ts';
import { leaveGuild, publishChannel, publishGuildCreate, publishMember, publishRole } from '../state/guilds.ts';
import type { Hub } from '../state/hub.ts';
import { createMessage } from '../state/messages.ts';
import type { Channel, ChannelKind, Guild, Member, Role } from '../state/model.ts';
import { guildPayload, memberPayload, userPayload } from '../state/payloads.ts';
import { type PermissionName, permissionBits } from '../state/permissions.ts';
import { type NewServer, newChannel, newMember, newUser } from '../state/starting-model.ts';
import { applySpeakPermission, personLeaves } from '../state/voice-states.ts';
import { WorldChannel } from './world-channel.ts';

export class WorldServer {
  readonly guildId: string;
  readonly name: string;
  protected readonly hub: Hub;
  protected readonly guild: Guild;
  readonly #surroundings: Surroundings;
  readonly #botRole: Role;
  readonly #people = new Map<string, Person>();

  constructor(hub: Hub, interactions: Surroundings['interactions'], { guild, botRole }: NewServer) {
    this.guildId = guild.id;
    this.name = guild.name;
    this.hub = hub;
    this.guild = guild;
    this.#surroundings = { hub, interactions, guild };
    this.#botRole = botRole;
  }

  get channels(): readonly WorldChannel[] {
    const ordered = [...this.guild.channels.values()].sort((a, b) => a.position - b.position);
    return ordered.map((channel) => this.#shown(channel));
  }

  get members(): readonly VisibleMember[] {
    return [...this.guild.members.values()].flatMap((member) => memberView(this.hub, this.guild, member) ?? []);
  }

  /** Names of all roles by id, `@everyone` too. */
  get roles(): ReadonlyMap<string, string> {
    return new Map([...this.guild.roles.values()].map(({ id, name }) => [id, name]));
  }

  member(name: string): Person {
    const person = this.#people.get(name) ?? new Person(this.#surroundings, this.#memberNamed(name), name);
    this.#people.set(name, person);
    return person;
  }

  /** A new member joins the server; with `bot`, another bot. */
  newMember(
    name: string,
    options: { readonly nick?: string; readonly permissions?: readonly PermissionName[]; readonly bot?: boolean } = {},
  ): Person {
    const { newId, model, clock } = this.hub;
    const user = newUser(newId, name, options.bot);
    model.users.set(user.id, user);
    const joined = newMember(clock, this.guildId, user.id);
    joined.nick = options.nick ?? null;
    this.guild.members.set(user.id, joined);
    this.#announce('GUILD_MEMBER_ADD', memberPayload(model, joined));
    if (options.permissions) this.giveRole(name, `${name}'s role`, options.permissions);
    return this.member(name);
  }

  removeMember(name: string): void {
    const { userId } = this.#memberNamed(name);
    const user = this.hub.model.users.get(userId);
    this.#people.delete(name);
    personLeaves(this.hub, this.guild, userId);
    this.guild.members.delete(userId);
    this.#announce('GUILD_MEMBER_REMOVE', { user: user && userPayload(user) });
  }

  /** Gives a member (`bot` for the bot) a role, which is made when there is none of that name; returns its id. */
  giveRole(name: string, roleName: string, permissions: readonly PermissionName[] = []): string {
    const { hub, guild } = this;
    const bot = name === 'bot' ? guild.members.get(hub.model.application.botId) : undefined;
    const holder = bot ?? this.#memberNamed(name);
    const found = [...guild.roles.values()].find((role) => role.name === roleName);
    const role = found ?? {
      id: hub.newId(`role ${guild.id} ${roleName}`),
      name: roleName,
      permissions: permissionBits(permissions),
      position: guild.roles.size,
      botId: undefined,
    };
    guild.roles.set(role.id, role);
    if (!found) publishRole(hub, guild, role, 'GUILD_ROLE_CREATE');
    holder.roles = [...new Set([...holder.roles, role.id])];
    publishMember(hub, holder);
    return role.id;
  }

  setRolePermissions(roleName: string, permissions: readonly PermissionName[]): void {
    this.#setPermissions(this.#roleNamed(roleName), permissions);
  }

  setBotPermissions(permissions: readonly PermissionName[]): void {
    this.#setPermissions(this.#botRole, permissions);
  }

  /** Members lose it without further notice. */
  deleteRole(roleName: string): void {
    const { id } = this.#roleNamed(roleName);
    this.guild.roles.delete(id);
    for (const member of this.guild.members.values()) member.roles = member.roles.filter((held) => held !== id);
    this.#announce('GUILD_ROLE_DELETE', { role_id: id });
    applySpeakPermission(this.hub, this.guild);
  }

  channel(name: string): WorldChannel {
    return this.#shown(this.#channelNamed(name));
  }

  newChannel(name: string, kind: ChannelKind, { userLimit = 0 } = {}): WorldChannel {
    return this.#published(newChannel(this.hub.newId, this.guild, name, kind, { userLimit }));
  }

  /** A thread below a text channel, or a post in a forum; a private one contains the bot and everyone of the server. */
  newThread(parentName: string, name: string, { private: isPrivate = false } = {}): WorldChannel {
    const details = { parentId: this.#channelNamed(parentName).id, ownerId: this.guild.ownerId, isPrivate };
    return this.#published(newChannel(this.hub.newId, this.guild, name, 'thread', details));
  }

  /** A message through a webhook of the channel, under any name. */
  webhookSays(name: string, text: string, place: Place & MessageParts = {}): VisibleMessage {
    const message = createMessage(this.hub, {
      channelId: this.#channelNamed(place.in ?? 'general').id,
      guildId: this.guildId,
      authorId: '',
      type: 0,
      content: text,
      embeds: [...(place.embeds ?? [])],
      attachments: (place.files ?? []).map((file) => newAttachment(this.hub, file)),
      webhook: { id: this.hub.newId(), name },
    });
    return messageView(this.hub, message);
  }

  setLanguage(locale: string): void {
    this.guild.locale = locale;
    this.hub.announce(this.guildId, 'GUILD_UPDATE', guildPayload(this.guild));
  }

  /**
   * GUILD_DELETE with `unavailable: true`: the server is gone for a while, the bot's membership and voice are not. The returned
   * function ends the outage with GUILD_CREATE.
   */
  outage(): () => void {
    this.guild.available = false;
    this.hub.announce(this.guildId, 'GUILD_DELETE', { id: this.guildId, unavailable: true });
    return () => {
      this.guild.available = true;
      publishGuildCreate(this.hub, this.guild);
    };
  }

  removeBot(): void {
    leaveGuild(this.hub, this.guild);
  }

  inviteBot(): void {
    const { hub, guild } = this;
    const { botId } = hub.model.application;
    guild.roles.set(this.#botRole.id, this.#botRole);
    guild.members.set(botId, newMember(hub.clock, guild.id, botId, [this.#botRole.id]));
    publishGuildCreate(hub, guild);
  }

  #announce(name: string, payload: object): void {
    this.hub.announce(this.guildId, name, { guild_id: this.guildId, ...payload });
  }

  #shown(channel: Channel): WorldChannel {
    return new WorldChannel(this.hub, this.guild, channel);
  }

  #published(channel: Channel): WorldChannel {
    publishChannel(this.hub, this.guild, channel, 'CHANNEL_CREATE');
    return this.#shown(channel);
  }

  #setPermissions(role: Role, permissions: readonly PermissionName[]): void {
    role.permissions = permissionBits(permissions);
    publishRole(this.hub, this.guild, role, 'GUILD_ROLE_UPDATE');
  }

  #memberNamed(name: string): Member {
    const found = findMember(this.hub, this.guild, name);
    if (!found || found.userId === this.hub.model.application.botId) throw new Error(`There is no member ${name}`);
    return found;
  }

  #channelNamed(name: string): Channel {
    const found = [...this.guild.channels.values()].find((channel) => channel.name === name);
    if (!found) throw new Error(`There is no channel ${name}`);
    return found;
  }

  #roleNamed(name: string): Role {
    const found = [...this.guild.roles.values()].find((role) => role.name === name);
    if (!found) throw new Error(`There is no role ${name}`);
    return found;
  }
}
