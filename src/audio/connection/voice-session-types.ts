import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import type { Logger } from 'pino';
import type { Clip } from '../clips/clip.ts';
import type { PlayResult } from '../playing/clip-player.ts';

export type { DiscordGatewayAdapterCreator } from '@discordjs/voice';

export type SessionEndReason =
  /** leave() or closeAll(). */
  | 'left'
  /** join() to another channel of the same server took this session's place. */
  | 'moved-away'
  /** A moderator disconnected the bot, or its channel is gone: our own voice state says we are in no channel. */
  | 'kicked'
  /** Discord ended the call and said not to come back (close codes 4021, 4022). */
  | 'call-ended'
  /** The main gateway or the server went away below us. */
  | 'gateway-lost'
  /** Could not be kept up: see closeCode and error. */
  | 'failed';

export interface SessionEnd {
  reason: SessionEndReason;
  /** Close code of the voice gateway, when it closed. */
  closeCode?: number;
  error?: Error;
}

/** Whether listeners hear what is sent now: 'pending' while the end-to-end encryption group is being formed. */
export type SessionEncryption = 'pending' | 'end-to-end' | 'transport-only';

/**
 * What a session that is not ready is busy with. 'joining': op 4 is sent; 'pausing': left a moment ago, and not yet
 * asking to be let in again; 'no-gateway': the main gateway takes no requests for now; 'resuming': the library resumes, or changes to another
 * voice server; 'asking-why': Discord closed the voice connection, our own voice state will say why.
 */
export type JoinStep = 'joining' | 'pausing' | 'no-gateway' | 'resuming' | 'asking-why';

/** `attempt`: how many there have been, the one under way included; `rejoins`: how many it took to be ready again, of late. */
export type VoiceSessionState =
  | { status: 'connecting'; step: JoinStep; attempt: number; closeCode?: number }
  | { status: 'ready'; rejoins?: number }
  | { status: 'reconnecting'; step: JoinStep; attempt: number; closeCode?: number }
  | { status: 'closed'; end: SessionEnd };

export interface VoiceSession {
  readonly guildId: string;
  /** Follows the bot when a moderator moves it. */
  readonly channelId: string;
  readonly state: VoiceSessionState;
  readonly encryption: SessionEncryption;
  /** Plays the clip after those already waiting, without a gap between them. Never rejects. */
  play(clip: Clip, options?: { signal?: AbortSignal }): Promise<PlayResult>;
  /**
   * Holds what plays and what waits after the silence that ends a spurt, until resume(): nothing is lost or repeated, also
   * when the connection is made anew meanwhile. Both idempotent.
   */
  pause(): void;
  resume(): void;
  /** Resolves when the session is over, however it ended. */
  readonly closed: Promise<SessionEnd>;
  /**
   * A moderator moved the bot to this channel, or it has come back into it over a new connection: on a stage, Discord has
   * put it into the audience either way.
   */
  onArrived(listener: (channelId: string) => void): void;
  /**
   * For what concerns only where the bot is now: aborted when it is moved away, when its connection is made anew, and at
   * the end. Another one from the next arrival on.
   */
  readonly stay: AbortSignal;
  /**
   * Holds what plays and what waits until the bot is audible where it is now; where it comes to nothing they are truncated
   * for that reason. The latest one decides, and none beyond its stay.
   */
  holdUntil(audible: Promise<unknown>): void;
  /** Stops what is playing, leaves the channel and closes. Idempotent. */
  leave(): Promise<void>;
}

export interface JoinTarget {
  guildId: string;
  channelId: string;
  adapterCreator: DiscordGatewayAdapterCreator;
}

export interface SessionJoinOptions {
  signal?: AbortSignal;
  /** Time for all attempts together. Default 20 s: three attempts of 6 s and the pauses between them. */
  deadlineMs?: number;
}

export interface VoiceSessions {
  /**
   * Joins and resolves once packets can be sent. A session already in that channel is returned as it is; one in another
   * channel of the server is closed as 'moved-away' first. Rejects with a VoiceJoinError.
   */
  join(target: JoinTarget, options?: SessionJoinOptions): Promise<VoiceSession>;
  get(guildId: string): VoiceSession | undefined;
  /** How many are in their channel, and how many packets are being sent to. */
  census(): { readonly joined: number; readonly speaking: number };
  /** Leaves every channel. Idempotent. */
  closeAll(): Promise<void>;
}

/** How playing a clip went, for those who count. */
export interface PlayAccount extends PlayResult {
  skippedCount: number;
  /** Packets of it that were there and never sent, though nobody had stopped it. */
  lostCount: number;
}

export interface VoiceSessionsOptions {
  log: Logger;
  /** Called after every clip. */
  onPlayed?: (account: PlayAccount) => void;
  /** One attempt to join, from op 4 to ready. Default 6 s. */
  attemptTimeoutMs?: number;
  /** Attempts to join, and to get back in after a loss. Default 3. */
  maxAttempts?: number;
  /** Pause between leaving a server's channel and joining there again; Discord ignores a rejoin that comes sooner. Default 600 ms. */
  rejoinDelayMs?: number;
  /** How long the first audible packet waits for the end-to-end encryption group. Default 5 s. */
  encryptionTimeoutMs?: number;
}

/**
 * 'timeout': Discord did not answer (a full channel or a missing permission looks like this too); 'refused': it closed
 * the voice connection and said not to come back; 'put-out': it was kicked, its channel is gone or the call was ended before
 * it was quite there; 'encryption': no common way to encrypt; 'aborted': by the signal or because the session was closed
 * meanwhile; 'gateway-unavailable': the main gateway took no request.
 */
export type VoiceJoinErrorKind =
  | 'timeout'
  | 'refused'
  | 'put-out'
  | 'encryption'
  | 'aborted'
  | 'gateway-unavailable'
  | 'failed';

export class VoiceJoinError extends Error {
  override name = 'VoiceJoinError';
  readonly kind: VoiceJoinErrorKind;
  readonly closeCode?: number;

  constructor(kind: VoiceJoinErrorKind, message: string, options: { cause?: unknown; closeCode?: number } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.kind = kind;
    if (options.closeCode !== undefined) this.closeCode = options.closeCode;
  }
}
