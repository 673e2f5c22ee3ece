import type { QueuedItem, QueueView } from './guild-speaker-types.ts';
import { durationOf, type Entry, isOver, remainingOf, snapshot } from './queue-entry.ts';
import type { DurationEstimate } from './queue-estimate.ts';

type Line = Pick<QueueView, 'current' | 'waiting' | 'totalWaitMs'>;

/** Who is how far from being heard, from what is left of those before. */
export function lineOf(
  current: Entry | undefined,
  waiting: readonly Entry[],
  { isPaused, estimate }: { readonly isPaused: boolean; readonly estimate: DurationEstimate },
): Line {
  const speaking = current && !isOver(current) ? current : undefined;
  let waitMs = speaking ? remainingOf(speaking, estimate) : 0;
  const wait = () => (isPaused ? {} : { waitMs: Math.round(waitMs) });
  const items = waiting.map((entry, index): QueuedItem => {
    const item = snapshot(entry, estimate, { position: index + 1, ...wait() });
    waitMs += durationOf(entry, estimate);
    return item;
  });
  return {
    current: speaking && snapshot(speaking, estimate, { position: 0, ...(isPaused ? {} : { waitMs: 0 }) }),
    waiting: items,
    totalWaitMs: wait().waitMs,
  };
}
