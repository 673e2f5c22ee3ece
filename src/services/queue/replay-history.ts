import type { Clip } from '../../audio/clips/clip.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import type { SpeechFacts, Synthesis } from '../synthesis/synthesis-types.ts';
import { type QueueEntry, snapshot } from './entry.ts';
import type { QueuedItem, SpokenItem } from './queued-item.ts';
import type { Delivery } from './utterance.ts';

/** Sound at about 8 kB a second: the last few texts, little enough for a thousand servers. */
const MAX_BYTES = 1_000_000;
/** The latest may be one of the longest texts there are: 4,000 characters, spoken slowly. */
const MAX_LATEST_BYTES = 4_000_000;
const MAX_ITEMS = 5;
const KEPT_MS = 15 * 60_000;

/** What was spoken a short while ago, the latest first; bounded in number, bytes and time. */
interface RecentlySpoken<Spoken extends SpokenItem> {
  readonly all: readonly Spoken[];
  find(itemId: string): Spoken | undefined;
  add(spoken: Spoken): void;
  /** Forgets the matching ones; how many they were. */
  drop(matches: (spoken: Spoken) => boolean): number;
  clear(): void;
}

export function createRecentlySpoken<Spoken extends SpokenItem>(): RecentlySpoken<Spoken> {
  let kept: readonly { readonly spoken: Spoken; readonly bytes: number; readonly untilMs: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** One timer at a time, however often something is added: Node keeps a list for each duration until it is over. */
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
    kept = kept.slice(0, MAX_ITEMS).filter((entry, index) => {
      bytes += entry.bytes;
      return bytes <= (index === 0 ? MAX_LATEST_BYTES : MAX_BYTES);
    });
  }

  return {
    get all() {
      return kept.map(({ spoken }) => spoken);
    },
    find: (itemId) => kept.find(({ spoken }) => spoken.item.id === itemId)?.spoken,
    add(spoken) {
      const bytes = spoken.clip.packets.reduce((sum, { length }) => sum + length, 0);
      kept = [{ spoken, bytes, untilMs: performance.now() + KEPT_MS }, ...kept];
      dropSurplus();
      dropOld();
    },
    drop(matches) {
      const before = kept.length;
      kept = kept.filter(({ spoken }) => !matches(spoken));
      dropOld();
      return before - kept.length;
    },
    clear,
  };
}

type Remembered = SpokenItem & Pick<Delivery, 'speech'>;

/** The utterances that were heard in one server and can be replayed. */
interface ReplayHistory {
  /** The latest first. */
  readonly items: readonly QueuedItem[];
  find(itemId: string): Remembered | undefined;
  /** Remembers, once its requester has been told, what was heard and is there as a whole. */
  keep(entry: QueueEntry): void;
  /** Forgets what was spoken for a member, now and of what they have under way: how many it were. */
  forget(userId: string, underWay: readonly QueueEntry[]): number;
  clear(): void;
}

export function createReplayHistory(): ReplayHistory {
  const recent = createRecentlySpoken<Remembered>();

  return {
    get items() {
      return recent.all.map(({ item }) => item);
    },
    find: recent.find,
    keep(entry) {
      const { clip, delivery } = entry;
      if (clip?.state !== 'complete') return;
      const told = ({ speech }: Delivery) => {
        if (!entry.isForgotten) recent.add({ item: snapshot(entry), clip, speech });
      };
      delivery.then(told, () => undefined);
    },
    forget(userId, underWay) {
      for (const entry of underWay) entry.isForgotten = true;
      return recent.drop(({ item }) => item.userId === userId);
    },
    clear: recent.clear,
  };
}

/** Of what was spoken before and is heard again: its sound is there, and what was billed then is not billed again. */
export function madeBefore(
  request: SpeechRequest,
  clip: Clip,
  { requestId: _, inputCharacters: __, ...known }: SpeechFacts,
): Synthesis {
  return {
    request,
    clip: Promise.resolve(clip),
    facts: () => ({ ...known, creditsUsed: 0, cached: true, warnings: [] }),
    end: () => Promise.resolve({ kind: 'none' }),
  };
}
