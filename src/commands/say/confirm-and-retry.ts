import { AudioError, mayPass } from '../../audio/audio-error.ts';
import { button } from '../../discord/replies/layout.ts';
import { causeOf, UserError } from '../../errors/user-errors.ts';
import type { SpeechOrder } from '../../services/playback/speech-order.ts';
import { SpeechError } from '../../speech/errors.ts';
import { text } from '../../texts/catalogue.ts';
import { OfferedError } from '../framework/command.ts';
import { keepOrder } from './pending-requests.ts';
import type { ResolvedOrder, SpeakCall } from './speak-call.ts';

/** What it costs is said before it does. */
export function askFirst(call: SpeakCall, { order, voice, characters }: ResolvedOrder): OfferedError {
  const about = call.services.spending.estimateCredits(voice.model, characters)?.about;
  const question =
    about === undefined
      ? text('say.confirm', { characters, as: order.as })
      : text('say.confirm-about', { characters, about: Math.max(1, Math.round(about)), as: order.as });
  const token = keepOrder(call, { ...order, isConfirmed: true });
  const label = text('say.confirm-yes', { as: order.as });
  return new OfferedError(new UserError(question), [[button('say-go', label, token, 'primary')]]);
}

/** Failures that another attempt may not have. */
const WORTH_RETRYING: readonly string[] = ['unavailable', 'server-error', 'rate-limited', 'network', 'timeout'];

/** The failure, with a button where trying again makes sense. What may be billed already is not sent again by itself. */
export function offeringAgain(error: unknown, order: SpeechOrder, call: SpeakCall): unknown {
  if (!isWorthRetrying(error)) return error;
  return withAnotherTry(error, { ...order, isConfirmed: true, wasAccepted: true }, call);
}

/** What was refused at the press of a button, with a button for when that has been seen to. */
export function offeringBack(error: unknown, order: SpeechOrder, call: SpeakCall): OfferedError {
  return error instanceof OfferedError ? error : withAnotherTry(error, order, call);
}

function withAnotherTry(error: unknown, order: SpeechOrder, call: SpeakCall): OfferedError {
  const token = keepOrder(call, order);
  return new OfferedError(error, [[button('say-go', text('say.again'), token)]]);
}

export function isWorthRetrying(error: unknown): boolean {
  const cause = causeOf(error);
  if (cause instanceof SpeechError) return WORTH_RETRYING.includes(cause.kind);
  if (cause instanceof AudioError) return mayPass(cause);
  return !(cause instanceof UserError);
}
