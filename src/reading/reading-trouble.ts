import { type Circumstances, explain } from '../errors/explain.ts';
import { StoreError } from '../errors/store-error.ts';
import { causeOf, DeliveryError, UserError } from '../errors/user-errors.ts';
import { StoppedByMember } from '../services/queue/utterance.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import { SpendingLimitError } from '../services/spending/spending.ts';
import { BlockedWordError } from '../services/text/spoken-text.ts';
import { DeadlineError } from '../services/time/deadline.ts';
import { SpeechError, type SpeechErrorKind } from '../speech/errors.ts';
import { type Text, type TextKey, text } from '../texts/catalogue.ts';

/** How to report a message that was not read. */
type Trouble =
  /** Intended: nothing to report. */
  | { readonly kind: 'none'; readonly why: string }
  /** Members can fix it: posted into the channel of the message. */
  | {
      readonly kind: 'told';
      readonly why: string;
      readonly words: Text;
      /** Only this author's messages are affected. */
      readonly isAuthorsOwn?: true;
    }
  /** For the operator's log. */
  | { readonly kind: 'logged'; readonly error: unknown };

/** Failures of a single text, and intended ones. */
const OF_ONE_TEXT: readonly SpeechErrorKind[] = [
  'aborted',
  'content-policy',
  'input-too-long',
  'rate-limited',
  'unsupported-format',
  'unsupported-language',
  'voice-not-found',
];

/** The reason why no message, or none of a kind, can be read, with instructions. */
const LASTING: readonly TextKey[] = [
  'reading.forced-cannot-speak',
  'reading.nobody-speaks',
  'reading.usual-cannot-speak',
  'refused.afk',
  'refused.channel-full',
  'refused.lost-sounds',
  'refused.missing-permissions',
  'refused.muted',
  'refused.no-voices',
  'refused.none-allowed',
  'refused.spending',
  'refused.spending.never',
  'refused.spending.off',
  'refused.stage',
  'refused.timed-out',
];

/** Of the break between two texts and the number in ten seconds, it names the one that lets fewer of them be spoken. */
export function comesTooSoon(
  { textsInTenSeconds: count, cooldownSeconds }: Pick<ServerRules, 'textsInTenSeconds' | 'cooldownSeconds'>,
  isAdmin: boolean,
): UserError {
  const isBreak = !isAdmin && cooldownSeconds * count > 10;
  return new UserError(
    isBreak ? text('reading.too-soon', { seconds: cooldownSeconds }) : text('reading.too-many', { count }),
  );
}

export function troubleOf(thrown: unknown, circumstances: Circumstances): Trouble {
  const error = causeOf(thrown);
  if (error instanceof BlockedWordError || error instanceof StoppedByMember) return none(error.name);
  if (error instanceof UserError) {
    const { key } = error.text;
    if (error instanceof SpendingLimitError && error.toOthers)
      return { kind: 'told', why: key, words: error.toOthers, isAuthorsOwn: true };
    if (key === 'reading.too-many' || key === 'reading.too-soon')
      return { kind: 'told', why: key, words: error.text, isAuthorsOwn: true };
    // Nothing was asked for that could be tried again.
    const limit = Number(error.text.values.limit);
    if (key === 'refused.queue-full') return { kind: 'told', why: key, words: text('reading.queue-full', { limit }) };
    if (key === 'refused.own-queue-full')
      return { kind: 'told', why: key, words: text('reading.own-queue-full', { limit }), isAuthorsOwn: true };
    return LASTING.includes(key) ? { kind: 'told', why: key, words: error.text } : none(key);
  }
  if (error instanceof SpeechError && OF_ONE_TEXT.includes(error.kind)) return none(error.kind);
  if (error instanceof DOMException && error.name === 'AbortError') return none(error.name);
  if (error instanceof StoreError || error instanceof DeadlineError) return { kind: 'logged', error };
  // Of a text, not of a lookup before it, such as of the voices.
  const isOfText = error instanceof SpeechError && thrown instanceof DeliveryError;
  const failure = isOfText ? new DeliveryError(undefined, { kind: 'none' }, error) : error;
  const { lines, incident } = explain(failure, circumstances);
  const [words] = lines;
  // An unexpected error is only logged.
  return incident !== undefined || !words ? { kind: 'logged', error } : { kind: 'told', why: words.key, words };
}

const none = (why: string): Trouble => ({ kind: 'none', why });
