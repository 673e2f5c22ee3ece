import type { APIApplicationCommand, APIEmbed, APIMessageTopLevelComponent } from 'discord-api-types/v10';
import type { Clock } from './clock.ts';
import type { PrivilegedIntent } from './gateway/intents.ts';
import type { PermissionName } from './permissions.ts';
import type { Listener, VoiceServer, VoiceServerOptions } from './voice/types.ts';

export interface Deadline {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface WorldOptions {
  /** Drives the 3 s and 15 min deadlines and the rate limits. Default: the system's clock. */
  readonly clock?: Clock;
  readonly voice?: VoiceServerOptions;
  /** Privileged intents switched on in the developer portal. Default: none. */
  readonly privilegedIntents?: readonly PrivilegedIntent[];
  /** Sent in Hello. Default 41_250, what Discord sends. */
  readonly heartbeatIntervalMs?: number;
  /** Port of REST and gateway; default 0, a free one. */
  readonly port?: number;
}

/** A file as the person can download it. */
export interface VisibleFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Uint8Array;
  readonly description?: string;
  /** Only voice messages carry these two. */
  readonly durationSeconds?: number;
  readonly waveform?: string;
}

/** What a message looked like from `atMs` (`performance.now()`) on. */
export interface VisibleState {
  readonly atMs: number;
  readonly content: string;
  /** Everything that can be read on it: content, embeds and text displays, a line each; mentions by name. */
  readonly text: string;
  /** "… is thinking": a deferred reply that nothing has been put into yet. */
  readonly thinking: boolean;
}

/** A message as the person who is looking sees it now. */
export interface VisibleMessage {
  readonly messageId: string;
  readonly channelId: string;
  readonly author: string;
  readonly content: string;
  /** Everything that can be read on it: content, embeds and text displays, a line each; mentions by name. */
  readonly text: string;
  readonly embeds: readonly APIEmbed[];
  readonly components: readonly APIMessageTopLevelComponent[];
  readonly files: readonly VisibleFile[];
  /** Only the person who started the interaction sees it. */
  readonly ephemeral: boolean;
  readonly thinking: boolean;
  readonly deleted: boolean;
  readonly voiceMessage: boolean;
  /** Discord's own words ("The application did not respond"), not the bot's. */
  readonly failed: boolean;
  readonly createdAtMs: number;
  readonly edited: boolean;
  /** Every state it went through, oldest first. */
  readonly history: readonly VisibleState[];
}

export interface VisibleModal {
  readonly interactionId: string;
  readonly customId: string;
  readonly title: string;
  /** The components as the bot sent them. */
  readonly components: readonly unknown[];
}

export interface Choice {
  readonly name: string;
  readonly value: string | number;
}

export interface ReplyOptions extends Deadline {
  /** Keep waiting until the visible reply matches (its `text`), or the predicate holds. */
  readonly until?: RegExp | ((reply: VisibleMessage) => boolean);
}

/** Something a person did that the bot has to answer. */
export interface SentInteraction {
  readonly id: string;
  /** `performance.now()` when it was sent. */
  readonly sentAtMs: number;
  /** `performance.now()` when the bot acknowledged it, undefined before that. */
  readonly acknowledgedAtMs: number | undefined;
  /** All messages in answer to it, oldest first, deleted ones included. */
  readonly replies: readonly VisibleMessage[];
  /**
   * The newest message the person sees in answer, once there is one that is neither deleted nor still "thinking".
   * After 3 s without an answer: Discord's "The application did not respond", with `failed: true`.
   */
  reply(options: ReplyOptions): Promise<VisibleMessage>;
  /** The modal the bot answered with. */
  modal(options: Deadline): Promise<VisibleModal>;
}

export type OptionInput =
  | string
  | number
  | boolean
  | { readonly name: string; readonly bytes: Uint8Array; readonly contentType?: string };

/** Where and how a person acts; `in` is a channel's name, default `general`. */
export interface Place {
  readonly in?: string;
}

export interface Person {
  readonly name: string;
  readonly id: string;
  /** Name of the voice channel the person is in. */
  readonly voiceChannel: string | undefined;
  /** What this person hears; throws when the person has been in no voice channel yet. */
  readonly listener: Listener;
  joins(channel: string): Listener;
  leaves(): void;
  moves(channel: string): Listener;
  /** Types a line that starts with `/`. Rejects with `CommandRefused` when Discord's client would not send it. */
  types(line: string, place?: Place): Promise<SentInteraction>;
  /** The same with the options' values given. Subcommands are named as `settings voice`. */
  command(name: string, options?: Readonly<Record<string, OptionInput>>, place?: Place): Promise<SentInteraction>;
  /** What is offered while the person types into option `focused`; rejects after 3 s as Discord does. */
  autocompletes(
    name: string,
    focused: Readonly<Record<string, string>>,
    options?: Place & { readonly filled?: Readonly<Record<string, OptionInput>> },
  ): Promise<readonly Choice[]>;
  /** Clicks a button, by its label or custom id. */
  presses(message: VisibleMessage, button: string): Promise<SentInteraction>;
  /** Picks from a select menu, by its custom id or placeholder; values by label or value, names for users, roles and channels. */
  selects(message: VisibleMessage, menu: string, values: readonly string[]): Promise<SentInteraction>;
  /** Fills in a modal, by custom id or label, and submits it. */
  submits(modal: VisibleModal, fields: Readonly<Record<string, string | readonly string[]>>): Promise<SentInteraction>;
  /** Apps → `command` on a message. */
  usesOnMessage(command: string, message: VisibleMessage): Promise<SentInteraction>;
  /** Apps → `command` on a member. */
  usesOnMember(command: string, member: string): Promise<SentInteraction>;
  /** Posts an ordinary message. */
  says(text: string, place?: Place): VisibleMessage;
  /** The messages this person sees in a channel, oldest first. */
  sees(channel: string): readonly VisibleMessage[];
  /** Disconnects a member (`bot` for the bot) from voice. */
  disconnects(member: string): void;
  /** Drags a member (`bot` for the bot) to another voice channel. */
  drags(member: string, channel: string): void;
  /** Lets a member (`bot` for the bot) speak on a stage. */
  invitesToSpeak(member: string): void;
}

