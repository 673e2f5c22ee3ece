import { afterEach, describe, expect, it, vi } from 'vitest';
import { readRateLimit } from '../../../src/speech/client/rate-limit.ts';

const now = Date.UTC(2026, 0, 1, 12, 0, 0);
const reset = (value: string, more = {}) =>
  readRateLimit({ 'x-ratelimit-reset-requests': value, ...more }, now).resetMs;

afterEach(() => void vi.unstubAllEnvs());

describe('rate limit headers', () => {
  it('are read when they are there', () => {
    expect(
      readRateLimit(
        {
          'x-ratelimit-limit-requests': '60',
          'x-ratelimit-remaining-requests': '0',
          'x-ratelimit-reset-requests': '2026-01-01T12:00:07.500Z',
          'retry-after': '9',
        },
        now,
      ),
    ).toEqual({ limit: 60, remaining: 0, resetMs: 7500, retryAfterMs: 9000 });
  });

  it('are all optional', () => {
    expect(readRateLimit({}, now)).toEqual({});
  });

  it.each([
    ['2026-01-01T12:00:05Z', 5000],
    ['5', 5000],
    ['0.25', 250],
    ['0', 0],
    [String(now / 1000 + 5), 5000],
    [String(now + 5000), 5000],
    ['Thu, 01 Jan 2026 12:00:05 GMT', 5000],
    ['2026-01-01T11:59:00Z', 0],
    ['soon', undefined],
    ['-5', undefined],
    ['', undefined],
  ])('take %j as a wait of %s ms', (value, wait) => {
    expect(reset(value)).toBe(wait);
  });

  it.each(['2026-01-01T12:00:05', '2026-01-01 12:00:05', '2026-01-01T12:00:05.000', '2026-01-01T14:00:05+02:00'])(
    'take %j for UTC where no zone is named, wherever the bot runs',
    (value) => {
      vi.stubEnv('TZ', 'America/New_York');
      expect(new Date(now).getHours()).toBe(7);
      expect(reset(value)).toBe(5000);
    },
  );

  it('are read against the service clock when it differs from ours', () => {
    expect(reset('2026-01-01T13:00:05Z', { date: 'Thu, 01 Jan 2026 13:00:00 GMT' })).toBe(5000);
  });

  it('ignore nonsense', () => {
    expect(readRateLimit({ 'x-ratelimit-limit-requests': '0', 'x-ratelimit-remaining-requests': 'many' }, now)).toEqual(
      {},
    );
  });
});
