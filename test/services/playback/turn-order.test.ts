import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dequeue, EMPTY_QUEUE, enqueue, inOrder, type Queue } from '../../../src/services/playback/speaker-state.ts';
import { DEFAULT_SPEAKER_LIMITS } from '../../../src/services/presence/channel-presence.ts';
import type { LiveItem } from '../../../src/services/queue/queue-item.ts';
import { orderOf } from '../queue/items.ts';

const UNLIMITED = { ...DEFAULT_SPEAKER_LIMITS, queueLimit: 1_000, memberQueueLimit: 1_000 };

/** 'a1': the first item of member a. */
const item = (name: string, lane?: string) =>
  ({ id: name, order: orderOf({ userId: name.slice(0, 1), lane }) }) as LiveItem;

/** 'a1 a2 b1', added to the queue in this order. */
function filled(names: string, queue = EMPTY_QUEUE, lane?: string): Queue {
  return names.split(' ').reduce((before, name) => enqueue(before, item(name, lane), UNLIMITED), queue);
}

const names = (asked: readonly LiveItem[]) => asked.map(({ id }) => id).join(' ');

describe('the queue', () => {
  it('counts what is being spoken as its member’s turn: who comes meanwhile goes first', () => {
    const { queue } = dequeue(filled('a1 a2'));
    expect(names(inOrder(filled('b1 c1', queue)))).toBe('b1 c1 a2');
    const alone = dequeue(filled('a1')).queue;
    expect(names(inOrder(filled('a2 b1', alone)))).toBe('b1 a2');
    // With an empty queue, it is nobody's turn.
    expect(names(inOrder(filled('a2 b1', dequeue(alone).queue)))).toBe('a2 b1');
  });

  it('takes no more than its limit, nor more of one member than that one’s share over all lanes', () => {
    const limits = { ...DEFAULT_SPEAKER_LIMITS, queueLimit: 3, memberQueueLimit: 2 };
    const queue = filled('a2', filled('a1'), 'chat');
    const refused = (kind: string) => expect.objectContaining({ kind });
    expect(() => enqueue(queue, item('a3'), limits)).toThrow(refused('own-queue-full'));
    expect(names(inOrder(enqueue(queue, item('b1', 'chat'), limits)))).toBe('a1 a2 b1');
    expect(() => enqueue(filled('b1', queue), item('c1'), limits)).toThrow(refused('queue-full'));
    expect(names(inOrder(enqueue(dequeue(queue).queue, item('a3'), limits)))).toBe('a2 a3');
  });

  it('keeps what is in one lane in its order, whoever wrote it, and lets others have their turns in between', () => {
    const queue = filled('a1 b1 a2', EMPTY_QUEUE, 'chat');
    expect(names(inOrder(queue))).toBe('a1 b1 a2');
    expect(names(inOrder(filled('c1 a3', queue)))).toBe('a1 c1 a3 b1 a2');
  });

  it('loses nothing, keeps each member’s order, and serves nobody twice while another waits', () => {
    const members = ['a', 'b', 'c', 'd', 'e'];
    const step = fc.oneof(fc.constantFrom(...members), fc.constant('served' as const));
    const play = (steps: readonly string[]) => {
      let queue = EMPTY_QUEUE;
      const accepted: LiveItem[] = [];
      const served: LiveItem[] = [];
      const serve = () => {
        const turn = dequeue(queue);
        queue = turn.queue;
        if (turn.item) served.push(turn.item);
        return turn.item !== undefined;
      };
      for (const [number, what] of steps.entries()) {
        if (what === 'served') serve();
        else {
          const asked = item(`${what}${number}`);
          accepted.push(asked);
          queue = enqueue(queue, asked, UNLIMITED);
          const waiting = inOrder(queue).map(({ order }) => order.userId);
          const firsts = waiting.slice(0, new Set(waiting).size);
          expect(new Set(firsts).size).toBe(firsts.length);
        }
      }
      while (serve());
      expect(served.toSorted((one, other) => accepted.indexOf(one) - accepted.indexOf(other))).toEqual(accepted);
      for (const member of members) {
        const own = (items: readonly LiveItem[]) => items.filter(({ order }) => order.userId === member);
        expect(own(served)).toEqual(own(accepted));
      }
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 80 }), play));
  });
});
