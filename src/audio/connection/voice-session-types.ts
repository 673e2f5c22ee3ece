import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import type { Logger } from 'pino';
import type { PlayResult } from '../playing/clip-player.ts';

/**
 * 'moved-away': the bot joined another channel of the server. 'kicked': a moderator disconnected the bot, or its
 * channel was deleted. 'gateway-lost': the main gateway connection or the server was lost.
 */
export interface SessionEnd {
  reason: 'left' | 'moved-away' | 'kicked' | 'call-ended' | 'gateway-lost' | 'failed';
  closeCode?: number;
  error?: Error;
}

/**
 * 'pausing': the bot has just left and will rejoin. 'no-gateway': the main gateway takes no requests now. 'asking-why':
 * Discord has not explained a closed connection yet. 'awaiting-server': Discord has yet to name the voice server.
 */
export type JoinStep = 'joining' | 'pausing' | 'no-gateway' | 'resuming' | 'asking-why' | 'awaiting-server';

/**
 * `rejoins` counts the attempts since the connection was last stable. `isLeftBehind`: the encryption group continued
 * without the bot, which will rejoin later because some listeners hear nothing.
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

export interface JoinTarget {
  guildId: string;
  channelId: string;
  adapterCreator: DiscordGatewayAdapterCreator;
  /** All Discord servers of a shard share one budget of voice requests. */
  shardId: number;
  /** The bot's cached voice channel: null for none, undefined without a voice state, as in a new gateway session. */
  knownChannel: () => string | null | undefined;
  /** False while the main gateway is away: Discord's news of the bot's voice state does not arrive then. */
  isGatewayConnected: () => boolean;
}

export interface SessionJoinOptions {
  signal: AbortSignal;
  /** Called when the session is first ready. Packets wait for the returned promise, for example until the bot may speak on a stage. */
  audible(stay: AbortSignal): Promise<unknown> | undefined;
}

/**
 * Discord closes a shard's connection (4008) after more than 120 messages a minute. discord.js delays messages from 115
 * on, and a delayed request cannot be withdrawn. https://discord.com/developers/docs/events/gateway#rate-limiting
 */
export const REQUEST_BUDGET = { limit: 100, perMs: 65_000 };

export const SESSION_TIMES = {
  /** The time limit of one attempt to join, from the request (op 4) until voice packets can be sent. */
  attemptTimeoutMs: 6_000,
  maxAttempts: 3,
  /** Discord ignores a request to join within this time after the bot has left a channel of the server. */
  rejoinDelayMs: 600,
  /** How long the bot waits for Discord to explain a closed connection or to name a voice server: even a plain move may take seconds. */
  explanationTimeoutMs: 9_000,
  /** How long an audible packet waits for the end-to-end encryption group before the bot joins the channel again. */
  encryptionTimeoutMs: 5_000,
  requestBudget: REQUEST_BUDGET,
};
export type SessionTimes = typeof SESSION_TIMES;

/** `lostCount`: packets of the clip that were never sent although nobody stopped the clip. */
export type PlayedClip = PlayResult & { readonly lostCount: number; readonly guildId: string };

export interface VoiceSessionsOptions {
  log: Logger;
  /** Asked before each voice packet. If false, the packet is not sent and the player stops. */
  maySpeak: () => boolean;
  /** Called after every clip. */
  onPlayed: (played: PlayedClip) => void;
  onJoin: (join: { readonly guildId: string; readonly outcome: 'joined' | VoiceJoinErrorKind }) => void;
  /** Called with the number of sent packets that did not arrive. The bot then sends them again. */
  onUnheard: (packets: number) => void;
  times?: Partial<SessionTimes>;
}

/**
 * 'timeout': Discord did not answer (also for a full channel or a missing permission). 'refused': Discord denied the
 * connection twice. 'aborted': the caller gave up. 'busy': too many requests of other servers came first.
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
