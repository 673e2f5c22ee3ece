import type { Logger } from 'pino';
import type { QueuedItem } from './guild-speaker-types.ts';
import { type Entry, isOver } from './queue-entry.ts';
import type { Viewing } from './queue-view.ts';

/** Tells those who want to know what changed in a queue: once for what changes together, and never for nothing. */
export interface QueueNews {
  /** Something may have changed. */
  changed(): void;
  onQueueChanged(listener: () => void): () => void;
  onItemChanged(entry: Entry, listener: (item: QueuedItem) => void): () => void;
}

interface Watching {
  readonly entry: Entry;
  readonly listener: (item: QueuedItem) => void;
  seen: string;
}

export function createQueueNews({ view, log }: { readonly view: Viewing; readonly log: Logger }): QueueNews {
  const listeners = new Set<() => void>();
  const watching = new Set<Watching>();
  let seen = '';
  let isDue = false;

  /** Time that passes changes no face. */
  const face = ({ id, state, stage, position, channelId }: QueuedItem) =>
    [id, state, stage, position, channelId].join(' ');

  function queueFace(): string {
    const { channelId, isPaused, current, waiting } = view.queue();
    return [channelId, isPaused, current && face(current), ...waiting.map(face)].join('\n');
  }

  function tell(act: () => void): void {
    try {
      act();
    } catch (error) {
      log.error({ err: error }, 'One who follows the queue failed');
    }
  }

  function tellQueue(): void {
    if (listeners.size === 0) return;
    const now = queueFace();
    if (now === seen) return;
    seen = now;
    for (const listener of [...listeners]) tell(listener);
  }

  function tellItems(): void {
    for (const watcher of [...watching]) {
      if (isOver(watcher.entry)) watching.delete(watcher);
      const item = view.item(watcher.entry);
      if (face(item) === watcher.seen) continue;
      watcher.seen = face(item);
      tell(() => watcher.listener(item));
    }
  }

  return {
    changed() {
      if (isDue || (listeners.size === 0 && watching.size === 0)) return;
      isDue = true;
      queueMicrotask(() => {
        isDue = false;
        tellItems();
        tellQueue();
      });
    },
    onQueueChanged(listener) {
      if (listeners.size === 0) seen = queueFace();
      const own = () => listener();
      listeners.add(own);
      return () => listeners.delete(own);
    },
    onItemChanged(entry, listener) {
      const watcher: Watching = { entry, listener, seen: face(view.item(entry)) };
      if (!isOver(entry)) watching.add(watcher);
      return () => watching.delete(watcher);
    },
  };
}
