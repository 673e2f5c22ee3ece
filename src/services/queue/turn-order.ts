export interface Waiting {
  readonly order: {
    /** The requester: turns go round between members. */
    readonly userId: string;
    /**
     * Items of one lane take turns as if one member had asked for them, in their order: a conversation that is read
     * out stays one. Undefined: the member's own.
     */
    readonly lane?: string | undefined;
  };
}

/**
 * Items waiting for their turn, one lane's after the other's: each with something waiting is served once before any is
 * served twice, and a lane's own items keep their order. A value: every change makes a new one.
 */
export interface Queue<Item extends Waiting> {
  /** Each with something waiting, in the order of their turns. */
  readonly lanes: readonly Lane<Item>[];
  /** The member whose turn it is. The current item counts, so that newcomers go before the next item of that lane. */
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

export function sizeOf({ lanes }: Queue<Waiting>): number {
  return lanes.reduce((size, lane) => size + lane.length, 0);
}

/** The queue with the item as its lane's last, or what is full. */
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
  // The lane of the one whose turn it is, is always the last.
  const [last] = lanes.at(-1) ?? [];
  const isBehind = laneOf(item) !== turnOf && last !== undefined && laneOf(last) === turnOf;
  return { turnOf, lanes: lanes.toSpliced(isBehind ? lanes.length - 1 : lanes.length, 0, [item]) };
}

/** The item at its turn, and the queue without it. With an empty queue, no member has the turn. */
export function dequeue<Item extends Waiting>(
  queue: Queue<Item>,
): { readonly item: Item | undefined; readonly queue: Queue<Item> } {
  const [lane, ...others] = queue.lanes;
  if (!lane) return { item: undefined, queue: emptyQueue() };
  const [item, ...rest] = lane;
  return { item, queue: { turnOf: laneOf(item), lanes: [...others, ...lanesOf(rest)] } };
}

/** The queue in the order in which it is served if no other items come. */
export function inOrder<Item extends Waiting>(queue: Queue<Item>): readonly Item[] {
  const items: Item[] = [];
  for (let turn = dequeue(queue); turn.item; turn = dequeue(turn.queue)) items.push(turn.item);
  return items;
}

/** Takes out every item that matches: what is left, and what was taken, in the order of serving. */
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
