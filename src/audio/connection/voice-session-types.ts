import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import type { Logger } from 'pino';
import type { Clip } from '../clips/clip.ts';
import type { PlayOptions, PlayResult } from '../playing/clip-player.ts';
import { REQUEST_BUDGET } from './request-line.ts';

export type { DiscordGatewayAdapterCreator } from '@discordjs/voice';

/**
 * 'left': leave() or closeAll(); 'moved-away': join() to another channel of the same server replaced this session; 'kicked': a
 * moderator disconnected the bot, or its channel was deleted (our own voice state has no channel); 'call-ended': Discord ended
 * the call (close code 4022), and neither our voice state nor a voice server followed; 'gateway-lost': the main gateway
 * connection or the server was lost; 'failed': could not be restored, see closeCode (of the voice gateway) and error.
 */
export interface SessionEnd {
  reason: 'left' | 'moved-away' | 'kicked' | 'call-ended' | 'gateway-lost' | 'failed';
  closeCode?: number;
  error?: Error;
}

/** Whether sent packets are audible: 'pending' while the end-to-end encryption group is being formed. */
export type SessionEncryption = 'pending' | 'end-to-end' | 'transport-only';

/**
 * The present step of a session that is not ready. 'joining': op 4 is sent; 'pausing': left a moment ago, and not yet
 * rejoining; 'no-gateway': the main gateway takes no requests for now; 'resuming': the library resumes, or changes to
 * another voice server; 'asking-why': Discord closed the voice connection, our own voice state or a new voice server will
 * tell the reason; 'awaiting-server': still in the channel, whose next voice server is not yet known.
 */
export type JoinStep = 'joining' | 'pausing' | 'no-gateway' | 'resuming' | 'asking-why' | 'awaiting-server';

/**
 * `attempt`: the number of attempts, including the present one; `rejoins`: recent attempts needed to be ready again;
 * `isLeftBehind`: the encryption group went on without the bot since then.
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
  /** Follows the bot when a moderator moves it. */
  readonly channelId: string;
  readonly state: VoiceSessionState;
  readonly encryption: SessionEncryption;
  /** Plays the clip after those that wait, without a gap between them. Never rejects. */
  play(clip: Clip, options?: PlayOptions): Promise<PlayResult>;
  /**
   * Holds playing and waiting clips, after the silence that ends a spurt, until resume(): nothing is lost or repeated, even
   * when the connection is restored meanwhile. Both idempotent.
   */
  pause(): void;
  resume(): void;
  /** Resolves when packets can be sent, or never will be again: at once, unless it is reconnecting. */
  whenReady(): Promise<void>;
  readonly closed: Promise<SessionEnd>;
  /**
   * A moderator moved the bot to this channel, or it has returned into it over a new connection: on a stage, Discord has
   * moved it into the audience in both cases.
   */
  onArrived(listener: (channelId: string) => void): void;
  /**
   * Valid for the bot's present stay in a channel: aborted when it is moved, when its connection is restored, and at the
   * end. Replaced at the next arrival.
   */
  readonly stay: AbortSignal;
  /**
   * Holds playing and waiting clips until the bot is audible in its channel; when `audible` rejects, they are truncated for
   * that reason. The latest call counts, and only for the present stay.
   */
  holdUntil(audible: Promise<unknown>): void;
  /** Stops what is playing, leaves the channel and closes. Idempotent. */
  leave(): Promise<void>;
}

export interface JoinTarget {
  guildId: string;
  channelId: string;
  adapterCreator: DiscordGatewayAdapterCreator;
  /** The shard of the server, whose requests share one budget. */
  shardId: number;
  /**
   * The channel in which the main gateway's cache has the bot: null when in none or in a deleted one, undefined when it has
   * nothing on it, as after a new main session.
   */
  knownChannel: () => string | null | undefined;
  /** Whether the main gateway is connected: what Discord tells of our voice comes only then. */
  isGatewayConnected: () => boolean;
}

export interface SessionJoinOptions {
  signal?: AbortSignal;
  /** Deadline of all attempts together. Default 20 s: three attempts of 6 s and the pauses between them. */
  deadlineMs?: number;
  /**
   * What a new session needs to be heard where it arrives first; undefined: nothing. Asked for before anything is sent, which
   * waits for it as for holdUntil().
   */
  audible?: (stay: AbortSignal) => Promise<unknown> | undefined;
}

