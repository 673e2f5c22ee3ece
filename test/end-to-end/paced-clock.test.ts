import { expect, it } from 'vitest';

/** The paced clock passes 20 ms in a turn of the event loop at the most. */
const LONGER_THAN_A_TURN_MS = 60;

function passesWhileTheLoopStands(): number {
  const startedAtMs = performance.now();
  const until = process.hrtime.bigint() + BigInt(LONGER_THAN_A_TURN_MS) * 1_000_000n;
  while (process.hrtime.bigint() < until);
  return performance.now() - startedAtMs;
}

it('is one clock for all copies of its module, as Vitest may load it for a setup file once more', async () => {
  const copy = '../pace/paced-clock.ts?copy';
  const { takeRealTime } = await import(/* @vite-ignore */ copy);
  expect(passesWhileTheLoopStands()).toBeLessThan(LONGER_THAN_A_TURN_MS / 2);
  const giveBack = takeRealTime();
  expect(passesWhileTheLoopStands()).toBeGreaterThanOrEqual(LONGER_THAN_A_TURN_MS - 1);
  giveBack();
  expect(passesWhileTheLoopStands()).toBeLessThan(LONGER_THAN_A_TURN_MS / 2);
});
