import type { Text, TextKey, ValuesOf } from '../texts/catalogue.ts';

/** Why a text was not spoken to its end, in a few words for moderators. */
export type SpokenCause =
  Extract<TextKey, `moderation.cause.${string}`> extends `moderation.cause.${infer Cause}` ? Cause : never;

interface RefusalFacts {
  /** Its words; absent where the error has words of its own. */
  readonly key?: TextKey;
  readonly cause?: SpokenCause;
  /** No message, or none of a kind, can be read aloud until someone does what the text says. */
  readonly isLasting?: true;
  /** The bot was put out of the channel, or could not be heard there: a text that is paid for can be spoken again. */
  readonly isCutOff?: true;
  /** The process ends: what was not spoken is spoken by the next one. */
  readonly isEndOfProcess?: true;
}

/** Refusals and failures in words for members, as far as anything but their words depends on them. */
const REFUSALS = {
  // By the server's rules.
  'member-muted': { key: 'refused.member-muted', cause: 'muted' },
  'blocked-role': { key: 'refused.blocked-role', cause: 'role' },
  'role-needed': { key: 'refused.role-needed', cause: 'role' },
  'not-spoken-there': { key: 'refused.not-spoken-there', isCutOff: true },
  'blocked-word': { cause: 'blocked' },
  'opted-out': { key: 'speak-message.opted-out', cause: 'opted-out' },
  'spending-limit': { cause: 'limit', isLasting: true },
  'lost-audio': { key: 'refused.lost-sounds', cause: 'speech', isLasting: true },
  // By the queue.
  'queue-full': { key: 'refused.queue-full' },
  'own-queue-full': { key: 'refused.own-queue-full' },
  stopped: { key: 'play.stopped' },
  // No voice can be chosen.
  'no-voices': { key: 'refused.no-voices', isLasting: true },
  'none-allowed': { key: 'refused.none-allowed', isLasting: true },
  'nobody-speaks': { key: 'reading.nobody-speaks', isLasting: true },
  'forced-cannot-speak': { key: 'reading.forced-cannot-speak', isLasting: true },
  'usual-cannot-speak': { key: 'reading.usual-cannot-speak', isLasting: true },
  // By the channel.
  'afk-channel': { key: 'refused.afk', isLasting: true },
  'channel-full': { key: 'refused.channel-full', isLasting: true },
  'missing-permissions': { key: 'refused.missing-permissions', isLasting: true },
  stage: { key: 'refused.stage', isLasting: true },
  'server-muted': { key: 'refused.muted', isLasting: true },
  'timed-out': { key: 'refused.timed-out', isLasting: true },
  // While it was to be spoken.
  kicked: { key: 'play.kicked', cause: 'kicked', isCutOff: true },
  'channel-gone': { key: 'play.channel-gone', cause: 'channel-gone', isCutOff: true },
  'server-left': { key: 'play.server-left', isCutOff: true },
  'nobody-listening': { key: 'play.nobody-listening', cause: 'nobody-listening', isCutOff: true },
  'nobody-after-restart': { key: 'resumed.nobody', cause: 'nobody-listening' },
  'paused-too-long': { key: 'play.paused-too-long', cause: 'paused-too-long', isCutOff: true },
  'put-into-audience': { key: 'play.put-into-audience', cause: 'audience', isCutOff: true },
  'held-back': { key: 'play.held-back', isCutOff: true },
  'connection-lost': { key: 'play.connection-lost', cause: 'connection', isCutOff: true },
  unheard: { key: 'play.unheard', cause: 'connection', isCutOff: true },
  'encryption-lost': { key: 'play.encryption-lost', cause: 'connection', isCutOff: true },
  unacknowledged: { key: 'play.unacknowledged', isCutOff: true },
  unanswered: { key: 'play.unanswered', isCutOff: true },
  // By the process.
  stopping: { key: 'refused.stopping', cause: 'stopping', isEndOfProcess: true },
  'session-ended': { key: 'refused.session-ended', isEndOfProcess: true },
} as const satisfies Readonly<Record<string, RefusalFacts>>;

export type RefusalKind = keyof typeof REFUSALS;

/** The words of a refusal or failure, and what kind it is. */
export interface Refusal extends Text {
  readonly kind: RefusalKind;
}

type Worded = { [K in RefusalKind]: (typeof REFUSALS)[K] extends { readonly key: TextKey } ? K : never }[RefusalKind];

/** A refusal or failure of this kind, with the values its words need. */
export function refusal<K extends Worded>(kind: K, ...values: ValuesOf<(typeof REFUSALS)[K]['key']>): Refusal {
  return { key: REFUSALS[kind].key, values: (values[0] ?? {}) as Text['values'], kind };
}

/** The kind of a refusal; undefined if only its text matters. */
export function kindOf(told: Text | undefined): RefusalKind | undefined {
  return told && 'kind' in told ? (told as Refusal).kind : undefined;
}

/** What depends on a refusal of this kind. */
export const refusalFacts = (kind: RefusalKind | undefined): RefusalFacts => (kind === undefined ? {} : REFUSALS[kind]);

/** For moderators; undefined for what is no cause. */
export const causeToldBy = (told: Text): SpokenCause | undefined => refusalFacts(kindOf(told)).cause;
