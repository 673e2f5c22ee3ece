import { Person } from '../people/person.ts';
import { findMember, memberView, messageView, type VisibleMember, type VisibleMessage } from '../people/views.ts';
import {
  addMember,
  deleteChannel,
  deleteMember,
  deleteRole,
  leaveGuild,
  publishChannel,
  publishGuild,
  publishGuildCreate,
  publishMember,
  publishRole,
} from '../state/guilds.ts';
import { type Hub, waitUntil } from '../state/hub.ts';
import type { Interactions } from '../state/interactions.ts';
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
import { type PermissionName, permissionBits } from '../state/permissions.ts';
import { type NewServer, newChannel, newMember, newUser } from '../state/starting-model.ts';
import type { Deadline } from '../voice/protocol.ts';

type WorldChannel = ReturnType<typeof worldChannel>;

function worldChannel(hub: Hub, guild: Guild, channel: Channel) {
  const { id, name, kind } = channel;
  const { application, users, messages } = hub.model;
  const publish = () => publishChannel(hub, guild, channel, 'CHANNEL_UPDATE');
  const present = () => membersIn(guild, id);
  const members = (): readonly string[] =>
    present().map(({ userId }) => (userId === application.botId ? 'bot' : (users.get(userId)?.username ?? userId)));
  const listeners = () => {
    const { byUser } = hub.listenersIn(guild.id);
    return present().flatMap(({ userId }) => byUser.get(userId) ?? []);
  };

  function botsOverwrite(): Overwrite {
    const found = channel.overwrites.find((overwrite) => overwrite.id === application.botId);
    if (found) return found;
    const added: Overwrite = { id: application.botId, kind: 'member', allow: 0n, deny: 0n };
    channel.overwrites.push(added);
    return added;
  }

  return {
    id,
    name,
    kind,
    /** Names of the members in the voice channel; the bot is called `bot`. */
    get members() {
      return members();
    },
    get listeners() {
      return listeners();
    },
    /** The audio listener of the channel's member who joined voice first; if all have left, of the last to join. Throws if nobody did. */
    get listener() {
      const listener = listeners()[0] ?? hub.listenersIn(guild.id).lastByChannel.get(id);
      if (!listener) throw new Error(`Nobody has been in ${name} yet`);
      return listener;
    },
    get messages(): readonly VisibleMessage[] {
      const shown = [...messages.values()].filter(
        ({ channelId, deleted, onlyFor }) => channelId === id && !deleted && onlyFor === undefined,
      );
      return shown.map((message) => messageView(hub, message));
    },
    get userLimit() {
      return channel.userLimit;
    },
    setUserLimit(limit: number): void {
      channel.userLimit = limit;
      publish();
    },
    denyBot(...permissions: PermissionName[]): void {
      const overwrite = botsOverwrite();
      overwrite.deny |= permissionBits(permissions);
      overwrite.allow &= ~overwrite.deny;
      publish();
    },
    allowBot(...permissions: PermissionName[]): void {
      const overwrite = botsOverwrite();
      overwrite.allow |= permissionBits(permissions);
      overwrite.deny &= ~overwrite.allow;
      publish();
    },
    resetBot(): void {
      channel.overwrites = channel.overwrites.filter((overwrite) => overwrite.id !== application.botId);
      publish();
    },
    /** Closes and locks a thread, so that the bot cannot answer in it (discord-api-docs issues 6884 and 5517). */
    lock(): void {
      channel.isLocked = true;
      publish();
    },
    /** Resolves when the bot is in the channel or, if `expected` is false, when it is not. Rejects at the deadline. */
    hasBot(expected: boolean, deadline?: Deadline): Promise<void> {
      const what = `the bot ${expected ? 'to be in' : 'to leave'} ${name}`;
      return waitUntil(hub, () => members().includes('bot') === expected, { ...deadline, what });
    },
    delete(): void {
      deleteChannel(hub, guild, channel);
    },
  };
}

export class WorldServer {
  readonly guildId: string;
  readonly name: string;
  protected readonly hub: Hub;
  protected readonly guild: Guild;
  readonly #interactions: Interactions;
  readonly #botRole: Role;
  readonly #people = new Map<string, Person>();

  constructor(hub: Hub, interactions: Interactions, { guild, botRole }: NewServer) {
    this.guildId = guild.id;
    this.name = guild.name;
    this.hub = hub;
    this.guild = guild;
    this.#interactions = interactions;
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
    const { hub, guild } = this;
    const surroundings = { hub, guild, interactions: this.#interactions };
    const person = this.#people.get(name) ?? new Person(surroundings, this.#memberNamed(name), name);
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
    addMember(this.hub, this.guild, joined);
    if (options.permissions) this.giveRole(name, `${name}'s role`, options.permissions);
    return this.member(name);
  }

  removeMember(name: string): void {
    deleteMember(this.hub, this.guild, this.#memberNamed(name));
    this.#people.delete(name);
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
    this.#setPermissions(named('role', this.guild.roles, roleName), permissions);
  }

  setBotPermissions(permissions: readonly PermissionName[]): void {
    this.#setPermissions(this.#botRole, permissions);
  }

  /** Deletes a role. Its members lose the role, but the bot gets no event for each member. */
  deleteRole(roleName: string): void {
    deleteRole(this.hub, this.guild, named('role', this.guild.roles, roleName));
  }

  channel(name: string): WorldChannel {
    return this.#shown(named('channel', this.guild.channels, name));
  }

  newChannel(name: string, kind: ChannelKind, { userLimit = 0 } = {}): WorldChannel {
    return this.#published(newChannel(this.hub.newId, this.guild, name, kind, { userLimit }));
  }

  /** A thread in a text channel, or a post in a forum. A private thread contains the bot and all members. */
  newThread(parentName: string, name: string, { private: isPrivate = false } = {}): WorldChannel {
    const details = {
      parentId: named('channel', this.guild.channels, parentName).id,
      ownerId: this.guild.ownerId,
      isPrivate,
    };
    return this.#published(newChannel(this.hub.newId, this.guild, name, 'thread', details));
  }

  webhookSays(name: string, text: string): void {
    const general = named('channel', this.guild.channels, 'general');
    createMessage(this.hub, general, { authorId: '', content: text, webhook: { id: this.hub.newId(), name } });
  }

  setLanguage(locale: string): void {
    this.guild.locale = locale;
    publishGuild(this.hub, this.guild);
  }

  /** Starts an outage of the server: the bot stays a member and in voice. The returned function ends the outage. */
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

  #shown(channel: Channel): WorldChannel {
    return worldChannel(this.hub, this.guild, channel);
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
}

function named<T extends { readonly name: string }>(what: string, all: ReadonlyMap<string, T>, name: string): T {
  const found = [...all.values()].find((each) => each.name === name);
  if (!found) throw new Error(`There is no ${what} ${name}`);
  return found;
}
