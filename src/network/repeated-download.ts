/** Audio is announced when it is billed, and may reach the host that serves it seconds later. Repeating a GET is free. */
export const REPEATED_FOR_MS = 8_000;

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 1_000;

/** Statuses that say nothing about the next try: not there yet, too early, too many requests, or a fault of the host. */
export const mayPassStatus = (status: number): boolean => [404, 408, 425, 429].includes(status) || status >= 500;

/** Half fixed, half random, so that pauses never shrink to nothing and callers do not come in step. */
export function pauseAfter(attempts: number, retryAfterMs = 0): number {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
  return Math.max(retryAfterMs, longest / 2 + (Math.random() * longest) / 2);
}
