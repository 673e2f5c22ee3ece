import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import type { Pending } from '../../services/time/pending.ts';

/**
 * Requests that wait until a member sends a form or presses a button. An order is taken once, a rejected form may be
 * opened again and again. /privacy counts both, and /forget deletes both.
 */
export type PendingActions = Pending<{ readonly order: SpeechOrder; readonly form: RejectedForm }>;

/** A rejected form with the member's input, for the button that reopens the form. */
interface RejectedForm {
  readonly userId: string;
  readonly argument: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly words: string;
}
