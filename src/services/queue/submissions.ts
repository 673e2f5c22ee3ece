import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import { isOver, type QueueEntry } from './entry.ts';
import type { SpeakerLimits } from './speaker-limits.ts';
import { dequeue, emptyQueue, enqueue, inOrder, type Queue, sizeOf, withdraw } from './turn-order.ts';
import { StoppedByMember } from './utterance.ts';

/** Longer delays make setTimeout fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** All that a server's speaker has been asked for and has not yet spoken. */
export interface Line {
  /** How many wait. */
  readonly size: number;
  /** The one being made or spoken. */
  readonly current: QueueEntry | undefined;
  /** In the order of speaking. */
  readonly waiting: readonly QueueEntry[];
  /** Both, the present one first. */
  readonly all: readonly QueueEntry[];
  /** Puts it in; throws a UserError when there is no room for it, or when it repeats what was asked for a moment ago. */
  add(entry: QueueEntry): void;
  /** Takes out whose turn it is now. */
  take(): QueueEntry | undefined;
  /** Whose turn would be next. */
  next(): QueueEntry | undefined;
  /** Ends the matching ones, the present one included; how many of them were still waiting. */
  cancel(matches: (entry: QueueEntry) => boolean, reason: UserError): number;
  cancelWaiting(reason: UserError): void;
}

export function createLine(options: {
  readonly limits: () => SpeakerLimits;
  readonly onTurn: () => QueueEntry | undefined;
  readonly onChanged: () => void;
}): Line {
  let queue: Queue<QueueEntry> = emptyQueue();
  /** What was asked for within the last seconds. */
  let lately: readonly QueueEntry[] = [];
  let forgetting: NodeJS.Timeout | undefined;

  function current(): QueueEntry | undefined {
    const entry = options.onTurn();
    return entry && !isOver(entry) ? entry : undefined;
  }

  function all(): readonly QueueEntry[] {
    const first = current();
    return [...(first ? [first] : []), ...inOrder(queue)];
  }

  function isRepeated({ duplicateKey }: QueueEntry): boolean {
    forgetOld();
    // What failed or was skipped may be asked for again at once.
    return lately.some(
      (entry) => entry.duplicateKey === duplicateKey && entry.state !== 'failed' && entry.state !== 'skipped',
    );
  }

  /** In time, and not only when somebody asks again: each holds its whole sound. */
  function forgetOld(): void {
    clearTimeout(forgetting);
    const { duplicateMs } = options.limits();
    lately = lately.filter(({ acceptedAtMs }) => performance.now() - acceptedAtMs < duplicateMs);
    if (lately.length > 0) forgetting = setTimeout(forgetOld, Math.min(duplicateMs, LONGEST_DELAY_MS)).unref();
  }

  function withdrawAll(matches: (entry: QueueEntry) => boolean, reason: UserError): number {
    const { queue: left, withdrawn } = withdraw(queue, matches);
    queue = left;
    for (const entry of withdrawn) {
      entry.state = reason instanceof StoppedByMember ? 'skipped' : 'failed';
      void entry.item.fail(reason);
    }
    options.onChanged();
    return withdrawn.length;
  }

  return {
    get size() {
      return sizeOf(queue);
    },
    get current() {
      return current();
    },
    get waiting() {
      return inOrder(queue);
    },
    get all() {
      return all();
    },
    add(entry) {
      if (isRepeated(entry)) throw new UserError(text('refused.duplicate'));
      const { queueLimit, memberQueueLimit } = options.limits();
      const longer = enqueue(queue, entry, { queueLimit, memberQueueLimit });
      if (longer === 'queue-full') throw new UserError(text('refused.queue-full', { limit: queueLimit }));
      if (longer === 'member-full') throw new UserError(text('refused.own-queue-full', { limit: memberQueueLimit }));
      queue = longer;
      lately = [...lately, entry];
      forgetOld();
    },
    take() {
      const turn = dequeue(queue);
      queue = turn.queue;
      return turn.item;
    },
    next: () => queue.lanes[0]?.[0],
    cancel(matches, reason) {
      const waiting = withdrawAll(matches, reason);
      const speaking = current();
      if (speaking && matches(speaking)) speaking.item.cancel(reason);
      return waiting;
    },
    cancelWaiting: (reason) => void withdrawAll(() => true, reason),
  };
}
