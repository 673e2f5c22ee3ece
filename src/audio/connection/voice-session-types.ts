import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import type { Logger } from 'pino';
import type { Clip } from '../clips/clip.ts';
import type { PlayOptions, PlayResult } from '../playing/clip-player.ts';
import { REQUEST_BUDGET } from './request-line.ts';

export type { DiscordGatewayAdapterCreator } from '@discordjs/voice';

/**
 * Why a voice session ended. 'left': leave() or closeAll(). 'moved-away': join() to another channel of the same server
 * replaced the session. 'kicked': a moderator disconnected the bot, or its channel was deleted (the bot's own voice
 * state has no channel). 'call-ended': Discord ended the call (close code 4022), and neither the bot's voice state nor
 * a voice server followed. 'gateway-lost': the main gateway connection or the server was lost. 'failed': the connection
 * could not be restored; see closeCode (of the voice gateway) and error.
 */
export interface SessionEnd {
  reason: 'left' | 'moved-away' | 'kicked' | 'call-ended' | 'gateway-lost' | 'failed';
  closeCode?: number;
  error?: Error;
}

/** Whether listeners can hear sent packets: 'pending' while the end-to-end encryption group is being formed. */
export type SessionEncryption = 'pending' | 'end-to-end' | 'transport-only';

/**
 * The current step of a voice session that is not ready. 'joining': op 4 is sent. 'pausing': the bot has just left and
 * will rejoin. 'no-gateway': the main gateway takes no requests for now. 'resuming': @discordjs/voice resumes, or
 * changes to another voice server. 'asking-why': Discord closed the voice connection; the bot's own voice state or a
 * new voice server will tell the reason. 'awaiting-server': the bot is still in the channel, whose next voice server is
 * unknown.
 */
export type JoinStep = 'joining' | 'pausing' | 'no-gateway' | 'resuming' | 'asking-why' | 'awaiting-server';

/**
 * A voice session's state. `attempt` counts the attempts to join, including the current attempt. `rejoins` counts the
 * attempts since the connection was last stable. `isLeftBehind`: the encryption group continued without the bot, so
 * some listeners hear nothing, and the bot will rejoin later.
 */
export type VoiceSessionState =
  | {
      status: 'connecting' | 'reconnecting';
      step: JoinStep;
      attempt: number;
      closeCode?: number;
      isLeftBehind?: boolean;
    }
  | { status: 'ready'; rejoins?: number; isLeftBehind?: boolean }
  | { status: 'closed'; end: SessionEnd };

export interface VoiceSession {
  readonly guildId: string;
  /** The bot's current channel, which changes when a moderator moves the bot. */
  readonly channelId: string;
  readonly state: VoiceSessionState;
  readonly encryption: SessionEncryption;
  /** Plays the clip after all waiting clips, without a gap. Never rejects. */
  play(clip: Clip, options?: PlayOptions): Promise<PlayResult>;
  /**
   * Holds all clips until resume(), after the silence that ends a stretch of speech. Nothing is lost or repeated, even
   * if the voice connection is restored meanwhile. Idempotent.
   */
  pause(): void;
  resume(): void;
  /**
   * Resolves when voice packets can be sent, or when they never can again. Resolves at once unless the session is
   * reconnecting.
   */
  whenReady(): Promise<void>;
  readonly closed: Promise<SessionEnd>;
  /**
   * Called when a moderator moved the bot to another channel, or when the bot returned over a new connection. On a
   * stage, Discord has moved the bot into the audience in both cases.
   */
  onArrived(listener: (channelId: string) => void): void;
  /**
   * A signal for the bot's current stay in a channel. Aborts when the bot is moved, when its connection is restored,
   * and at the end. Each arrival makes a new signal.
   */
  readonly stay: AbortSignal;
  /**
   * Holds all clips until `audible` resolves. On a stage, for example, nobody hears the bot until a moderator invites
   * it to speak. If the promise rejects, the clips end as truncated with its reason. Only the latest call counts, until
   * the bot is moved or its connection is restored.
   */
  holdUntil(audible: Promise<unknown>): void;
  /** Stops the playing clip, leaves the voice channel and closes the session. Idempotent. */
  leave(): Promise<void>;
}

export interface JoinTarget {
  guildId: string;
  channelId: string;
  adapterCreator: DiscordGatewayAdapterCreator;
  /** The shard of the Discord server. All servers of a shard share one budget of requests. */
  shardId: number;
  /**
   * The bot's voice channel in the main gateway's cache. Null: the bot is in no channel or in a deleted channel.
   * Undefined: the cache knows nothing, as after a new main session.
   */
  knownChannel: () => string | null | undefined;
  /** Whether the main gateway is connected: without it, Discord's news of the bot's voice state does not arrive. */
  isGatewayConnected: () => boolean;
}

export interface SessionJoinOptions {
  signal?: AbortSignal;
  /** The deadline of all attempts to join together. Default 20 s: three attempts of 6 s and the pauses between them. */
  deadlineMs?: number;
  /**
   * Makes the bot audible after it has joined, for example by a request to speak on a stage. Called before any packet
   * is sent, and all clips wait until the returned promise resolves. Returns undefined if the bot is already audible.
   */
  audible?: (stay: AbortSignal) => Promise<unknown> | undefined;
}

export interface VoiceSessions {
  /**
   * Joins a voice channel, and resolves once packets can be sent. An existing session in the channel is returned. A
   * session in another channel of the server is closed as 'moved-away' first. Rejects with a VoiceJoinError.
   */
  join(target: JoinTarget, options?: SessionJoinOptions): Promise<VoiceSession>;
  get(guildId: string): VoiceSession | undefined;
  /**
   * Leaves a channel that the bot is in without a session. The request to leave waits for its turn among the sessions'
   * requests. `send` returns false if it sent nothing.
   */
  leaveStale(guildId: string, shardId: number, send: () => boolean): void;
  /** The number of joined sessions, and of sessions that are sending packets. */
  census(): { readonly joined: number; readonly speaking: number };
  /** Leaves every voice channel. Idempotent. */
  closeAll(): Promise<void>;
}

