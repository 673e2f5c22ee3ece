import { expect, test } from 'vitest';
import { createEventLoopTurns } from '../../../src/audio/clips/event-loop-turns.ts';

test('turns go round in the order they were asked for, one in each round of the event loop', async () => {
  const turns = createEventLoopTurns();
  const log: string[] = [];
  async function work(name: string): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await turns.next();
      log.push(name);
    }
  }
  let rounds = 0;
  const count = setInterval(() => undefined, 1_000);
  const counting = (): void => {
    rounds += 1;
    if (log.length < 6) setImmediate(counting);
  };
  setImmediate(counting);
  await Promise.all([work('a'), work('b')]);
  clearInterval(count);
  expect(log.join('')).toBe('ababab');
  expect(rounds).toBeGreaterThanOrEqual(5);
});
