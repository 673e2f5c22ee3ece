import type { APIApplicationCommand } from 'discord-api-types/v10';
import type { Clock } from '../state/hub.ts';
import type { PrivilegedIntent } from '../state/intents.ts';
import type { PermissionName } from '../state/permissions.ts';
import type { TeamOptions } from '../state/starting-model.ts';
import type { Listener, ProtocolVersion, VoiceServer, VoiceServerOptions } from '../voice/types.ts';
import type { MessageParts, Person, Place } from './person-types.ts';
import type { Deadline, VisibleMember, VisibleMessage } from './visible-types.ts';

export type * from './person-types.ts';
export type * from './visible-types.ts';

export interface WorldOptions {
  /** Drives the 3 s and 15 min deadlines and the rate limits. Default: the system's clock. */
  readonly clock?: Clock;
  readonly voice?: VoiceServerOptions;
  /** A person, server, channel or role of one name has the same id in every run. Default false. */
  readonly sameIds?: boolean;
  /** Privileged intents switched on in the developer portal. Default: none. */
  readonly privilegedIntents?: readonly PrivilegedIntent[];
  /** Default: olga owns the application alone. */
  readonly team?: TeamOptions;
  /** Sessions a day, by default 1000, and how many of them may begin within 5 s, by default one. */
  readonly sessionStarts?: { readonly total?: number; readonly maxConcurrency?: number };
  /** Every second IDENTIFY within 5 s is refused, also after the first one's session has ended. Default false. */
  readonly strictIdentify?: boolean;
  /** How many shards Discord recommends to the bot. Default 1. */
  readonly shards?: number;
  /** Sent in Hello. Default 41_250, as Discord sends. */
  readonly heartbeatIntervalMs?: number;
  /** Port of REST and gateway; default 0, a free one. */
  readonly port?: number;
  /** Told of every request of the bot: `restCalls` keeps the last 500 only. */
  readonly onRestCall?: (call: RestCall) => void;
}

export interface WorldChannel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'text' | 'voice' | 'stage' | 'forum' | 'thread';
  /** Names of the members in it (voice), the bot as `bot`. */
  readonly members: readonly string[];
  /** The listener of a member in it; when all have left, of the last one. Throws when there never was one. */
  readonly listener: Listener;
  /** One for each person in it. */
  readonly listeners: readonly Listener[];
  /** Everyone's messages in it (nothing ephemeral), oldest first, deleted ones left out. */
  readonly messages: readonly VisibleMessage[];
  readonly userLimit: number;
  setUserLimit(limit: number): void;
  /** Overwrites the bot's permissions in this channel. */
  denyBot(...permissions: PermissionName[]): void;
  /** Overwrites for a role (`@everyone` too) or a member (`bot` for the bot), replacing those it had; none at all removes them. */
  setOverwrite(
    who: string,
    overwrite: { readonly allow?: readonly PermissionName[]; readonly deny?: readonly PermissionName[] },
  ): void;
  allowBot(...permissions: PermissionName[]): void;
  /**
   * Closes and locks a thread: the bot can answer nothing in it any more, nor change what it has answered
   * (https://github.com/discord/discord-api-docs/issues/6884, issues/5517).
   */
  lock(): void;
  /** Resolves when the bot is in this voice channel (or, with `false`, is not). */
  hasBot(expected: boolean, deadline: Deadline): Promise<void>;
  delete(): void;
}

export interface RestFault {
  readonly method?: string;
  /** Matched against the path after `/api/v10`. */
  readonly path: RegExp;
  /** Answer with this status instead of handling the request; 429 as Cloudflare does, which does not say for how long. */
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
  /** The next `count` IDENTIFYs are answered with Invalid Session, as though another had come within 5 s. */
  refuseIdentifies(count: number): void;
  /** Refuses new gateway connections while true. */
  refuseGateway(refuse: boolean): void;
  /** Refuses connections to the address that sessions resume at, and no others, while true. */
  refuseResumes(refuse: boolean): void;
  /** Holds every event of this name back by `delayMs`, until the returned function is called. */
  delayEvent(name: string, delayMs: number): () => void;
  /** Swallows every event of this name until the returned function is called. */
  loseEvent(name: string): () => void;
  /**
   * Sends the last event of this name once more, changed into anything at all, to sessions that had one: what a Discord
   * gone wrong might send, or one whose documents changed. False where there was none.
   */
  distortEvent(name: string, change: (last: unknown) => unknown): boolean;
  /** Delivers every event of this name twice until the returned function is called. */
  repeatEvent(name: string): () => void;
  /** VOICE_SERVER_UPDATE goes out before VOICE_STATE_UPDATE. */
  swapVoiceEvents(swap: boolean): void;
  /** Cuts the bot's voice connection in a server; it may resume after `resumeAfterMs`. */
  cutVoice(guildId: string, options?: { readonly resumeAfterMs?: number }): void;
  /** A resumed voice connection gets the messages it missed before op 9 (Resumed), while true, and else after it. */
  replayVoiceBeforeResumed(before: boolean): void;
  /** Voice servers announce members (op 11) so much later than they propose them for the encryption group. */
  announceVoiceMembersLate(delayMs: number): void;
  /** Clients that connect to this voice channel get no end-to-end encryption group while true. */
  withholdGroup(channelId: string, withheld: boolean): void;
  /** Changes a call to version 0 of the end-to-end encryption protocol, which is none, or back to 1. */
  setProtocolVersion(call: { readonly guildId: string; readonly channelId: string }, version: ProtocolVersion): void;
  /**
   * A changed permission to speak takes effect at once, with a voice state. False, as at first: when the bot next joins or
   * moves, which Discord's developers call intended (https://github.com/discord/discord-api-docs/issues/4032).
   */
  speakAppliesAtOnce(applies: boolean): void;
  /** Closes the next voice connections of the bot with this code when they identify. */
  refuseVoice(closeCode: number, times: number): void;
  /** Closes the bot's voice connection in this server with 4022, and announces a new voice server a while later. */
  changeVoiceServer(
    guildId: string,
    options?: {
      /** Default 4022; also 4014. */
      readonly closeCode?: number;
      /** Between the close and the new server. Default 1_500. */
      readonly afterMs?: number;
      /** Tells before the close that the present server is gone. Default false. */
      readonly emptyEndpoint?: boolean;
    },
  ): void;
  /** Voice servers answer nothing over UDP, as behind a firewall. */
  blockUdp(blocked: boolean): void;
  /** No datagram comes through to or from voice servers, also of connections that are open. */
  silenceUdp(silent: boolean): void;
  /** Loses so many of the next datagrams of IP discovery. */
  loseDiscoveries(datagrams: number): void;
  /** Voice servers keep this answer from clients while true: op 2 (Ready) or 4 (Session Description). */
  withholdVoiceAnswer(op: 2 | 4, withheld: boolean): void;
  /** Voice servers send keep-alive datagrams back. True, as at first. */
  echoKeepAlives(echo: boolean): void;
  /** Hits the next requests that match, until the returned function is called. */
  rest(fault: RestFault): () => void;
}

