import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import type { Logger } from 'pino';
import type { Clip } from '../clips/clip.ts';
import type { PlayOptions, PlayResult } from '../playing/clip-player.ts';
import { REQUEST_BUDGET } from './request-line.ts';

export type { DiscordGatewayAdapterCreator } from '@discordjs/voice';

/**
 * Why a voice session ended. 'left': the bot left by itself. 'moved-away': the bot joined another channel of the
 * server. 'kicked': a moderator disconnected the bot, or its channel was deleted. 'call-ended': Discord ended the call
 * (close code 4022). 'gateway-lost': the main gateway connection or the server was lost. 'failed': the connection could
 * not be restored; see `error` and the voice gateway's `closeCode`.
 */
export interface SessionEnd {
  reason: 'left' | 'moved-away' | 'kicked' | 'call-ended' | 'gateway-lost' | 'failed';
  closeCode?: number;
  error?: Error;
}

/**
 * Whether listeners can hear sent packets. 'pending': not yet, for example while the end-to-end encryption group is
 * being formed. 'end-to-end' and 'transport-only': yes, with or without end-to-end encryption.
 */
export type SessionEncryption = 'pending' | 'end-to-end' | 'transport-only';

/**
 * What a voice session does while it is not ready. 'joining': the bot has requested to join. 'pausing': the bot has
 * just left and will rejoin. 'no-gateway': the main gateway takes no requests now. 'resuming': @discordjs/voice
 * resumes, or changes the voice server. 'asking-why': Discord closed the voice connection and has not explained it yet.
 * 'awaiting-server': the bot is in the channel, and Discord has yet to name the voice server.
 */
export type JoinStep = 'joining' | 'pausing' | 'no-gateway' | 'resuming' | 'asking-why' | 'awaiting-server';

/**
 * A voice session's state. `attempt` is the number of the current attempt to join. `rejoins` counts the attempts since
 * the connection was last stable. `isLeftBehind`: the encryption group continued without the bot, which will rejoin
 * later because some listeners hear nothing.
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
  /**
   * Plays the clip after all waiting clips, without a gap. Resolves with the result when the clip has ended, and never
   * rejects.
   */
  play(clip: Clip, options?: PlayOptions): Promise<PlayResult>;
  /**
   * Holds all clips until resume(). Nothing is lost or repeated, even if the connection is restored meanwhile.
   * Idempotent.
   */
  pause(): void;
  resume(): void;
  /** Resolves when the session can send voice packets, or when it has closed. */
  whenReady(): Promise<void>;
  readonly closed: Promise<SessionEnd>;
  /**
   * Calls `listener` when a moderator moved the bot to another channel, or when the bot came back over a new
   * connection. On a stage, the bot is then in the audience.
   */
  onArrived(listener: (channelId: string) => void): void;
  /**
   * Aborts when the bot's current stay in a channel ends: it was moved, its connection was restored, or the session
   * closed.
   */
  readonly stay: AbortSignal;
  /**
   * Holds all clips until `audible` resolves, for example until a moderator invites the bot to speak on a stage. If
   * `audible` rejects, the clips end as truncated. A later call replaces an earlier call. When the bot is moved or its
   * connection is restored, the hold ends.
   */
  holdUntil(audible: Promise<unknown>): void;
  leave(): Promise<void>;
}

export interface JoinTarget {
  guildId: string;
  channelId: string;
  adapterCreator: DiscordGatewayAdapterCreator;
  /** All Discord servers of a shard share one budget of voice requests. */
  shardId: number;
  /**
   * The bot's voice channel in the main gateway's cache. Null: no channel or a deleted channel. Undefined: the cache is
   * empty, as after a new main gateway session.
   */
  knownChannel: () => string | null | undefined;
  /** False while the main gateway is away: Discord's news of the bot's voice state does not arrive then. */
  isGatewayConnected: () => boolean;
}

export interface SessionJoinOptions {
  signal: AbortSignal;
  /**
   * Makes the bot audible after it has joined, for example by a request to speak on a stage. No packet is sent until
   * the returned promise resolves. Returns undefined if the bot is already audible.
   */
  audible(stay: AbortSignal): Promise<unknown> | undefined;
}

