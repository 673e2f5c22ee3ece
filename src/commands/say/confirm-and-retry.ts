import { AudioError, mayPass } from '../../audio/audio-error.ts';
import { causeOf, UserError } from '../../errors/user-errors.ts';
import type { Wish } from '../../services/playback/speech-order.ts';
import { SpeechError } from '../../speech/errors.ts';
import { text } from '../../texts/catalogue.ts';
import { OfferedError } from '../framework/command.ts';
import { keepWish } from './pending-requests.ts';
import type { Resolved, SpeakCall } from './speak-call.ts';

/** What it costs is said before it does. */
export function askFirst(call: SpeakCall, { wish, voice, characters }: Resolved): OfferedError {
  const about = call.services.spending.estimateCredits(voice.model, characters)?.about;
  const question =
    about === undefined
      ? text('say.confirm', { characters, as: wish.as })
      : text('say.confirm-about', { characters, about: Math.max(1, Math.round(about)), as: wish.as });
  const token = keepWish(call, { ...wish, isConfirmed: true });
  return new OfferedError(new UserError(question), [
    [
      {
        kind: 'button',
        label: text('say.confirm-yes', { as: wish.as }),
        control: 'say-go',
        argument: token,
        style: 'primary',
      },
    ],
  ]);
}

/** Failures that another attempt may not have. */
const WORTH_RETRYING: readonly string[] = ['unavailable', 'server-error', 'rate-limited', 'network', 'timeout'];

/** The failure, with a button where trying again makes sense. What may be billed already is not sent again by itself. */
export function offeringAgain(error: unknown, wish: Wish, call: SpeakCall): unknown {
  if (!isWorthRetrying(causeOf(error))) return error;
  return withAnotherTry(error, { ...wish, isConfirmed: true, wasAccepted: true }, call);
}

/** What was refused at the press of a button, with a button for when that has been seen to. */
export function offeringBack(error: unknown, wish: Wish, call: SpeakCall): OfferedError {
  return error instanceof OfferedError ? error : withAnotherTry(error, wish, call);
}

function withAnotherTry(error: unknown, wish: Wish, call: SpeakCall): OfferedError {
  const token = keepWish(call, wish);
  return new OfferedError(error, [[{ kind: 'button', label: text('say.again'), control: 'say-go', argument: token }]]);
}

function isWorthRetrying(cause: unknown): boolean {
  if (cause instanceof SpeechError) return WORTH_RETRYING.includes(cause.kind);
  if (cause instanceof AudioError) return mayPass(cause);
  return !(cause instanceof UserError);
}
