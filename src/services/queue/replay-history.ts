import { LRUCache } from 'lru-cache';
import type { Clip } from '../../audio/clips/clip.ts';
import type { SpeechFacts } from '../synthesis/synthesis.ts';
import { type LiveItem, type QueueItem, type SpeechOrder, snapshot } from './queue-item.ts';

/** Maximum bytes of replayable Opus audio in a server: one to two minutes of speech, and little enough memory for a thousand servers. */
const MAX_BYTES = 1_000_000;
/** Maximum bytes of the latest replayable text, which may be one of the longest: 4,000 characters, spoken slowly. */
const MAX_LATEST_BYTES = 4_000_000;
const MAX_TEXTS = 5;
/** How many replays of a text are remembered: each replay has its own reply, whose buttons must still find the text. */
const MAX_TIMES = 50;
const KEPT_MS = 15 * 60_000;

interface Remembered {
  readonly speech: SpeechFacts;
  /** All times when the text was spoken, the latest first. The text belongs to the member who first had it spoken. */
  readonly times: readonly QueueItem[];
}

/** Each speaker queue has a replay history, which is kept between stays in voice until the bot stops or is removed. */
export function createReplayHistory() {
  /** The latest first. Timers delete expired audio, so that it leaves the memory even if nothing else is spoken. */
  const texts = new LRUCache<Clip, Remembered>({
    max: MAX_TEXTS,
    ttl: KEPT_MS,
    ttlAutopurge: true,
    ttlResolution: 0,
    perf: { now: () => performance.now() },
  });

  function add(clip: Clip, item: QueueItem, speech: SpeechFacts): void {
    const { times = [] } = texts.peek(clip) ?? {};
    const { userId } = times[0]?.order ?? item.order;
    const time = { ...item, order: { ...item.order, userId } };
    texts.set(clip, { speech, times: [time, ...times].slice(0, MAX_TIMES) });
    let bytes = 0;
    for (const kept of [...texts.keys()]) {
      bytes += kept.packets.reduce((sum, { length }) => sum + length, 0);
      if (bytes > (kept === clip ? MAX_LATEST_BYTES : MAX_BYTES)) texts.delete(kept);
    }
  }

  return {
    /** Texts that can be replayed, the latest first. A text that was replayed appears once, with its latest time. */
    get items(): readonly QueueItem[] {
      return [...texts.values()].flatMap(({ times }) => times.slice(0, 1));
    },
    find(itemId: string) {
      for (const [clip, { speech, times }] of texts) {
        const item = times.find(({ id }) => id === itemId);
        if (item) return { item, clip, speech };
      }
      return undefined;
    },
    keep(item: LiveItem): void {
      const { clip } = item;
      if (clip?.state !== 'complete') return;
      item.delivery.then(
        ({ speech }) => {
          if (!item.isForgotten) add(clip, snapshot(item), speech);
        },
        () => undefined,
      );
    },
    /**
     * Deletes the matching texts. Matching queued texts never enter the history, nor do other members' replays of the
     * deleted texts: a kept replay would make a deleted text replayable.
     */
    forget(isTheirs: (order: SpeechOrder) => boolean, underWay: readonly LiveItem[]): void {
      const theirs = [...texts.keys()].filter((clip) => texts.peek(clip)?.times.some(({ order }) => isTheirs(order)));
      const isForgotten = ({ order, clip }: LiveItem) => isTheirs(order) || theirs.some((one) => one === clip);
      for (const item of underWay.filter(isForgotten)) item.isForgotten = true;
      for (const clip of theirs) texts.delete(clip);
    },
    clear: () => texts.clear(),
  };
}
