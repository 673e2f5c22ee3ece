import type { Clip } from '../../audio/clips/clip.ts';
import type { SpeechFacts, Synthesis } from '../synthesis/synthesis.ts';
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
  readonly clip: Clip;
  readonly speech: SpeechFacts;
  /** All times when the text was spoken, the latest first. The text belongs to the member who first had it spoken. */
  readonly times: readonly QueueItem[];
  readonly timer: NodeJS.Timeout;
}

/** Each speaker queue has a replay history, which is kept between stays in voice until the bot stops or is removed. */
export function createReplayHistory() {
  let texts: readonly Remembered[] = [];

  function drop(matches: (text: Remembered) => boolean): number {
    const dropped = texts.filter(matches);
    for (const { timer } of dropped) clearTimeout(timer);
    texts = texts.filter((text) => !dropped.includes(text));
    return dropped.length;
  }

  function add(clip: Clip, item: QueueItem, speech: SpeechFacts): void {
    const { times = [] } = texts.find((text) => text.clip === clip) ?? {};
    const { userId } = times[0]?.order ?? item.order;
    drop((text) => text.clip === clip);
    const timer = setTimeout(() => drop((text) => text.clip === clip), KEPT_MS).unref();
    const time = { ...item, order: { ...item.order, userId } };
    texts = [{ clip, speech, timer, times: [time, ...times].slice(0, MAX_TIMES) }, ...texts];
    let bytes = 0;
    const isSurplus = (text: Remembered) => {
      const index = texts.indexOf(text);
      bytes += text.clip.packets.reduce((sum, { length }) => sum + length, 0);
      return index >= MAX_TEXTS || bytes > (index === 0 ? MAX_LATEST_BYTES : MAX_BYTES);
    };
    drop(isSurplus);
  }

  return {
    /** Texts that can be replayed, the latest first. A text that was replayed appears once, with its latest time. */
    get items(): readonly QueueItem[] {
      return texts.flatMap(({ times }) => times.slice(0, 1));
    },
    find(itemId: string) {
      for (const { clip, speech, times } of texts) {
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
    /** Deletes the matching texts and returns their number. Queued texts in `underWay` never enter the history. */
    forget(isTheirs: (order: SpeechOrder) => boolean, underWay: readonly LiveItem[]): number {
      for (const item of underWay) item.isForgotten = true;
      return drop(({ times: [latest] }) => latest !== undefined && isTheirs(latest.order));
    },
    clear: () => void drop(() => true),
  };
}

/** A replay costs nothing, because its audio already exists. */
export function madeBefore(clip: Clip, known: SpeechFacts): Synthesis {
  return {
    clip: Promise.resolve(clip),
    facts: () => ({ ...known, requestId: undefined, inputCharacters: undefined, creditsUsed: 0, cached: true }),
    end: () => Promise.resolve({ kind: 'none' }),
  };
}
