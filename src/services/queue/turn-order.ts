import type { SpeechOrder } from './queue-item.ts';

export interface Waiting {
  readonly order: SpeechOrder;
}

/** A server's waiting texts. Lanes (members or conversations) take turns, and texts of a lane keep their order. */
export interface Queue<Item extends Waiting> {
  /** The lanes (each with a member's or conversation's waiting texts) in the order of their turns. None is empty. */
  readonly lanes: readonly Lane<Item>[];
  /** The lane (member or conversation) that is being spoken: a new lane's texts go before this lane's next text. */
  readonly turnOf: string | undefined;
}

type Lane<Item> = readonly [Item, ...Item[]];

const laneOf = ({ order }: Waiting) => order.lane ?? order.userId;

interface QueueLimits {
  readonly queueLimit: number;
  readonly memberQueueLimit: number;
}

export function emptyQueue<Item extends Waiting>(): Queue<Item> {
  return { lanes: [], turnOf: undefined };
}

export function enqueue<Item extends Waiting>(
  queue: Queue<Item>,
  item: Item,
  { queueLimit, memberQueueLimit }: QueueLimits,
): Queue<Item> | 'queue-full' | 'member-full' {
  const { lanes, turnOf } = queue;
  const waiting = lanes.flat();
  if (waiting.length >= queueLimit) return 'queue-full';
  const itsMembers = waiting.filter(({ order }) => order.userId === item.order.userId);
  if (itsMembers.length >= memberQueueLimit) return 'member-full';
  const at = lanes.findIndex(([first]) => laneOf(first) === laneOf(item));
  const lane = lanes[at];
  if (lane) return { turnOf, lanes: lanes.with(at, [...lane, item]) };
  // A new lane (a member or conversation) goes last, but before the lane that is being spoken and has had its turn.
  const [last] = lanes.at(-1) ?? [];
  const isBehind = laneOf(item) !== turnOf && last !== undefined && laneOf(last) === turnOf;
  return { turnOf, lanes: lanes.toSpliced(isBehind ? lanes.length - 1 : lanes.length, 0, [item]) };
}

/** Removes the next text from the queue. Its lane then counts as being spoken. With an empty queue, no lane does. */
export function dequeue<Item extends Waiting>(queue: Queue<Item>) {
  const [lane, ...others] = queue.lanes;
  if (!lane) return { item: undefined, queue: emptyQueue<Item>() };
  const [item, ...rest] = lane;
  return { item, queue: { turnOf: laneOf(item), lanes: [...others, ...lanesOf(rest)] } };
}

/** All queued texts in the order of their turns, if no other texts come. */
export function inOrder<Item extends Waiting>(queue: Queue<Item>): readonly Item[] {
  const items: Item[] = [];
  for (let turn = dequeue(queue); turn.item; turn = dequeue(turn.queue)) items.push(turn.item);
  return items;
}

export function withdraw<Item extends Waiting>(queue: Queue<Item>, matches: (item: Item) => boolean) {
  const lanes = queue.lanes.flatMap((lane) => lanesOf(lane.filter((item) => !matches(item))));
  return { queue: { ...queue, lanes }, withdrawn: inOrder(queue).filter(matches) };
}

function lanesOf<Item>([first, ...rest]: readonly Item[]): readonly Lane<Item>[] {
  return first === undefined ? [] : [[first, ...rest]];
}
