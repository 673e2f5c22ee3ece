import { describe, expect, it } from 'vitest';
import { afterLoss, afterTrial, type LostInARow, NONE_LOST } from '../../../src/services/spending/lost-in-a-row.ts';

const losses = (causes: readonly string[], atMs = 0): LostInARow =>
  causes.reduce((before, cause) => afterLoss(before, cause, atMs), NONE_LOST);
const stopped = losses(['unreachable', 'unreachable', 'unreachable']);

describe('paid audio that is lost', () => {
  it('stops payment at the third in a row by one cause, and another cause begins a new row', () => {
    expect(losses(['unreachable', 'unreachable']).nextTrialAtMs).toBeUndefined();
    expect(stopped).toMatchObject({ count: 3, nextTrialAtMs: 30_000 });
    const mixed = losses(['unreachable', 'unreachable', 'damaged', 'unreachable', 'unreachable']);
    expect(mixed).toMatchObject({ count: 2, nextTrialAtMs: undefined });
  });

  it('moves no trial where its request was under way when payment stopped', () => {
    expect(afterLoss(stopped, 'unreachable', 29_999)).toMatchObject({ count: 4, nextTrialAtMs: 30_000 });
    expect(afterLoss(stopped, 'damaged', 29_999)).toMatchObject({ count: 4, nextTrialAtMs: 30_000 });
  });

  it('is tried at intervals that double up to half an hour', () => {
    let state = stopped;
    const intervalsS: number[] = [];
    for (let trial = 0; trial < 9; trial++) {
      const atMs = state.nextTrialAtMs as number;
      state = afterLoss(afterTrial(state, atMs), 'unreachable', atMs + 5_000);
      intervalsS.push(((state.nextTrialAtMs as number) - atMs) / 1000);
    }
    expect(intervalsS).toEqual([60, 120, 240, 480, 960, 1800, 1800, 1800, 1800]);
  });
});
