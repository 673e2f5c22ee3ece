import type { VoiceJoinError } from '../audio/connection/voice-session-types.ts';
import type { Text, TextKey, ValuesOf } from '../texts/catalog.ts';

/** Why a text was not spoken in full, as a short text for moderators. */
export type SpokenCause =
  Extract<TextKey, `moderation.cause.${string}`> extends `moderation.cause.${infer Cause}` ? Cause : never;

/**
 * The effect of a refusal on other texts, or on another attempt; undefined if there is none.
 * - 'lasting': until the problem is fixed, the bot refuses other messages, too, or at least some of them.
 * - 'cut-off': the bot had to leave or was not heard; a text that is paid for can be spoken again.
 * - 'end-of-process': unspoken texts are spoken after the restart.
 */
export type Effect = 'lasting' | 'cut-off' | 'end-of-process';

interface RefusalFacts {
  readonly key?: TextKey;
  readonly cause?: SpokenCause;
  readonly effect?: Effect;
}

const REFUSALS = {
  // Reasons to refuse a text by a rule.
  'member-muted': { key: 'refused.member-muted', cause: 'muted' },
  'blocked-role': { key: 'refused.blocked-role', cause: 'role' },
  'role-needed': { key: 'refused.role-needed', cause: 'role' },
  'not-spoken-there': { key: 'refused.not-spoken-there', effect: 'cut-off' },
  'blocked-word': { cause: 'blocked' },
  'opted-out': { key: 'speak-message.opted-out', cause: 'opted-out' },
  'spending-limit': { cause: 'limit', effect: 'lasting' },
  'lost-audio': { key: 'refused.lost-sounds', cause: 'speech', effect: 'lasting' },
  'queue-full': { key: 'refused.queue-full' },
  'own-queue-full': { key: 'refused.own-queue-full' },
  stopped: { key: 'play.stopped' },
  // Reasons to refuse a text because no voice can be chosen for it.
  'no-voices': { key: 'refused.no-voices', effect: 'lasting' },
  'none-allowed': { key: 'refused.none-allowed', effect: 'lasting' },
  'nobody-speaks': { key: 'reading.nobody-speaks', effect: 'lasting' },
  'forced-cannot-speak': { key: 'reading.forced-cannot-speak', effect: 'lasting' },
  'usual-cannot-speak': { key: 'reading.usual-cannot-speak', effect: 'lasting' },
  // Reasons to refuse a text because the bot cannot join the voice channel or cannot speak in it.
  'afk-channel': { key: 'refused.afk', effect: 'lasting' },
  'channel-full': { key: 'refused.channel-full', effect: 'lasting' },
  'missing-permissions': { key: 'refused.missing-permissions', effect: 'lasting' },
  stage: { key: 'refused.stage', effect: 'lasting' },
  'server-muted': { key: 'refused.muted', effect: 'lasting' },
  'timed-out': { key: 'refused.timed-out', effect: 'lasting' },
  // Reasons why an accepted text was not spoken to its end.
  kicked: { key: 'play.kicked', cause: 'kicked', effect: 'cut-off' },
  'channel-gone': { key: 'play.channel-gone', cause: 'channel-gone', effect: 'cut-off' },
  'server-left': { key: 'play.server-left', effect: 'cut-off' },
  'nobody-listening': { key: 'play.nobody-listening', cause: 'nobody-listening', effect: 'cut-off' },
  'nobody-after-restart': { key: 'resumed.nobody', cause: 'nobody-listening' },
  'paused-too-long': { key: 'play.paused-too-long', cause: 'paused-too-long', effect: 'cut-off' },
  'put-into-audience': { key: 'play.put-into-audience', cause: 'audience', effect: 'cut-off' },
  'held-back': { key: 'play.held-back', effect: 'cut-off' },
  'connection-lost': { key: 'play.connection-lost', cause: 'connection', effect: 'cut-off' },
  unheard: { key: 'play.unheard', cause: 'connection', effect: 'cut-off' },
  'encryption-lost': { key: 'play.encryption-lost', cause: 'connection', effect: 'cut-off' },
  unanswered: { key: 'play.unanswered', effect: 'cut-off' },
  // Reasons to refuse or stop texts because the bot's process ends.
  stopping: { key: 'refused.stopping', cause: 'stopping', effect: 'end-of-process' },
  'session-ended': { key: 'refused.session-ended', effect: 'end-of-process' },
} as const satisfies Readonly<Record<string, RefusalFacts>>;