export const SESSION_TIMES = {
  /** The time limit of one attempt to join a voice channel, from op 4 to ready. */
  attemptTimeoutMs: 6_000,
  maxAttempts: 3,
  /** The pause between leaving a server's channel and joining again: Discord ignores an earlier rejoin. */
  rejoinDelayMs: 600,
  /**
   * How long Discord may take to explain a closed voice connection or to name the next voice server. Even on a plain
   * move, both can take seconds.
   */
  explanationTimeoutMs: 9_000,
  /** How long an audible packet waits for the end-to-end encryption group before the bot joins the channel again. */
  encryptionTimeoutMs: 5_000,
  /** How many requests (op 4) each shard may send, for all of its servers together. */
  requestBudget: REQUEST_BUDGET,
};
export type SessionTimes = typeof SESSION_TIMES;

export interface VoiceSessionsOptions {
  log: Logger;
  /**
   * Asked before each voice packet whether this process may still send. If false, the packet is not sent, and the
   * session's player stops.
   */
  maySpeak: () => boolean;
  /** Called after every clip. `lostCount`: the packets never sent, although nobody stopped the clip. */
  onPlayed: (played: PlayResult & { readonly lostCount: number; readonly guildId: string }) => void;
  onJoin: (join: { readonly guildId: string; readonly outcome: 'joined' | VoiceJoinErrorKind }) => void;
  /** Called with the number of voice packets that were sent but did not arrive. */
  onUnheard: (packets: number) => void;
  times?: Partial<SessionTimes>;
}

/**
 * Why joining a voice channel failed. 'timeout': Discord did not answer (also for a full channel or a missing
 * permission). 'refused': Discord closed the voice connection and forbade rejoining. 'disconnected': before the session
 * was ready, the bot was disconnected, its channel was deleted or the call ended. 'encryption': no common encryption
 * mode. 'no-route': this machine has no route to the voice server, which has an IPv4 address. 'aborted': by the signal,
 * or because the session was closed meanwhile. 'gateway-unavailable': the main gateway took no request. 'busy': the
 * bot's own line of requests was too long.
 */
export type VoiceJoinErrorKind =
  | 'timeout'
  | 'refused'
  | 'disconnected'
  | 'encryption'
  | 'no-route'
  | 'aborted'
  | 'gateway-unavailable'
  | 'busy'
  | 'failed';

/**
 * The main gateway event that a join still waits for: the bot's new voice state ('voice-state-update'), the address of
 * the voice server ('voice-server-update'), or both ('admission').
 */
export type SignalingWait = 'admission' | 'voice-state-update' | 'voice-server-update';

/** The event or answer that a pending join still needs, from the main gateway or the voice server. */
export type JoinWait = SignalingWait | 'voice-gateway' | 'ip-discovery' | 'session-description';

const JOIN_WAITS: Readonly<Record<JoinWait, string>> = {
  admission: 'Discord did not answer the request to join',
  'voice-state-update': 'Discord named a voice server, and did not say that the bot is in the channel',
  'voice-server-update': 'Discord let the bot in, and named no voice server',
  'voice-gateway': 'the voice server did not answer over TCP',
  'ip-discovery': 'the voice server did not answer over UDP',
  'session-description': 'the voice server did not confirm the encryption',
};

/** The call's members use end-to-end encryption, and their group did not admit the bot: members would hear nothing. */
export class NoEncryptionGroupError extends Error {
  override name = 'NoEncryptionGroupError';

  constructor() {
    super('The end-to-end encryption group was never ready, nor after another join');
  }
}

export class VoiceJoinError extends Error {
  override name = 'VoiceJoinError';
  readonly kind: VoiceJoinErrorKind;
  readonly closeCode: number | undefined;
  /** The event or answer that the last attempt to join still needed. Only set for the kind 'timeout'. */
  readonly waitedFor: JoinWait | undefined;

  constructor(
    kind: VoiceJoinErrorKind,
    message: string,
    { cause, closeCode, waitedFor }: { cause?: unknown; closeCode?: number; waitedFor?: JoinWait } = {},
  ) {
    super(waitedFor === undefined ? message : `${message}: ${JOIN_WAITS[waitedFor]}`, { cause });
    this.kind = kind;
    this.waitedFor = waitedFor;
    this.closeCode = closeCode;
  }
}

const JOIN_ERRORS: Readonly<Record<SessionEnd['reason'], VoiceJoinError['kind']>> = {
  left: 'aborted',
  'moved-away': 'aborted',
  kicked: 'disconnected',
  'call-ended': 'disconnected',
  'gateway-lost': 'failed',
  failed: 'failed',
};

/** The error of a pending join whose session ended. `waitedFor`: what the last attempt was waiting for. */
export function joinError(
  { reason, error, closeCode }: SessionEnd,
  lastError: Error | undefined,
  waitedFor?: JoinWait,
): VoiceJoinError {
  if (!(error instanceof VoiceJoinError)) {
    return new VoiceJoinError(JOIN_ERRORS[reason], `Joining ended: ${reason}`, { cause: error, closeCode });
  }
  const wait = error.kind === 'timeout' ? waitedFor : undefined;
  const cause = error.cause ?? lastError;
  if (cause === error.cause && wait === undefined) return error;
  return new VoiceJoinError(error.kind, error.message, { cause, closeCode, waitedFor: wait });
}
