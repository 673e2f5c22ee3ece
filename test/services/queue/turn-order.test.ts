import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  dequeue,
  emptyQueue,
  enqueue,
  inOrder,
  type Queue,
  sizeOf,
  withdraw,
} from '../../../src/services/queue/turn-order.ts';

interface Asked {
  readonly userId: string;
  readonly number: number;
  readonly lane?: string;
}

const UNLIMITED = { queueLimit: 1_000, memberQueueLimit: 1_000 };

/** 'a1 a2 b1': items by their member and number. */
function items(names: string): Asked[] {
  return names.split(' ').flatMap((name) => (name ? { userId: name.slice(0, 1), number: Number(name.slice(1)) } : []));
}

function filled(names: string, queue: Queue<Asked> = emptyQueue()): Queue<Asked> {
  return items(names).reduce((before, item) => {
    const after = enqueue(before, item, UNLIMITED);
    if (typeof after === 'string') throw new Error(after);
    return after;
  }, queue);
}

const names = (asked: readonly Asked[]) => asked.map(({ userId, number }) => `${userId}${number}`).join(' ');

/** What happens to a queue: somebody asks, an item is served, one is taken back. */
const events = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ asks: fc.constantFrom('a', 'b', 'c', 'd', 'e') }) },
    { weight: 3, arbitrary: fc.constant('served' as const) },
    { weight: 1, arbitrary: fc.record({ takesBack: fc.nat(20) }) },
  ),
  { maxLength: 80 },
);

interface Run {
  readonly accepted: Asked[];
  readonly served: Asked[];
  readonly withdrawn: Asked[];
  queue: Queue<Asked>;
}

/** Plays the events; `onServed` sees each turn. At the end everything that is left is served. */
function run(
  steps: (typeof events extends fc.Arbitrary<infer T> ? T : never)[number][],
  limits = UNLIMITED,
  hooks: { asked?(item: Asked, run: Run): void; served?(item: Asked, run: Run): void } = {},
): Run {
  const state: Run = { accepted: [], served: [], withdrawn: [], queue: emptyQueue() };
  const serve = () => {
    const turn = dequeue(state.queue);
    state.queue = turn.queue;
    if (!turn.item) return false;
    state.served.push(turn.item);
    hooks.served?.(turn.item, state);
    return true;
  };
  for (const [number, step] of steps.entries()) {
    if (step === 'served') {
      serve();
    } else if ('asks' in step) {
      const item = { userId: step.asks, number };
      const after = enqueue(state.queue, item, limits);
      if (typeof after === 'string') continue;
      state.queue = after;
      state.accepted.push(item);
      hooks.asked?.(item, state);
    } else {
      const victim = inOrder(state.queue)[step.takesBack];
      const { queue, withdrawn } = withdraw(state.queue, (item) => item === victim);
      state.queue = queue;
      state.withdrawn.push(...withdrawn);
    }
  }
  while (serve());
  return state;
}