export type RefusalKind = keyof typeof REFUSALS;

interface Refusal extends Text {
  readonly kind: RefusalKind;
}

type Worded = { [K in RefusalKind]: (typeof REFUSALS)[K] extends { readonly key: TextKey } ? K : never }[RefusalKind];

export function refusal<K extends Worded>(kind: K, ...values: ValuesOf<(typeof REFUSALS)[K]['key']>): Refusal {
  return { key: REFUSALS[kind].key, values: (values[0] ?? {}) as Text['values'], kind };
}

export function kindOf(told: Text | undefined): RefusalKind | undefined {
  return told && 'kind' in told ? (told as Refusal).kind : undefined;
}

export const refusalFacts = (kind: RefusalKind | undefined): RefusalFacts => (kind === undefined ? {} : REFUSALS[kind]);

export const causeToldBy = (told: Text): SpokenCause | undefined => refusalFacts(kindOf(told)).cause;

interface UserErrorOptions extends ErrorOptions {
  readonly toOthers?: Text;
  /** The kind of refusal, for kinds with several texts, such as 'blocked-word'. A `Refusal` contains its kind and needs no option. */
  readonly kind?: RefusalKind;
}

/** A refusal or failure whose text tells the member what to do. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly text: Text;
  readonly kind: RefusalKind | undefined;
  /** The text for other members, if only the requester is to see the main text. */
  readonly toOthers: Text | undefined;

  constructor(content: Text | Refusal, { toOthers, kind, ...options }: UserErrorOptions = {}) {
    super(content.key, options);
    this.text = content;
    this.kind = kind ?? ('kind' in content ? content.kind : undefined);
    this.toOthers = toOthers;
  }
}

export type Cost =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'used';
      readonly credits: number;
      readonly requestId?: string;
      /** Set if the answer to another paid request was lost, so that the text may have cost more than `credits`. */
      readonly mayBeMore?: true;
    }
  | { readonly kind: 'unknown' };

/** Thrown if an accepted text was not fully spoken or made into a file. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** The voice channel in which to speak the text; undefined if the text was to become a file. */
  readonly channelId: string | undefined;
  readonly cost: Cost;
  readonly wasHeard: boolean;

  constructor(channelId: string | undefined, cost: Cost, cause: unknown, wasHeard = false) {
    super('An utterance could not be delivered', { cause });
    this.channelId = channelId;
    this.cost = cost;
    this.wasHeard = wasHeard;
  }
}

export class JoinError extends Error {
  override readonly name = 'JoinError';
  readonly channelId: string;
  override readonly cause: VoiceJoinError;

  constructor(channelId: string, cause: VoiceJoinError) {
    super('A channel could not be joined', { cause });
    this.channelId = channelId;
    this.cause = cause;
  }
}

/** Thrown if a part of a text could not be generated, but all parts before it were. */
export class PartError extends Error {
  override readonly name = 'PartError';
  readonly part: number;
  readonly parts: number;

  constructor(part: number, parts: number, cause: unknown) {
    super(`Part ${part} of ${parts} could not be made`, { cause });
    this.part = part;
    this.parts = parts;
  }
}

export function causeOf(error: unknown): unknown {
  return error instanceof DeliveryError || error instanceof PartError ? causeOf(error.cause) : error;
}

/** Thrown if the store did not answer in time or at all. A write may still have happened. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
}
