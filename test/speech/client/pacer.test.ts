import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createPacer,
  DEFAULT_REQUESTS_PER_MINUTE,
  MAX_PAUSE_MS,
  readRateLimit,
} from '../../../src/speech/client/pacer.ts';
import { createManualClock } from '../../pace/manual-clock.ts';

const never = new AbortController().signal;

function setUp() {
  const clock = createManualClock();
  const pacer = createPacer(clock);
  const served: string[] = [];
  const ask = (key: string, label = key, signal = never) =>
    pacer.turn(key, signal).then((isServed) => served.push(isServed ? label : `${label} gave up`));
  return { clock, pacer, served, ask };
}

/** Takes turns until the next one would have to wait. */
async function drain(pacer: ReturnType<typeof createPacer>) {
  for (let turn = 0; turn < DEFAULT_REQUESTS_PER_MINUTE; turn++) await pacer.turn('', never);
}

describe('the pacer', () => {
  it('never lets more than the limit and its refill through, however long it runs', async () => {
    const { clock, served, ask } = setUp();
    for (let request = 0; request < 300; request++) void ask(`guild ${request % 7}`);
    await clock.advance(60_000);
    expect(served.length).toBe(2 * DEFAULT_REQUESTS_PER_MINUTE);
  });

  it('serves waiting servers in turn, so that a busy one does not starve the others', async () => {
    const { clock, pacer, served, ask } = setUp();
    await drain(pacer);
    for (const label of ['a1', 'a2', 'a3', 'a4']) void ask('a', label);
    void ask('b', 'b1');
    void ask('c', 'c1');
    void ask('b', 'b2');
    await clock.advance(7000);
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('forgets a request that gave up, and its place', async () => {
    const { clock, pacer, served, ask } = setUp();
    await drain(pacer);
    const controller = new AbortController();
    void ask('a', 'a1', controller.signal);
    void ask('b', 'b1');
    controller.abort();
    void ask('a', 'a2', controller.signal);
    await clock.advance(1000);
    expect(served).toEqual(['a1 gave up', 'a2 gave up', 'b1']);
    expect(clock.pending()).toEqual([]);
  });

  it('learns the limit and what others left of it', async () => {
    const { clock, pacer, served, ask } = setUp();
    pacer.learn({ 'x-ratelimit-limit-requests': '120', 'x-ratelimit-remaining-requests': '1' });
    void ask('a', 'first');
    void ask('a', 'second');
    await clock.advance(0);
    expect(served).toEqual(['first']);
    await clock.advance(500);
    expect(served).toEqual(['first', 'second']);
  });

  it('asks again after ten minutes, however far away the announced time is', async () => {
    const { clock, pacer, served, ask } = setUp();
    pacer.pause(24 * 3_600_000);
    void ask('a');
    await clock.advance(MAX_PAUSE_MS - 1);
    expect(served).toEqual([]);
    await clock.advance(1);
    expect(served).toEqual(['a']);
  });

  it('expects a server with nothing waiting to be served long before a busy one', async () => {
    const { clock, pacer, served, ask } = setUp();
    await drain(pacer);
    for (let request = 0; request < 500; request++) void ask('busy');
    expect(pacer.expectedWaitMs('busy')).toBe(501_000);
    const expectedMs = pacer.expectedWaitMs('quiet');
    expect(expectedMs).toBe(2000);
    void ask('quiet');
    await clock.advance(expectedMs);
    expect(served).toEqual(['busy', 'quiet']);
  });
});

const now = Date.UTC(2026, 0, 1, 12, 0, 0);
const reset = (value: string, more = {}) =>
  readRateLimit({ 'x-ratelimit-reset-requests': value, ...more }).liftedAfterMs;

describe('rate limit headers', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));

  it('are read as far as they are there and make sense', () => {
    const all = { limit: 60, remaining: 0, retryAfterMs: 9000, liftedAfterMs: 9000 };
    const limits = { 'x-ratelimit-limit-requests': '60', 'x-ratelimit-remaining-requests': '0', 'retry-after': '9' };
    const lifted = { 'x-ratelimit-reset-requests': '2026-01-01T12:00:07.500Z' };
    expect(readRateLimit({ ...limits, ...lifted })).toEqual(all);
    expect(readRateLimit({})).toEqual({});
    expect(readRateLimit({ 'x-ratelimit-limit-requests': '0', 'x-ratelimit-remaining-requests': 'many' })).toEqual({});
  });

  it.each([
    ['2026-01-01T12:00:05Z', 5000],
    ['5', 5000],
    [String(now / 1000 + 5), 5000],
    ['Thu, 01 Jan 2026 12:00:05 GMT', 5000],
    ['soon', undefined],
  ])('take %j as a wait of %s ms', (value, wait) => {
    expect(reset(value)).toBe(wait);
  });

  it.each(['2026-01-01T12:00:05', '2026-01-01T14:00:05+02:00'])('take %j for UTC if it names no zone', (value) => {
    vi.stubEnv('TZ', 'America/New_York');
    expect(new Date(now).getHours()).toBe(7);
    expect(reset(value)).toBe(5000);
  });

  it('are read against the service clock when it differs from ours', () => {
    expect(reset('2026-01-01T13:00:05Z', { date: 'Thu, 01 Jan 2026 13:00:00 GMT' })).toBe(5000);
  });
});
