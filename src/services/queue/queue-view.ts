import type { Logger } from 'pino';
import { type DurationEstimate, durationOf, type LiveItem, remainingOf, snapshot } from './live-item.ts';
import { type Heard, isOver, type QueueItem, type QueueView } from './queue-item.ts';

interface Sources {
  readonly items: () => { readonly current: LiveItem | undefined; readonly waiting: readonly LiveItem[] };
  readonly estimate: DurationEstimate;
  readonly isPaused: () => boolean;
  readonly recent: () => { readonly recent: readonly QueueItem[]; readonly latestNotKept: Heard | undefined };
}

/** What others see of a queue. */
export interface QueueReader {
  queue(): QueueView;
  find(itemId: string): QueueItem | undefined;
  /** An item as it is now, in the queue or over. */
  item(item: LiveItem): QueueItem;
}

export function createQueueReader({ items, estimate, isPaused, recent }: Sources): QueueReader {
  function queue(): QueueView {
    return {
      isPaused: isPaused(),
      ...placesIn(items(), { isPaused: isPaused(), estimate }),
      ...recent(),
    };
  }

  function find(itemId: string): QueueItem | undefined {
    const { current, waiting, recent: spoken } = queue();
    return [...(current ? [current] : []), ...waiting, ...spoken].find(({ id }) => id === itemId);
  }

  return { queue, find, item: (item) => find(item.id) ?? snapshot(item) };
}

/** Positions and estimated waits, from the remaining time of the items before. */
function placesIn(
  { current: speaking, waiting }: ReturnType<Sources['items']>,
  { isPaused, estimate }: { readonly isPaused: boolean; readonly estimate: DurationEstimate },
): { readonly current: QueueItem | undefined; readonly waiting: readonly QueueItem[] } {
  let waitMs = speaking ? remainingOf(speaking, estimate) : 0;
  const items = waiting.map((item, index) => {
    const seen = snapshot(item, { position: index + 1, waitMs: isPaused ? undefined : Math.round(waitMs) });
    waitMs += durationOf(item, estimate);
    return seen;
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
  onItemChanged(subject: LiveItem, listener: (item: QueueItem) => void): () => void;
}

interface Watching {
  readonly subject: LiveItem;
  readonly listener: (item: QueueItem) => void;
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
  const face = ({ id, state, position, channelId }: QueueItem) => [id, state, position, channelId].join(' ');

  function tell({ listener }: Watching, item: QueueItem): void {
    try {
      listener(item);
    } catch (error) {
      log.error({ err: error }, 'A subscriber of the queue threw');
    }
  }

  function tellItems(): void {
    for (const watcher of [...watching]) {
      const item = view.item(watcher.subject);
      if (isOver(item.state)) watching.delete(watcher);
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
      if (!isOver(view.item(subject).state)) watching.add(watcher);
      return () => watching.delete(watcher);
    },
  };
}
