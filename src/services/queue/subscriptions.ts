import type { Logger } from 'pino';
import { isOver, type QueueEntry } from './entry.ts';
import type { QueueReader } from './queue-view.ts';
import type { QueuedItem } from './queued-item.ts';

/** Tells those who want to know what changed for an item of a queue: once for what changes together, and never for nothing. */
export interface Subscriptions {
  /** Something may have changed. */
  changed(): void;
  onItemChanged(entry: QueueEntry, listener: (item: QueuedItem) => void): () => void;
}

interface Watching {
  readonly entry: QueueEntry;
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
      log.error({ err: error }, 'One who follows the queue failed');
    }
  }

  function tellItems(): void {
    for (const watcher of [...watching]) {
      if (isOver(watcher.entry)) watching.delete(watcher);
      const item = view.item(watcher.entry);
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
    onItemChanged(entry, listener) {
      const watcher: Watching = { entry, listener, seen: face(view.item(entry)) };
      if (!isOver(entry)) watching.add(watcher);
      return () => watching.delete(watcher);
    },
  };
}
