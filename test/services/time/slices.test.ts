import { expect, it } from 'vitest';
import { inSlices } from '../../../src/services/time/slices.ts';

it('what began first ends first, however long it takes', async () => {
  const ended: string[] = [];
  async function work(name: string, slices: number): Promise<void> {
    const pause = inSlices();
    for (let slice = 0; slice < slices; slice += 1) {
      await pause();
      const untilMs = performance.now() + 4;
      while (performance.now() < untilMs);
    }
    ended.push(name);
  }
  await Promise.all([work('long', 4), work('short', 1), work('shorter', 1)]);
  expect(ended).toEqual(['long', 'short', 'shorter']);
});