export interface VoiceSessions {
  /**
   * Joins a voice channel, and resolves once packets can be sent. An existing session in the channel is returned; a
   * session in another channel of the server ends as 'moved-away'. Rejects with a VoiceJoinError.
   */
  join(target: JoinTarget, options: SessionJoinOptions): Promise<VoiceSession>;
  get(guildId: string): VoiceSession | undefined;
  /**
   * Leaves a channel in which the bot has no session. The request may have to wait for the budget of requests. `send`
   * returns false if it sent nothing.
   */
  leaveStale(guildId: string, shardId: number, send: () => boolean): void;
  census(): { readonly joined: number; readonly speaking: number };
  closeAll(): Promise<void>;
}

export const SESSION_TIMES = {
  /** The time limit of one attempt to join, from the request (op 4) until voice packets can be sent. */
  attemptTimeoutMs: 6_000,
  maxAttempts: 3,
  /**
   * The pause between leaving a channel and joining again in the same server: Discord ignores a request that comes
   * sooner.
   */
  rejoinDelayMs: 600,
  /**
   * How long Discord may take to explain a closed voice connection or to name the next voice server. Even on a plain
   * move, both can take seconds.
   */
  explanationTimeoutMs: 9_000,
  /** How long an audible packet waits for the end-to-end encryption group before the bot joins the channel again. */
  encryptionTimeoutMs: 5_000,
  requestBudget: REQUEST_BUDGET,
};
export type SessionTimes = typeof SESSION_TIMES;

export interface VoiceSessionsOptions {
  log: Logger;
  /**
   * Asked before each voice packet. If this process is no longer allowed to send, the packet is not sent and the player
   * stops.
   */
  maySpeak: () => boolean;
  /** Called after every clip. `lostCount`: packets that were never sent although nobody stopped the clip. */
  onPlayed: (played: PlayResult & { readonly lostCount: number; readonly guildId: string }) => void;
  onJoin: (join: { readonly guildId: string; readonly outcome: 'joined' | VoiceJoinErrorKind }) => void;
  /**
   * Called with the number of voice packets that were sent but did not reach the voice server. The bot then sends them
   * again.
   */
  onUnheard: (packets: number) => void;
  times?: Partial<SessionTimes>;
}

/**
 * Why joining a voice channel failed. 'timeout': Discord did not answer (also for a full channel or a missing
 * permission). 'refused': Discord denied the voice connection twice. 'disconnected': the bot was kicked, its channel
 * was deleted or the call ended. 'encryption': no common encryption mode. 'no-route': this machine has no IPv4 route to
 * the voice server. 'aborted': the caller gave up or closed the session. 'gateway-unavailable': the main gateway took
 * no request. 'busy': too many requests of other servers came first.
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
 * What a join still needs from the main gateway: the bot's new voice state ('voice-state-update'), the voice server's
 * address ('voice-server-update'), or both ('admission').
 */
export type SignalingWait = 'admission' | 'voice-state-update' | 'voice-server-update';

export type JoinWait = SignalingWait | 'voice-gateway' | 'ip-discovery' | 'session-description';

const JOIN_WAITS: Readonly<Record<JoinWait, string>> = {
  admission: 'Discord did not answer the request to join',
  'voice-state-update': 'Discord named a voice server, and did not say that the bot is in the channel',
  'voice-server-update': 'Discord let the bot in, and named no voice server',
  'voice-gateway': 'the voice server did not answer over TCP',
  'ip-discovery': 'the voice server did not answer over UDP',
  'session-description': 'the voice server did not confirm the encryption',
};

/** The call's members use end-to-end encryption, but their group did not admit the bot: nobody would hear it. */
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
  /** The event or answer that the last attempt to join still needed; only set for the kind 'timeout'. */
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

/** The error of a join whose session ended before it was ready. `waitedFor`: what the last attempt still needed. */
export function joinError(
  { reason, error, closeCode }: SessionEnd,
  lastError: Error | undefined,
  waitedFor: JoinWait | undefined,
): VoiceJoinError {
  if (!(error instanceof VoiceJoinError)) {
    return new VoiceJoinError(JOIN_ERRORS[reason], `Joining ended: ${reason}`, { cause: error, closeCode });
  }
  const wait = error.kind === 'timeout' ? waitedFor : undefined;
  const cause = error.cause ?? lastError;
  if (cause === error.cause && wait === undefined) return error;
  return new VoiceJoinError(error.kind, error.message, { cause, closeCode, waitedFor: wait });
}
