import { findMember } from '../people/command-data.ts';
import { Person } from '../people/person.ts';
import { memberView, messageView, type VisibleMember, type VisibleMessage } from '../people/views.ts';
import type { Surroundings } from '../people/writer.ts';
import { leaveGuild, publishChannel, publishGuildCreate, publishMember, publishRole } from '../state/guilds.ts';
import { type Hub, waitUntil } from '../state/hub.ts';
import { createMessage } from '../state/messages.ts';
import {
  type Channel,
  type ChannelKind,
  type Guild,
  type Member,
  membersIn,
  type Overwrite,
  type Role,
} from '../state/model.ts';
import { channelPayload, guildPayload, memberPayload, userPayload } from '../state/payloads.ts';
import { type PermissionName, permissionBits } from '../state/permissions.ts';
import { type NewServer, newChannel, newMember, newUser } from '../state/starting-model.ts';
import { applySpeakPermission, disconnectMember, personLeaves } from '../state/voice-states.ts';
import type { Deadline, Listener } from '../voice/protocol.ts';

class WorldChannel {
  readonly #hub: Hub;
  readonly #guild: Guild;
  readonly #channel: Channel;

  constructor(hub: Hub, guild: Guild, channel: Channel) {
    this.#hub = hub;
    this.#guild = guild;
    this.#channel = channel;
  }

  get id(): string {
    return this.#channel.id;
  }

  get name(): string {
    return this.#channel.name;
  }

  get kind(): ChannelKind {
    return this.#channel.kind;
  }

  /** Names of the members in the voice channel; the bot is called `bot`. */
  get members(): readonly string[] {
    const { application, users } = this.#hub.model;
    return membersIn(this.#guild, this.id).map(({ userId }) =>
      userId === application.botId ? 'bot' : (users.get(userId)?.username ?? userId),
    );
  }

  get listeners(): readonly Listener[] {
    const { byUser } = this.#hub.listenersIn(this.#guild.id);
    return membersIn(this.#guild, this.id).flatMap(({ userId }) => byUser.get(userId) ?? []);
  }

  /** If everyone has left, the channel's last listener. Throws if nobody has ever been there. */
  get listener(): Listener {
    const listener = this.listeners[0] ?? this.#hub.listenersIn(this.#guild.id).lastByChannel.get(this.id);
    if (!listener) throw new Error(`Nobody has been in ${this.name} yet`);
    return listener;
  }

  get messages(): readonly VisibleMessage[] {
    const shown = [...this.#hub.model.messages.values()].filter(
      ({ channelId, deleted, onlyFor }) => channelId === this.id && !deleted && onlyFor === undefined,
    );
    return shown.map((message) => messageView(this.#hub, message));
  }

  get userLimit(): number {
    return this.#channel.userLimit;
  }

  setUserLimit(limit: number): void {
    this.#channel.userLimit = limit;
    this.#publish();
  }

  denyBot(...permissions: PermissionName[]): void {
    const overwrite = this.#botsOverwrite();
    overwrite.deny |= permissionBits(permissions);
    overwrite.allow &= ~overwrite.deny;
    this.#publish();
  }

  allowBot(...permissions: PermissionName[]): void {
    const overwrite = this.#botsOverwrite();
    overwrite.allow |= permissionBits(permissions);
    overwrite.deny &= ~overwrite.allow;
    this.#publish();
  }

  resetBot(): void {
    const { botId } = this.#hub.model.application;
    this.#channel.overwrites = this.#channel.overwrites.filter(({ id }) => id !== botId);
    this.#publish();
  }

  /** Closes and locks a thread: https://github.com/discord/discord-api-docs/issues/6884, issues/5517 */
  lock(): void {
    this.#channel.isLocked = true;
    this.#publish();
  }

  /** Resolves when the bot is in the channel or, if `expected` is false, when it is not. Rejects at the deadline. */
  hasBot(expected: boolean, deadline?: Deadline): Promise<void> {
    const what = `the bot ${expected ? 'to be in' : 'to leave'} ${this.name}`;
    return waitUntil(this.#hub, () => this.members.includes('bot') === expected, { ...deadline, what });
  }

  delete(): void {
    const { channels } = this.#guild;
    channels.delete(this.id);
    for (const thread of [...channels.values()]) if (thread.parentId === this.id) channels.delete(thread.id);
    const name = this.kind === 'thread' ? 'THREAD_DELETE' : 'CHANNEL_DELETE';
    this.#hub.announce(this.#guild.id, name, channelPayload(this.#hub.model, this.#channel));
    for (const { userId } of membersIn(this.#guild, this.id))
      disconnectMember(this.#hub, this.#guild, userId, 'channel-deleted');
  }

  #publish(): void {
    publishChannel(this.#hub, this.#guild, this.#channel, 'CHANNEL_UPDATE');
  }

  #botsOverwrite(): Overwrite {
    const { botId } = this.#hub.model.application;
    const found = this.#channel.overwrites.find(({ id }) => id === botId);
    if (found) return found;
    const added: Overwrite = { id: botId, kind: 'member', allow: 0n, deny: 0n };
    this.#channel.overwrites.push(added);
    return added;
  }
}

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

  get roles(): ReadonlyMap<string, string> {
    return new Map([...this.guild.roles.values()].map(({ id, name }) => [id, name]));
  }

  member(name: string): Person {
    const person = this.#people.get(name) ?? new Person(this.#surroundings, this.#memberNamed(name), name);
    this.#people.set(name, person);
    return person;
  }

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

  /** Gives a role to a member (`bot` is the bot) and returns the role's id. If there is no such role, makes one. */
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

  /** Deletes a role. Its members lose the role, but the bot gets no event for each member. */
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

  /** A thread in a text channel, or a post in a forum. A private thread contains the bot and all members. */
  newThread(parentName: string, name: string, { private: isPrivate = false } = {}): WorldChannel {
    const details = { parentId: this.#channelNamed(parentName).id, ownerId: this.guild.ownerId, isPrivate };
    return this.#published(newChannel(this.hub.newId, this.guild, name, 'thread', details));
  }

  webhookSays(name: string, text: string): void {
    createMessage(this.hub, {
      channelId: this.#channelNamed('general').id,
      guildId: this.guildId,
      authorId: '',
      type: 0,
      content: text,
      webhook: { id: this.hub.newId(), name },
    });
  }

  setLanguage(locale: string): void {
    this.guild.locale = locale;
    this.hub.announce(this.guildId, 'GUILD_UPDATE', guildPayload(this.guild));
  }

  /** The bot stays a member and keeps its voice connection. The returned function ends the outage. */
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