export interface WorldChannel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'text' | 'voice' | 'stage';
  /** Names of who is in it (voice), the bot as `bot`. */
  readonly members: readonly string[];
  /** What a member in it hears; when all have left, the last one that did. Throws when nobody ever joined. */
  readonly listener: Listener;
  /** One for each person who is in it. */
  readonly listeners: readonly Listener[];
  /** Everyone's messages in it (nothing ephemeral), oldest first, deleted ones left out. */
  readonly messages: readonly VisibleMessage[];
  readonly userLimit: number;
  setUserLimit(limit: number): void;
  /** Overwrites the bot's permissions in this channel. */
  denyBot(...permissions: PermissionName[]): void;
  allowBot(...permissions: PermissionName[]): void;
  /** Resolves when the bot is in this voice channel (or, with `false`, is not). */
  hasBot(expected: boolean, deadline: Deadline): Promise<void>;
  delete(): void;
}

export interface RestFault {
  readonly method?: string;
  /** Matched against the path after `/api/v10`. */
  readonly path: RegExp;
  /** Answer with this status instead of handling the request. */
  readonly status?: number;
  /** Handle the request, then cut the connection before the answer. */
  readonly loseAnswer?: boolean;
  /** Answer 429 with this `retry_after` (seconds). */
  readonly retryAfterSeconds?: number;
  readonly delayMs?: number;
  /** How many requests it hits. Default 1. */
  readonly times?: number;
}

/** Things that go wrong on a real Discord. */
export interface Faults {
  /** Cuts every gateway connection's TCP; sessions stay resumable. */
  dropGateway(): void;
  /** Op 7. */
  askToReconnect(): void;
  /** Op 9; not resumable ones lose the session and the bot's voice with it. */
  invalidateSession(options: { readonly resumable: boolean }): void;
  closeGateway(code: number): void;
  /** False: heartbeats get no ACK. */
  answerHeartbeats(answer: boolean): void;
  /** Refuses new gateway connections while true. */
  refuseGateway(refuse: boolean): void;
  /** Holds every event of this name back by `delayMs`, until the returned function is called. */
  delayEvent(name: string, delayMs: number): () => void;
  /** Swallows every event of this name until the returned function is called. */
  loseEvent(name: string): () => void;
  /** VOICE_SERVER_UPDATE goes out before VOICE_STATE_UPDATE. */
  swapVoiceEvents(swap: boolean): void;
  rest(fault: RestFault): void;
}

export interface RestCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** `performance.now()`. */
  readonly atMs: number;
  readonly body: unknown;
}

/** One server, its channels and its people. */
export interface WorldServer {
  readonly guildId: string;
  member(name: string): Person;
  /** A new member joins the server. */
  newMember(
    name: string,
    options?: { readonly nick?: string; readonly permissions?: readonly PermissionName[] },
  ): Person;
  /** The member leaves the server. */
  removeMember(name: string): void;
  /** Gives a member a role, which is made when there is none of that name; returns its id. */
  giveRole(member: string, role: string, permissions?: readonly PermissionName[]): string;
  channel(name: string): WorldChannel;
  newChannel(name: string, kind: WorldChannel['kind'], options?: { readonly userLimit?: number }): WorldChannel;
  /** Sets the permissions of the bot's role in the whole server. */
  setBotPermissions(permissions: readonly PermissionName[]): void;
  /** GUILD_DELETE with `unavailable: true`; the returned function ends the outage with GUILD_CREATE. */
  outage(): () => void;
  /** Removes the bot from the server, as an administrator can. */
  removeBot(): void;
  inviteBot(): void;
}

/** The first server's people and channels, and what is around them. */
export interface World extends WorldServer {
  /** Environment of a bot process that belongs to this world. */
  readonly botEnv: {
    readonly DISCORD_TOKEN: string;
    readonly DISCORD_API_URL: string;
    readonly NODE_EXTRA_CA_CERTS: string;
  };
  readonly bot: {
    readonly userId: string;
    readonly applicationId: string;
    readonly voiceChannel: string | undefined;
    /** Registered for the guild and globally. */
    readonly commands: readonly APIApplicationCommand[];
    /** Resumes of the main gateway since the start. */
    readonly resumes: number;
    readonly identifies: number;
    readonly selfDeafened: boolean;
    /** The bot's voice state: false only where it may be heard. */
    readonly suppressed: boolean;
  };
  readonly clock: Clock;
  readonly voiceServer: VoiceServer;
  readonly faults: Faults;
  /** Calls of the bot to REST, oldest first (the last 500). */
  readonly restCalls: readonly RestCall[];
  /** Resolves when the bot's gateway session has its servers and at least one command is registered. */
  botReady(options: Deadline & { readonly commands?: boolean }): Promise<void>;
  /** Another server with the same people and channels, which the bot is in too. */
  newServer(name: string): WorldServer;
  /** Resolves as soon as `condition` holds; checked after every change in the world but what is heard: that is waited for at the listener. */
  until(condition: () => boolean, options: Deadline & { readonly what: string }): Promise<void>;
  close(): Promise<void>;
}
