import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dequeue, emptyQueue, enqueue, type Queue, withdraw } from '../../src/services/queue.ts';

function filled<Item>(limit: number, items: readonly Item[]): Queue<Item> {
  return items.reduce((queue, item) => enqueue(queue, item) ?? queue, emptyQueue<Item>(limit));
}

describe('the queue', () => {
  it('gives items back in the order they came', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), (items) => {
        const given: number[] = [];
        let queue = filled(items.length, items);
        for (let turn = dequeue(queue); turn; turn = dequeue(queue)) {
          given.push(turn.item);
          queue = turn.queue;
        }
        expect(given).toEqual(items);
      }),
    );
  });

  it('takes no more than its limit, and says so', () => {
    const full = filled(2, ['a', 'b']);
    expect(enqueue(full, 'c')).toBeUndefined();
    expect(full.items).toEqual(['a', 'b']);
  });

  it('has room again after a turn', () => {
    const turn = dequeue(filled(1, ['a']));
    expect(turn && enqueue(turn.queue, 'b')?.items).toEqual(['b']);
  });

  it('gives nothing when nothing waits', () => {
    expect(dequeue(emptyQueue(3))).toBeUndefined();
  });

  it('lets one member’s items go without touching the others’', () => {
    const { queue, withdrawn } = withdraw(filled(9, [1, 2, 3, 4]), (item) => item % 2 === 0);
    expect(queue.items).toEqual([1, 3]);
    expect(withdrawn).toEqual([2, 4]);
  });
});