export interface RestCall {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** `performance.now()`. */
  readonly atMs: number;
  readonly body: unknown;
  /** The body of the answer; undefined where it has none. */
  readonly answer: unknown;
}

/** One server, its channels and its people. */
export interface WorldServer {
  readonly guildId: string;
  readonly name: string;
  /** In the order of the client's list. */
  readonly channels: readonly WorldChannel[];
  /** The bot too. */
  readonly members: readonly VisibleMember[];
  /** Names of all roles by id, `@everyone` too. */
  readonly roles: ReadonlyMap<string, string>;
  member(name: string): Person;
  /** A new member joins the server; with `bot`, another bot. */
  newMember(
    name: string,
    options?: { readonly nick?: string; readonly permissions?: readonly PermissionName[]; readonly bot?: boolean },
  ): Person;
  /** The member leaves the server. */
  removeMember(name: string): void;
  /** Gives a member (`bot` for the bot) a role, which is made when there is none of that name; returns its id. */
  giveRole(member: string, role: string, permissions?: readonly PermissionName[]): string;
  /** Of any role, `@everyone` too. */
  setRolePermissions(role: string, permissions: readonly PermissionName[]): void;
  deleteRole(role: string): void;
  channel(name: string): WorldChannel;
  /** A thread below a text channel, or a post in a forum; a private one has the bot and everybody of the server in it. */
  newThread(parent: string, name: string, options?: { readonly private?: boolean }): WorldChannel;
  /** A message through a webhook of the channel, under any name. */
  webhookSays(name: string, text: string, place?: Place & Pick<MessageParts, 'embeds' | 'files'>): VisibleMessage;
  /** The server's language (https://discord.com/developers/docs/reference#locales). */
  setLanguage(locale: string): void;
  newChannel(name: string, kind: WorldChannel['kind'], options?: { readonly userLimit?: number }): WorldChannel;
  /** Sets the permissions of the bot's role in the whole server. */
  setBotPermissions(permissions: readonly PermissionName[]): void;
  /** GUILD_DELETE with `unavailable: true`; the returned function ends the outage with GUILD_CREATE. */
  outage(): () => void;
  /** Removes the bot from the server, as an administrator can. */
  removeBot(): void;
  inviteBot(): void;
}

/** The first server's people and channels, and their surroundings. */
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
    /** It has a gateway connection with a session that is ready. */
    readonly online: boolean;
    /** Registered for the guild and globally. */
    readonly commands: readonly APIApplicationCommand[];
    /** Resumes of the main gateway since the start. */
    readonly resumes: number;
    readonly identifies: number;
    /** IDENTIFYs that came too soon and were answered with Invalid Session. A good bot has none. */
    readonly refusedIdentifies: number;
    readonly selfDeafened: boolean;
    /** The bot's voice state: false only where it may be heard. */
    readonly suppressed: boolean;
    /** Its hand is raised on a stage. */
    readonly requestsToSpeak: boolean;
  };
  readonly clock: Clock;
  readonly voiceServer: VoiceServer;
  readonly faults: Faults;
  /** Calls of the bot to REST, oldest first (the last 500). */
  readonly restCalls: readonly RestCall[];
  /** All calls answered 429 because the bot made too many, those of `faults.rest` aside. A good bot has none. */
  readonly rateLimitHits: readonly RestCall[];
  /** Resolves when the bot's gateway session has its servers and at least one command is registered. */
  botReady(options: Deadline & { readonly commands?: boolean }): Promise<void>;
  /** Another server with the same people and channels, by default olga's and with the bot. */
  newServer(
    name: string,
    options?: {
      readonly bot?: boolean;
      readonly owner?: string;
      /**
       * The bot has been there for long, and nobody sits in `Full` (each listener takes 2 ms to make): for servers by the
       * thousand. Default false.
       */
      readonly settled?: boolean;
    },
  ): WorldServer;
  /** Resolves as soon as `condition` holds; checked after every change in the world except heard audio, for which the listener has waits. */
  until(condition: () => boolean, options: Deadline & { readonly what: string }): Promise<void>;
  /** Calls back after every change in the world except heard audio; returns the function that ends it. */
  onChange(callback: () => void): () => void;
  close(): Promise<void>;
}
