import { type QueueEntry, snapshot } from '../queue/entry.ts';
import type { QueuedItem, SpokenItem } from '../queue/queued-item.ts';
import { createRecentlySpoken } from '../queue/recently-spoken.ts';
import type { Delivery } from '../queue/utterance.ts';

type Remembered = SpokenItem & Pick<Delivery, 'speech'>;

/** What a speaker remembers of what was heard, so that it can be spoken again. */
export interface SpokenMemory {
  /** The latest first. */
  readonly items: readonly QueuedItem[];
  find(itemId: string): Remembered | undefined;
  /** Remembers, once its asker has been told, what was heard and is there as a whole. */
  keep(entry: QueueEntry): void;
  /** Forgets what was spoken for a member, now and of what they have under way: how many it were. */
  forget(userId: string, underWay: readonly QueueEntry[]): number;
  clear(): void;
}

export function createSpokenMemory(): SpokenMemory {
  const recent = createRecentlySpoken<Remembered>();
  const forgotten = new WeakSet<QueueEntry>();

  return {
    get items() {
      return recent.all.map(({ item }) => item);
    },
    find: recent.find,
    keep(entry) {
      const { clip, item } = entry;
      if (clip?.state !== 'complete') return;
      const told = ({ speech }: Delivery) => {
        if (!forgotten.has(entry)) recent.add({ item: snapshot(entry), clip, speech });
      };
      item.delivery.then(told, () => undefined);
    },
    forget(userId, underWay) {
      for (const entry of underWay) forgotten.add(entry);
      return recent.drop(({ item }) => item.userId === userId);
    },
    clear: recent.clear,
  };
}
