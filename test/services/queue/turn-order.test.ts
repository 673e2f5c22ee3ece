import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dequeue, emptyQueue, enqueue, inOrder, type Queue } from '../../../src/services/queue/turn-order.ts';
import { orderOf } from './items.ts';

const UNLIMITED = { queueLimit: 1_000, memberQueueLimit: 1_000 };

/** 'a1': the first item of member a. */
const item = (name: string, lane?: string) => ({
  order: orderOf({ userId: name.slice(0, 1), lane }),
  number: Number(name.slice(1)),
});
type Asked = ReturnType<typeof item>;

/** 'a1 a2 b1', added to the queue in this order. */
function filled(names: string, queue: Queue<Asked> = emptyQueue(), lane?: string): Queue<Asked> {
  return names.split(' ').reduce((before, name) => enqueue(before, item(name, lane), UNLIMITED) as Queue<Asked>, queue);
}

const names = (asked: readonly Asked[]) => asked.map(({ order, number }) => `${order.userId}${number}`).join(' ');

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
    const limits = { queueLimit: 3, memberQueueLimit: 2 };
    const queue = filled('a2', filled('a1'), 'chat');
    expect(enqueue(queue, item('a3'), limits)).toBe('member-full');
    expect(enqueue(queue, item('b1', 'chat'), limits)).not.toBe('member-full');
    expect(enqueue(filled('b1', queue), item('c1'), limits)).toBe('queue-full');
    expect(enqueue(dequeue(queue).queue, item('a3'), limits)).not.toBe('member-full');
  });

  it('keeps what is in one lane in its order, whoever wrote it, and lets others have their turns in between', () => {
    const queue = filled('a1 b1 a2', emptyQueue(), 'chat');
    expect(names(inOrder(queue))).toBe('a1 b1 a2');
    expect(names(inOrder(filled('c1 a3', queue)))).toBe('a1 c1 a3 b1 a2');
  });

  it('loses nothing, keeps each member’s order, and serves nobody twice while another waits', () => {
    const members = ['a', 'b', 'c', 'd', 'e'];
    const step = fc.oneof(fc.constantFrom(...members), fc.constant('served' as const));
    const play = (steps: readonly string[]) => {
      let queue: Queue<Asked> = emptyQueue();
      const accepted: Asked[] = [];
      const served: Asked[] = [];
      const serve = () => {
        const turn = dequeue(queue);
        queue = turn.queue;
        if (turn.item) served.push(turn.item);
        return turn.item !== undefined;
      };
      for (const [number, what] of steps.entries()) {
        if (what === 'served') serve();
        else {
          accepted.push({ order: orderOf({ userId: what }), number });
          queue = enqueue(queue, accepted.at(-1) as Asked, UNLIMITED) as Queue<Asked>;
          const waiting = inOrder(queue).map(({ order }) => order.userId);
          const firsts = waiting.slice(0, new Set(waiting).size);
          expect(new Set(firsts).size).toBe(firsts.length);
        }
      }
      while (serve());
      expect(served.toSorted((one, other) => one.number - other.number)).toEqual(accepted);
      for (const member of members) {
        const own = served.filter(({ order }) => order.userId === member).map(({ number }) => number);
        expect(own).toEqual(own.toSorted((one, other) => one - other));
      }
    };
    fc.assert(fc.property(fc.array(step, { maxLength: 80 }), play));
  });
});
