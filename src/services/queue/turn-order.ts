import type { SpeechOrder } from './queue-item.ts';

export interface Waiting {
  readonly order: SpeechOrder;
}

/**
 * The waiting texts of a server in lanes: one for each member or conversation. Each lane is served once before any lane
 * is served twice. Texts of a lane keep their order. The queue is immutable: every change makes a new queue.
 */
export interface Queue<Item extends Waiting> {
  /** A lane holds the waiting texts of a member or conversation. Empty lanes are left out. In the order of turns. */
  readonly lanes: readonly Lane<Item>[];
  /** The lane (member or conversation) that is being spoken: texts of a new lane go before that lane's next text. */
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

function sizeOf({ lanes }: Queue<Waiting>): number {
  return lanes.reduce((size, lane) => size + lane.length, 0);
}

/**
 * Returns the queue with the text at the end of its lane (the texts of one member or conversation), or which limit is
 * reached.
 */
export function enqueue<Item extends Waiting>(
  queue: Queue<Item>,
  item: Item,
  { queueLimit, memberQueueLimit }: QueueLimits,
): Queue<Item> | 'queue-full' | 'member-full' {
  if (sizeOf(queue) >= queueLimit) return 'queue-full';
  const { lanes, turnOf } = queue;
  const itsMembers = lanes.flat().filter(({ order }) => order.userId === item.order.userId);
  if (itsMembers.length >= memberQueueLimit) return 'member-full';
  const at = lanes.findIndex(([first]) => laneOf(first) === laneOf(item));
  const lane = lanes[at];
  if (lane) return { turnOf, lanes: lanes.with(at, [...lane, item]) };
  // If the lane (member or conversation) that is being spoken has more texts, it is the last lane. A new lane goes
  // before it, because the new lane has not been served yet.
  const [last] = lanes.at(-1) ?? [];
  const isBehind = laneOf(item) !== turnOf && last !== undefined && laneOf(last) === turnOf;
  return { turnOf, lanes: lanes.toSpliced(isBehind ? lanes.length - 1 : lanes.length, 0, [item]) };
}

/**
 * Takes the next text from the queue. Its lane (member or conversation) then counts as being spoken; with an empty
 * queue, none does.
 */
export function dequeue<Item extends Waiting>(
  queue: Queue<Item>,
): { readonly item: Item | undefined; readonly queue: Queue<Item> } {
  const [lane, ...others] = queue.lanes;
  if (!lane) return { item: undefined, queue: emptyQueue() };
  const [item, ...rest] = lane;
  return { item, queue: { turnOf: laneOf(item), lanes: [...others, ...lanesOf(rest)] } };
}

/** All queued texts in the order of their turns, if no other texts come. */
export function inOrder<Item extends Waiting>(queue: Queue<Item>): readonly Item[] {
  const items: Item[] = [];
  for (let turn = dequeue(queue); turn.item; turn = dequeue(turn.queue)) items.push(turn.item);
  return items;
}

/** Removes all matching texts from the queue, and returns them in the order of their turns. */
export function withdraw<Item extends Waiting>(
  queue: Queue<Item>,
  matches: (item: Item) => boolean,
): { readonly queue: Queue<Item>; readonly withdrawn: readonly Item[] } {
  const lanes = queue.lanes.flatMap((lane) => lanesOf(lane.filter((item) => !matches(item))));
  return { queue: { ...queue, lanes }, withdrawn: inOrder(queue).filter(matches) };
}

function lanesOf<Item>([first, ...rest]: readonly Item[]): readonly Lane<Item>[] {
  return first === undefined ? [] : [[first, ...rest]];
}
