import { type Circumstances, explain, failureFacts } from '../errors/explain.ts';
import { causeOf, DeliveryError, StoreError, UserError } from '../errors/user-errors.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import { DeadlineError } from '../services/time/deadline.ts';
import { SpeechError } from '../speech/errors.ts';
import { type Text, text } from '../texts/catalog.ts';

/** How to report a message that was not read. */
type Trouble =
  /** Intended: nothing to report. */
  | { readonly kind: 'none'; readonly why: string }
  /** Members can fix it, or only the author can: posted into the channel of the message. */
  | { readonly kind: 'told'; readonly why: string; readonly words: Text; readonly isAuthorsOwn: boolean }
  | { readonly kind: 'logged'; readonly error: unknown };

/** Its author writes faster than the server lets one member have texts spoken. */
class TooSoonError extends UserError {}

/** Between the break after a text and the limit in ten seconds, it names the one that lets fewer texts through. */
export function comesTooSoon(
  { textsInTenSeconds: count, cooldownSeconds }: ServerRules,
  isAdmin: boolean,
): TooSoonError {
  const isBreak = !isAdmin && cooldownSeconds * count > 10;
  return new TooSoonError(
    isBreak ? text('reading.too-soon', { seconds: cooldownSeconds }) : text('reading.too-many', { count }),
  );
}

export function troubleOf(thrown: unknown, circumstances: Circumstances): Trouble {
  const error = causeOf(thrown);
  const { kind, effect, isOfOneText } = failureFacts(error);
  if (error instanceof TooSoonError) return told(error.text, true);
  if (error instanceof UserError) {
    // A member's figures are private.
    if (kind === 'spending-limit' && error.toOthers) return told(error.toOthers, true);
    if (kind === 'queue-full' || kind === 'own-queue-full') return told(error.text, kind === 'own-queue-full');
    return effect === 'lasting' ? told(error.text) : none(error.text.key);
  }
  if (error instanceof SpeechError && isOfOneText) return none(error.kind);
  if (error instanceof DOMException && error.name === 'AbortError') return none(error.name);
  if (error instanceof StoreError || error instanceof DeadlineError) return { kind: 'logged', error };
  // True for an error of the text, not of a lookup before it, such as the list of voices.
  const isOfText = error instanceof SpeechError && thrown instanceof DeliveryError;
  const failure = isOfText ? new DeliveryError(undefined, { kind: 'none' }, error) : error;
  const { lines, incident } = explain(failure, circumstances);
  const [words] = lines;
  // An unexpected error is only logged.
  return incident !== undefined || !words ? { kind: 'logged', error } : told(words);
}

const told = (words: Text, isAuthorsOwn = false): Trouble => ({ kind: 'told', why: words.key, words, isAuthorsOwn });

const none = (why: string): Trouble => ({ kind: 'none', why });
