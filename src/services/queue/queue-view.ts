import type { Logger } from 'pino';
import {
  type DurationEstimate,
  durationOf,
  isOver,
  type QueuedItem,
  type QueueItem,
  type QueueView,
  remainingOf,
  snapshot,
  type WaitingItem,
} from './queue-item.ts';

interface Sources {
  readonly items: () => { readonly current: QueueItem | undefined; readonly waiting: readonly QueueItem[] };
  readonly estimate: DurationEstimate;
  readonly isPaused: () => boolean;
  readonly recent: () => Pick<QueueView, 'recent' | 'latestNotKept'>;
}

/** What others see of a queue. */
export interface QueueReader {
  queue(): QueueView;
  find(itemId: string): QueuedItem | undefined;
  /** An item as it is now, in the queue or over. */
  item(item: QueueItem): QueuedItem;
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

  return { queue, find, item: (item) => find(item.id) ?? snapshot(item) };
}

/** Positions and estimated waits, from the remaining time of the items before. */
function placesIn(
  { current: speaking, waiting }: ReturnType<Sources['items']>,
  { isPaused, estimate }: { readonly isPaused: boolean; readonly estimate: DurationEstimate },
): Pick<QueueView, 'current' | 'waiting'> {
  let waitMs = speaking ? remainingOf(speaking, estimate) : 0;
  const items = waiting.map((item, index): WaitingItem => {
    const seen = snapshot(item, { waitMs: isPaused ? undefined : Math.round(waitMs) });
    waitMs += durationOf(item, estimate);
    return { ...seen, position: index + 1 };
  });
  return {
    current: speaking && snapshot(speaking, { position: 0, waitMs: isPaused ? undefined : 0 }),
    waiting: items,
  };
}

/** Tells those who want to know what changed for an item of a queue: once for what changes together, and never for nothing. */
export interface Subscriptions {
  /** Something may have changed. */
  changed(): void;
  onItemChanged(subject: QueueItem, listener: (item: QueuedItem) => void): () => void;
}

interface Watching {
  readonly subject: QueueItem;
  readonly listener: (item: QueuedItem) => void;
  seen: string;
}

export function createSubscriptions({
  view,
  log,
}: {
  readonly view: QueueReader;
  readonly log: Logger;
}): Subscriptions {
  const watching = new Set<Watching>();
  let isDue = false;

  /** Time that passes changes no face. */
  const face = ({ id, state, stage, position, channelId }: QueuedItem) =>
    [id, state, stage, position, channelId].join(' ');

  function tell({ listener }: Watching, item: QueuedItem): void {
    try {
      listener(item);
    } catch (error) {
      log.error({ err: error }, 'A subscriber of the queue threw');
    }
  }

  function tellItems(): void {
    for (const watcher of [...watching]) {
      const item = view.item(watcher.subject);
      if (isOver(item)) watching.delete(watcher);
      if (face(item) === watcher.seen) continue;
      watcher.seen = face(item);
      tell(watcher, item);
    }
  }

  return {
    changed() {
      if (isDue || watching.size === 0) return;
      isDue = true;
      queueMicrotask(() => {
        isDue = false;
        tellItems();
      });
    },
    onItemChanged(subject, listener) {
      const watcher: Watching = { subject, listener, seen: face(view.item(subject)) };
      if (!isOver(view.item(subject))) watching.add(watcher);
      return () => watching.delete(watcher);
    },
  };
}