describe('the queue', () => {
  it('goes round between members and keeps each one’s order', () => {
    expect(names(inOrder(filled('a1 a2 a3 b1 c1 b2')))).toBe('a1 b1 c1 a2 b2 a3');
  });

  it('counts what is being spoken as its member’s turn: who comes meanwhile goes first', () => {
    const { queue } = dequeue(filled('a1 a2'));
    expect(names(inOrder(filled('b1 c1', queue)))).toBe('b1 c1 a2');
    const alone = dequeue(filled('a1')).queue;
    expect(names(inOrder(filled('a2 b1', alone)))).toBe('b1 a2');
  });

  it('gives nothing when nothing waits, and then it is nobody’s turn', () => {
    const { queue } = dequeue(dequeue(filled('a1')).queue);
    expect(dequeue(queue).item).toBeUndefined();
    expect(names(inOrder(filled('a2 b1', queue)))).toBe('a2 b1');
  });

  it('takes no more than its limit, nor more of one member than that one’s share, and says which', () => {
    const limits = { queueLimit: 3, memberQueueLimit: 2 };
    const queue = filled('a1 a2');
    expect(enqueue(queue, { userId: 'a', number: 3 }, limits)).toBe('member-full');
    expect(enqueue(filled('b1', queue), { userId: 'c', number: 1 }, limits)).toBe('queue-full');
    expect(enqueue(dequeue(queue).queue, { userId: 'a', number: 3 }, limits)).not.toBe('member-full');
  });

  it('keeps what waits when the limits are lowered', () => {
    const queue = filled('a1 a2 b1');
    expect(enqueue(queue, { userId: 'c', number: 1 }, { queueLimit: 1, memberQueueLimit: 1 })).toBe('queue-full');
    expect(names(inOrder(queue))).toBe('a1 b1 a2');
  });

  it('lets items go without touching the others’ order', () => {
    const { queue, withdrawn } = withdraw(filled('a1 a2 b1 b2'), ({ userId }) => userId === 'a');
    expect(names(inOrder(queue))).toBe('b1 b2');
    expect(names(withdrawn)).toBe('a1 a2');
  });

  it('keeps what is in one lane in its order, whoever wrote it, and lets others have their turns in between', () => {
    const chat = items('a1 b1 a2').map((item) => ({ ...item, lane: 'chat' }));
    const queue = chat.reduce<Queue<Asked>>((before, item) => {
      const after = enqueue(before, item, UNLIMITED);
      return typeof after === 'string' ? before : after;
    }, emptyQueue());
    expect(names(inOrder(queue))).toBe('a1 b1 a2');
    expect(names(inOrder(filled('c1 a3', queue)))).toBe('a1 c1 a3 b1 a2');
  });

  it('counts a member’s share over all lanes', () => {
    const limits = { queueLimit: 9, memberQueueLimit: 2 };
    const queue = enqueue(filled('a1'), { userId: 'a', number: 2, lane: 'chat' }, limits);
    if (typeof queue === 'string') throw new Error(queue);
    expect(enqueue(queue, { userId: 'a', number: 3 }, limits)).toBe('member-full');
    expect(enqueue(queue, { userId: 'b', number: 1, lane: 'chat' }, limits)).not.toBe('member-full');
  });

  it('loses nothing and gives nothing twice', () => {
    fc.assert(
      fc.property(events, (steps) => {
        const { accepted, served, withdrawn } = run(steps);
        expect([...served, ...withdrawn].map(({ number }) => number).sort((a, b) => a - b)).toEqual(
          accepted.map(({ number }) => number),
        );
      }),
    );
  });

  it('serves a member’s items in the order in which they were asked for', () => {
    fc.assert(
      fc.property(events, (steps) => {
        const { served } = run(steps);
        for (const member of ['a', 'b', 'c', 'd', 'e']) {
          const own = served.filter(({ userId }) => userId === member).map(({ number }) => number);
          expect(own).toEqual([...own].sort((a, b) => a - b));
        }
      }),
    );
  });

  it('lets nobody go before an item more often than the item’s own member has turns until then', () => {
    fc.assert(
      fc.property(events, (steps) => {
        /** For each waiting item: how many of its member’s go before it, and how often each other member was served. */
        const waiting = new Map<Asked, { ownBefore: number; others: Map<string, number> }>();
        run(steps, UNLIMITED, {
          asked(item, { queue }) {
            const own = inOrder(queue).filter(({ userId }) => userId === item.userId);
            waiting.set(item, { ownBefore: own.length - 1, others: new Map() });
          },
          served(item) {
            const record = waiting.get(item);
            const most = Math.max(0, ...(record?.others.values() ?? []));
            expect(most).toBeLessThanOrEqual((record?.ownBefore ?? 0) + 1);
            waiting.delete(item);
            for (const [other, { others }] of waiting) {
              if (other.userId !== item.userId) others.set(item.userId, (others.get(item.userId) ?? 0) + 1);
            }
          },
        });
      }),
    );
  });

  it('starves nobody, however fast another one asks', () => {
    let queue = filled('a1 a2 a3 a4 b1');
    const turns: string[] = [];
    for (let number = 5; turns.at(-1) !== 'b'; number++) {
      const turn = dequeue(queue);
      turns.push(turn.item?.userId ?? '');
      queue = filled(`a${number} a${number + 100}`, turn.queue);
    }
    expect(turns).toEqual(['a', 'b']);
  });

  it('never holds more than its limits', () => {
    fc.assert(
      fc.property(events, fc.integer({ min: 0, max: 6 }), fc.integer({ min: 1, max: 3 }), (steps, all, own) => {
        run(
          steps,
          { queueLimit: all, memberQueueLimit: own },
          {
            asked(_, { queue }) {
              expect(sizeOf(queue)).toBeLessThanOrEqual(all);
              for (const lane of queue.lanes) expect(lane.length).toBeLessThanOrEqual(own);
            },
          },
        );
      }),
    );
  });
});
