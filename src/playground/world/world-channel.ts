import { findMember } from '../people/command-data.ts';
import { messageView, type VisibleMessage } from '../people/views.ts';
import { publishChannel } from '../state/guilds.ts';
import { type Deadline, type Hub, waitUntil } from '../state/hub.ts';
import { type Channel, type ChannelKind, type Guild, membersIn, type Overwrite } from '../state/model.ts';
import { channelPayload } from '../state/payloads.ts';
import { type PermissionName, permissionBits } from '../state/permissions.ts';
import { disconnectMember } from '../state/voice-states.ts';
import type { Listener } from '../voice/types.ts';

export class WorldChannel {
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

  /** Names of the members in it (voice), the bot as `bot`. */
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

  /** The listener of a member in it; when all have left, of the last one. Throws when there never was one. */
  get listener(): Listener {
    const listener = this.listeners[0] ?? this.#hub.listenersIn(this.#guild.id).lastByChannel.get(this.id);
    if (!listener) throw new Error(`Nobody has been in ${this.name} yet`);
    return listener;
  }

  /** Everyone's messages in it (nothing ephemeral), oldest first, deleted ones left out. */
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

  /** Overwrites for a role (`@everyone` too) or a member (`bot` for the bot), replacing those it had; none at all removes them. */
  setOverwrite(
    who: string,
    {
      allow = [],
      deny = [],
    }: { readonly allow?: readonly PermissionName[]; readonly deny?: readonly PermissionName[] },
  ): void {
    const role = [...this.#guild.roles.values()].find(({ name }) => name === who);
    const member = who === 'bot' ? this.#hub.model.application.botId : findMember(this.#hub, this.#guild, who)?.userId;
    const id = role?.id ?? member;
    if (id === undefined) throw new Error(`There is no role or member ${who}`);
    const kind = role ? 'role' : 'member';
    const others = this.#channel.overwrites.filter((overwrite) => overwrite.id !== id);
    const added: Overwrite = { id, kind, allow: permissionBits(allow), deny: permissionBits(deny) };
    this.#channel.overwrites = allow.length + deny.length > 0 ? [...others, added] : others;
    this.#publish();
  }

  /**
   * Closes and locks a thread: the bot can no longer answer in it, or change its answers
   * (https://github.com/discord/discord-api-docs/issues/6884, issues/5517).
   */
  lock(): void {
    this.#channel.isLocked = true;
    this.#publish();
  }

  /** Resolves when the bot is in this voice channel (or, with `false`, is not). */
  hasBot(expected: boolean, deadline: Deadline): Promise<void> {
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
