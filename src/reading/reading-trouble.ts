import { type Circumstances, explain, failureFacts } from '../errors/explain.ts';
import { causeOf, DeliveryError, StoreError, UserError } from '../errors/user-errors.ts';
import type { ServerRules } from '../services/servers/admission.ts';
import { DeadlineError } from '../services/time/timers.ts';
import { SpeechError } from '../speech/errors.ts';
import { type Text, text } from '../texts/catalog.ts';

type Trouble =
  /** 'none': members get no notice, because the message is intentionally not read. */
  | { readonly kind: 'none'; readonly why: string }
  /** 'told': a notice in the message's channel names the problem, because the members or the author can fix it. */
  | { readonly kind: 'told'; readonly why: string; readonly words: Text; readonly isAuthorsOwn: boolean }
  | { readonly kind: 'logged'; readonly error: unknown };

class TooSoonError extends UserError {}

/** Tells an author either to pause between messages (admins need no pause) or how many are read in ten seconds. */
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
    // Everyone sees the notice, so it must not tell how much the author has spent.
    if (kind === 'spending-limit' && error.toOthers) return told(error.toOthers, true);
    if (kind === 'queue-full' || kind === 'own-queue-full') return told(error.text, kind === 'own-queue-full');
    return effect === 'lasting' ? told(error.text) : none(error.text.key);
  }
  if (error instanceof SpeechError && isOfOneText) return none(error.kind);
  if (error instanceof DOMException && error.name === 'AbortError') return none(error.name);
  if (error instanceof StoreError || error instanceof DeadlineError) return { kind: 'logged', error };
  // True if the speech service rejected the text, false if an earlier lookup, such as the list of voices, failed.
  const isOfText = error instanceof SpeechError && thrown instanceof DeliveryError;
  const failure = isOfText ? new DeliveryError(undefined, { kind: 'none' }, error) : error;
  const { lines, incident } = explain(failure, circumstances);
  const [words] = lines;
  return incident !== undefined || !words ? { kind: 'logged', error } : told(words);
}

const told = (words: Text, isAuthorsOwn = false): Trouble => ({ kind: 'told', why: words.key, words, isAuthorsOwn });

const none = (why: string): Trouble => ({ kind: 'none', why });
