import { beforeEach, expect, it, vi } from 'vitest';
import { createQuotas, FIRST_QUOTA_WAIT_MS, MAX_QUOTA_WAIT_MS } from '../../../src/speech/client/client.ts';
import { SpeechError } from '../../../src/speech/errors.ts';

const usedUp = (retryAfterMs?: number) =>
  new SpeechError({ kind: 'quota-exceeded', message: 'quota', status: 429, requestId: 'req_1', retryAfterMs });

/** Circuits with what they tell the operator. */
function setUp() {
  const changes: object[] = [];
  const note = (facts: object) => void changes.push(facts);
  return { quotas: createQuotas({ debug: note, info: note, warn: note }), changes };
}

// The circuits measure with Date.now().
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

it('opens at the first used-up quota, says when it will try again, and silences no other model', () => {
  const { quotas, changes } = setUp();
  expect(quotas.open('gpro', usedUp())).toMatchObject({ requestId: 'req_1', retryAfterMs: FIRST_QUOTA_WAIT_MS });
  pass(60_000);
  const retryAfterMs = FIRST_QUOTA_WAIT_MS - 60_000;
  expect(() => quotas.check('gpro')).toThrow(expect.objectContaining({ kind: 'quota-exceeded', retryAfterMs }));
  expect(quotas.retryAfterMs('gpro')).toBe(retryAfterMs);
  // Another call of the same moment.
  quotas.open('gpro', usedUp());
  quotas.check('ext');
  expect(changes).toEqual([{ quotaOf: 'gpro', isUsedUp: true, retryAfterMs: FIRST_QUOTA_WAIT_MS }]);
});

it('tries again after the wait and closes when the quota is back', () => {
  const { quotas, changes } = setUp();
  quotas.open('gpro', usedUp());
  pass(FIRST_QUOTA_WAIT_MS);
  quotas.check('gpro');
  quotas.close('gpro');
  quotas.close('gpro');
  expect(changes).toMatchObject([{ isUsedUp: true }, { isUsedUp: false }]);
});

it('waits twice as long after each further failure, up to the longest, and as long as the service announces', () => {
  const { quotas } = setUp();
  const waits = Array.from({ length: 9 }, () => {
    const wait = quotas.open('gpro', usedUp()).retryAfterMs ?? 0;
    pass(wait);
    return wait;
  });
  expect(waits.map((wait) => wait / 60_000)).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360]);
  expect(waits.at(-1)).toBe(MAX_QUOTA_WAIT_MS);
  expect(quotas.open('gpro', usedUp(30_000)).retryAfterMs).toBe(30_000);
});
