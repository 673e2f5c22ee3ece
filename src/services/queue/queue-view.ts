import type { DurationEstimate } from './duration-estimate.ts';
import { durationOf, type QueueEntry, remainingOf, snapshot } from './entry.ts';
import type { QueuedItem, QueueView, WaitingItem } from './queued-item.ts';

interface Sources {
  readonly items: () => { readonly current: QueueEntry | undefined; readonly waiting: readonly QueueEntry[] };
  readonly estimate: DurationEstimate;
  readonly isPaused: () => boolean;
  readonly recent: () => Pick<QueueView, 'recent' | 'latestNotKept'>;
}

/** What others see of a queue. */
export interface QueueReader {
  queue(): QueueView;
  find(itemId: string): QueuedItem | undefined;
  /** An item as it is now, in the queue or over. */
  item(entry: QueueEntry): QueuedItem;
}

export function createQueueReader({ items, estimate, isPaused, recent }: Sources): QueueReader {
  function queue(): QueueView {
    return {
      isPaused: isPaused(),
      ...placesIn(items(), { isPaused: isPaused(), estimate }),
      ...recent(),
    };
  }

  function find(itemId: string): QueuedItem | undefined {
    const { current, waiting, recent: spoken } = queue();
    return [...(current ? [current] : []), ...waiting, ...spoken].find(({ id }) => id === itemId);
  }

  return { queue, find, item: (entry) => find(entry.id) ?? snapshot(entry) };
}

/** Positions and estimated waits, from the remaining time of the items before. */
function placesIn(
  { current: speaking, waiting }: ReturnType<Sources['items']>,
  { isPaused, estimate }: { readonly isPaused: boolean; readonly estimate: DurationEstimate },
): Pick<QueueView, 'current' | 'waiting'> {
  let waitMs = speaking ? remainingOf(speaking, estimate) : 0;
  const items = waiting.map((entry, index): WaitingItem => {
    const item = snapshot(entry, isPaused ? {} : { waitMs: Math.round(waitMs) });
    waitMs += durationOf(entry, estimate);
    return { ...item, position: index + 1 };
  });
  return {
    current: speaking && snapshot(speaking, { position: 0, ...(isPaused ? {} : { waitMs: 0 }) }),
    waiting: items,
  };
}
