import type { Clip } from '../../audio/clips/clip.ts';
import type { SpeechFacts, Synthesis } from '../synthesis/synthesis-types.ts';
import { type LiveItem, snapshot } from './live-item.ts';
import type { Delivery, Heard, QueueItem, QueueView, SpokenItem } from './queue-item.ts';

/** Sound at about 8 kB a second: the last few texts, little enough for a thousand servers. */
const MAX_BYTES = 1_000_000;
/** The latest may be one of the longest texts there are: 4,000 characters, spoken slowly. */
const MAX_LATEST_BYTES = 4_000_000;
const MAX_TEXTS = 5;
/** Maximum number of repeats of one text: each has a reply with buttons. */
const MAX_TIMES = 50;
const KEPT_MS = 15 * 60_000;

/**
 * What was spoken a short while ago, the latest first; bounded in number, bytes and time. What is spoken again, from the same
 * clip, takes no room of its own, is found by each of its times, and stays the text of the member who had it spoken first.
 */
interface RecentlySpoken<Spoken extends SpokenItem> {
  readonly all: readonly Spoken[];
  find(itemId: string): Spoken | undefined;
  add(spoken: Spoken): void;
  /** Forgets the matching ones; how many they were. */
  drop(matches: (spoken: Spoken) => boolean): number;
  clear(): void;
}

const withRequester = (item: QueueItem, userId: string): QueueItem => ({ ...item, order: { ...item.order, userId } });

export function createRecentlySpoken<Spoken extends SpokenItem>(): RecentlySpoken<Spoken> {
  /** Its times, the latest first. */
  let kept: readonly { readonly times: readonly Spoken[]; readonly bytes: number; readonly untilMs: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** A single timer is used, however often items are added: Node keeps a list for each duration until it is over. */
  function dropOld(): void {
    kept = kept.filter(({ untilMs }) => untilMs > performance.now());
    const oldest = kept.at(-1);
    if (!oldest) clear();
    else timer ??= setTimeout(onTimer, oldest.untilMs - performance.now()).unref();
  }

  function onTimer(): void {
    timer = undefined;
    dropOld();
  }

  function clear(): void {
    clearTimeout(timer);
    timer = undefined;
    kept = [];
  }

  function dropSurplus(): void {
    let bytes = 0;
    kept = kept.slice(0, MAX_TEXTS).filter((entry, index) => {
      bytes += entry.bytes;
      return bytes <= (index === 0 ? MAX_LATEST_BYTES : MAX_BYTES);
    });
  }

  return {
    get all() {
      return kept.flatMap(({ times }) => times.slice(0, 1));
    },
    find: (itemId) => kept.flatMap(({ times }) => times).find(({ item }) => item.id === itemId),
    add(spoken) {
      const bytes = spoken.clip.packets.reduce((sum, { length }) => sum + length, 0);
      const isIt = ({ times }: (typeof kept)[number]) => times[0]?.clip === spoken.clip;
      const before = kept.find(isIt)?.times ?? [];
      const first = before.at(-1);
      const times = first
        ? [
            { ...spoken, item: withRequester(spoken.item, first.item.order.userId) },
            ...before.slice(0, -1).slice(0, MAX_TIMES - 2),
            first,
          ]
        : [spoken];
      kept = [{ times, bytes, untilMs: performance.now() + KEPT_MS }, ...kept.filter((one) => !isIt(one))];
      dropSurplus();
      dropOld();
    },
    drop(matches) {
      const before = kept.length;
      kept = kept.filter(({ times }) => !times.slice(0, 1).some(matches));
      dropOld();
      return before - kept.length;
    },
    clear,
  };
}

interface Remembered extends SpokenItem {
  readonly speech: SpeechFacts;
}

/** The utterances that were heard in one server and can be replayed. */
interface ReplayHistory {
  /** The latest first. */
  readonly items: readonly QueueItem[];
  /** The text that was heard after all of these, but stopped before its audio was complete. */
  readonly latestNotKept: QueueView['latestNotKept'];
  find(itemId: string): Remembered | undefined;
  /** Remembers, once its requester has been told, what was heard and is there as a whole. */
  keep(item: LiveItem): void;
  /**
   * Forgets a member's texts, including those spoken again by others, and their current items. Returns their number.
   */
  forget(isTheirs: (order: Heard['order']) => boolean, underWay: readonly LiveItem[]): number;
  clear(): void;
}

export function createReplayHistory(): ReplayHistory {
  const recent = createRecentlySpoken<Remembered>();
  let latestNotKept: QueueView['latestNotKept'];

  return {
    get items() {
      return recent.all.map(({ item }) => item);
    },
    get latestNotKept() {
      return latestNotKept;
    },
    find: recent.find,
    keep(item) {
      const { clip } = item.audio;
      const isWhole = clip?.state === 'complete';
      const { userId, authorId } = item.order;
      latestNotKept = isWhole ? undefined : { order: { userId, authorId }, channelId: item.place.channelId };
      if (!isWhole) return;
      const told = ({ speech }: Delivery) => {
        if (!item.isForgotten) recent.add({ item: snapshot(item), clip, speech });
      };
      item.delivery.then(told, () => undefined);
    },
    forget(isTheirs, underWay) {
      for (const item of underWay) item.isForgotten = true;
      if (latestNotKept && isTheirs(latestNotKept.order)) latestNotKept = undefined;
      return recent.drop(({ item }) => isTheirs(item.order));
    },
    clear: recent.clear,
  };
}

/** The synthesis of a text that is spoken again: its audio is there, and its bill is not counted again. */
export function madeBefore(clip: Clip, { requestId: _, inputCharacters: __, ...known }: SpeechFacts): Synthesis {
  return {
    clip: Promise.resolve(clip),
    facts: () => ({ ...known, creditsUsed: 0, cached: true, warnings: [] }),
    end: () => Promise.resolve({ kind: 'none' }),
  };
}
