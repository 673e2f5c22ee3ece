import { type Circumstances, explain } from '../errors/explain.ts';
import { StoreError } from '../errors/store-error.ts';
import { causeOf, UserError } from '../errors/user-errors.ts';
import { StoppedByMember } from '../services/queue/utterance.ts';
import { SpendingLimitError } from '../services/spending/spending.ts';
import { BlockedWordError } from '../services/text/spoken-text.ts';
import { DeadlineError } from '../services/time/deadline.ts';
import { SpeechError, type SpeechErrorKind } from '../speech/errors.ts';
import type { Text, TextKey } from '../texts/catalogue.ts';

/** What came of a message that was not read. */
type Trouble =
  /** As it should be: nobody needs to hear of it. */
  | { readonly kind: 'none'; readonly why: string }
  /** Somebody can do something about it: told where the message is. */
  | {
      readonly kind: 'told';
      readonly why: string;
      readonly words: Text;
      /** It keeps only the author's messages from being read. */
      readonly isAuthorsOwn?: true;
    }
  /** For the operator's log. */
  | { readonly kind: 'logged'; readonly error: unknown };

/** Failures of one text, and what was meant so. */
const OF_ONE_TEXT: readonly SpeechErrorKind[] = [
  'aborted',
  'content-policy',
  'input-too-long',
  'invalid-request',
  'rate-limited',
  'unsupported-format',
  'voice-not-found',
];

/** What keeps everything from being read, in words that say what to do. A full queue is none of it. */
const LASTING: readonly TextKey[] = [
  'refused.afk',
  'refused.channel-full',
  'refused.missing-permissions',
  'refused.muted',
  'refused.no-voices',
  'refused.spending',
  'refused.stage',
  'refused.timed-out',
];

export function troubleOf(thrown: unknown, circumstances: Circumstances): Trouble {
  const error = causeOf(thrown);
  if (error instanceof BlockedWordError || error instanceof StoppedByMember) return none(error.name);
  if (error instanceof UserError) {
    const { key } = error.text;
    if (error instanceof SpendingLimitError && error.toOthers)
      return { kind: 'told', why: key, words: error.toOthers, isAuthorsOwn: true };
    return LASTING.includes(key) ? { kind: 'told', why: key, words: error.text } : none(key);
  }
  if (error instanceof SpeechError && OF_ONE_TEXT.includes(error.kind)) return none(error.kind);
  if (error instanceof DOMException && error.name === 'AbortError') return none(error.name);
  if (error instanceof StoreError || error instanceof DeadlineError) return { kind: 'logged', error };
  const { lines, incident } = explain(error, circumstances);
  const [words] = lines;
  // What nobody foresaw is for the log.
  return incident !== undefined || !words ? { kind: 'logged', error } : { kind: 'told', why: words.key, words };
}

const none = (why: string): Trouble => ({ kind: 'none', why });
