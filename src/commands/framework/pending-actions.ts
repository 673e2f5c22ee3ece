import type { SpeechOrder } from '../../services/queue/queue-item.ts';
import type { Pending } from '../../services/time/pending.ts';

/** Requests that wait for a form or button. An order is taken once, a rejected form may be opened again and again. */
export type PendingActions = Pending<{ readonly order: SpeechOrder; readonly form: RejectedForm }>;

interface RejectedForm {
  readonly userId: string;
  readonly argument: string;
  readonly fields: Readonly<Record<string, string>>;
  readonly words: string;
}