export interface VoiceSessions {
  /**
   * Joins and resolves once packets can be sent. A session already in that channel is returned as it is; one in another
   * channel of the server is closed as 'moved-away' first. Rejects with a VoiceJoinError.
   */
  join(target: JoinTarget, options?: SessionJoinOptions): Promise<VoiceSession>;
  get(guildId: string): VoiceSession | undefined;
  /**
   * For a channel in which the bot is without a session: sends the request to leave when it is its turn among those of the
   * sessions. `send` returns false when it has sent nothing.
   */
  leaveStale(guildId: string, shardId: number, send: () => boolean): void;
  /** The number of joined sessions, and of those that are sending packets. */
  census(): { readonly joined: number; readonly speaking: number };
  /** Leaves every channel. Idempotent. */
  closeAll(): Promise<void>;
}

export const SESSION_TIMES = {
  /** One attempt to join, from op 4 to ready. */
  attemptTimeoutMs: 6_000,
  /** Attempts to join, and to rejoin after a loss. */
  maxAttempts: 3,
  /** Pause between leaving a server's channel and joining there again; Discord ignores a rejoin that comes sooner. */
  rejoinDelayMs: 600,
  /** Until Discord explains a closed voice connection, or names the next voice server: both take seconds on a plain move. */
  explanationTimeoutMs: 9_000,
  /** How long an audible packet waits for the end-to-end encryption group before the bot joins the channel again. */
  encryptionTimeoutMs: 5_000,
  /** How many op 4 each shard sends, of all its servers together, with a session or not. */
  requestBudget: REQUEST_BUDGET,
};
export type SessionTimes = typeof SESSION_TIMES;

export interface VoiceSessionsOptions {
  log: Logger;
  /** Asked before each packet; once it says no, nothing more is heard. Default: yes. */
  maySpeak?: () => boolean;
  /** Called after every clip. `lostCount`: packets that existed and were never sent, though the clip was not stopped. */
  onPlayed?: (played: PlayResult & { readonly lostCount: number; readonly guildId: string }) => void;
  /** Called with the end of each join. */
  onJoin?: (join: { readonly guildId: string; readonly outcome: 'joined' | VoiceJoinErrorKind }) => void;
  /** Runs with the number of packets that were sent but did not arrive. */
  onUnheard?: (packets: number) => void;
  /** Times that differ from SESSION_TIMES. */
  times?: Partial<SessionTimes>;
}

/**
 * 'timeout': Discord did not answer (also for a full channel or a missing permission); 'refused': it closed the voice
 * connection and forbade rejoining; 'disconnected': the bot was disconnected, its channel was deleted or the call ended before
 * it was ready; 'encryption': no common encryption mode; 'no-route': this machine has no way to the voice server, which has an
 * IPv4 address; 'aborted': by the signal or because the session was closed meanwhile; 'gateway-unavailable': the main gateway
 * took no request; 'busy': our own line of requests was too long.
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

/** The main gateway events that are missing: both, or the one named. */
export type SignalingWait = 'admission' | 'voice-state-update' | 'voice-server-update';

/** What a pending attempt to join was waiting for: the main gateway's events, or one of the voice server's answers. */
export type JoinWait = SignalingWait | 'voice-gateway' | 'ip-discovery' | 'session-description';

const JOIN_WAITS: Readonly<Record<JoinWait, string>> = {
  admission: 'Discord did not answer the request to join',
  'voice-state-update': 'Discord named a voice server, and did not say that the bot is in the channel',
  'voice-server-update': 'Discord let the bot in, and named no voice server',
  'voice-gateway': 'the voice server did not answer over TCP',
  'ip-discovery': 'the voice server did not answer over UDP',
  'session-description': 'the voice server did not confirm the encryption',
};

/** The call's members use end-to-end encryption, and no group of theirs admitted the bot: they would hear nothing. */
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
  /** With kind 'timeout' only. */
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

/** The error of a pending join when the session ends first. `waitedFor`: by the last attempt. */
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
