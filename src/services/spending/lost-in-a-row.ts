/** Paid audio of one model that was lost since the last one that arrived, and what follows for payment. */
export interface LostInARow {
  /** Losses of another cause begin a new row. */
  readonly cause: string;
  readonly count: number;
  /** When the next text may be paid for; undefined while all of them may. */
  readonly nextTrialAtMs: number | undefined;
  /** Texts that were paid for as trials. */
  readonly trials: number;
}

/** One can always be lost; as many in a row by one cause have one that the next one shares. */
const LOST_IN_A_ROW = 3;
/** From the end of payment to the first trial; doubles with each. */
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

export const NONE_LOST: LostInARow = { cause: '', count: 0, nextTrialAtMs: undefined, trials: 0 };

/** Pure, as all of this: `nowMs` is of any clock that never goes back. */
export function afterLoss(before: LostInARow, cause: string, nowMs: number): LostInARow {
  const isStopped = before.nextTrialAtMs !== undefined;
  const count = isStopped || before.cause === cause ? before.count + 1 : 1;
  // Requests that were under way when payment stopped move no trial.
  const nextTrialAtMs = before.nextTrialAtMs ?? (count < LOST_IN_A_ROW ? undefined : nowMs + FIRST_PAUSE_MS);
  return { ...before, cause, count, nextTrialAtMs };
}

export function afterTrial(before: LostInARow, nowMs: number): LostInARow {
  const trials = before.trials + 1;
  return { ...before, trials, nextTrialAtMs: nowMs + Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** trials) };
}
