import { refusal, UserError } from '../../errors/user-errors.ts';
import type { SpeakerLimits } from '../presence/channel-presence.ts';
import type { LiveItem } from './queue-item.ts';

/** A server's waiting texts. Lanes (members or conversations) take turns, and texts of a lane keep their order. */
export interface Queue {
  /** The lanes (each with a member's or conversation's waiting texts) in the order of their turns. None is empty. */
  readonly lanes: readonly Lane[];
  /** The lane (member or conversation) that is being spoken: a new lane's texts go before this lane's next text. */
  readonly turnOf: string | undefined;
}

type Lane = readonly [LiveItem, ...LiveItem[]];

const laneOf = ({ order }: LiveItem) => order.lane ?? order.userId;

export const EMPTY_QUEUE: Queue = { lanes: [], turnOf: undefined };

/** Throws a UserError if the queue is full, or has as many texts of the member as it may. */
export function enqueue({ lanes, turnOf }: Queue, item: LiveItem, limits: SpeakerLimits): Queue {
  const { queueLimit, memberQueueLimit } = limits;
  const waiting = lanes.flat();
  if (waiting.length >= queueLimit) throw new UserError(refusal('queue-full', { limit: queueLimit }));
  const itsMembers = waiting.filter(({ order }) => order.userId === item.order.userId);
  if (itsMembers.length >= memberQueueLimit)
    throw new UserError(refusal('own-queue-full', { limit: memberQueueLimit }));
  const at = lanes.findIndex(([first]) => laneOf(first) === laneOf(item));
  const lane = lanes[at];
  if (lane) return { turnOf, lanes: lanes.with(at, [...lane, item]) };
  // A new lane (a member or conversation) goes last, but before the lane that is being spoken and has had its turn.
  const [last] = lanes.at(-1) ?? [];
  const isBehind = laneOf(item) !== turnOf && last !== undefined && laneOf(last) === turnOf;
  return { turnOf, lanes: lanes.toSpliced(isBehind ? lanes.length - 1 : lanes.length, 0, [item]) };
}

/** Removes the next text from the queue. Its lane then counts as being spoken. With an empty queue, no lane does. */
export function dequeue({ lanes: [lane, ...others] }: Queue) {
  if (!lane) return { item: undefined, queue: EMPTY_QUEUE };
  const [item, ...rest] = lane;
  return { item, queue: { turnOf: laneOf(item), lanes: [...others, ...lanesOf(rest)] } };
}

/** All queued texts in the order of their turns, if no other texts come. */
export function inOrder(queue: Queue): readonly LiveItem[] {
  const items: LiveItem[] = [];
  for (let turn = dequeue(queue); turn.item; turn = dequeue(turn.queue)) items.push(turn.item);
  return items;
}

export function withdraw(queue: Queue, matches: (item: LiveItem) => boolean) {
  const lanes = queue.lanes.flatMap((lane) => lanesOf(lane.filter((item) => !matches(item))));
  return { queue: { ...queue, lanes }, withdrawn: inOrder(queue).filter(matches) };
}

function lanesOf([first, ...rest]: readonly LiveItem[]): readonly Lane[] {
  return first === undefined ? [] : [[first, ...rest]];
}
