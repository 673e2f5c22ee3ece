import { createHash } from 'node:crypto';
import type { Clock } from '../state/manual-clock.ts';

export interface Limit {
  readonly requests: number;
  readonly perMs: number;
}

/** Discord publishes no table of limits ("should not be hard coded"): these are in the range that its headers showed. */
export const DEFAULT_LIMIT: Limit = { requests: 50, perMs: 10_000 };
/** All bots: https://discord.com/developers/docs/topics/rate-limits#global-rate-limit */
const GLOBAL_LIMIT: Limit = { requests: 50, perMs: 1_000 };

export function createRateLimits(clock: Clock) {
  const windows = new Map<string, { used: number; endsAtMs: number }>();

  const windowOf = (key: string, limit: Limit) => {
    const nowMs = clock.now();
    const current = windows.get(key);
    if (current && current.endsAtMs > nowMs) return current;
    const fresh = { used: 0, endsAtMs: nowMs + limit.perMs };
    windows.set(key, fresh);
    return fresh;
  };

  return {
    /** `route` names the bucket, `major` the channel, server or webhook it is counted for. */
    take(route: string, major: string, limit: Limit, { countsGlobally }: { readonly countsGlobally: boolean }) {
      const nowMs = clock.now();
      if (countsGlobally) {
        const global = windowOf('global', GLOBAL_LIMIT);
        if (global.used >= GLOBAL_LIMIT.requests) {
          const retryAfterSeconds = (global.endsAtMs - nowMs) / 1000;
          const headers = { 'X-RateLimit-Global': 'true', 'X-RateLimit-Scope': 'global' };
          return {
            allowed: false,
            headers: { ...headers, ...retryAfter(retryAfterSeconds) },
            retryAfterSeconds,
            global: true,
          };
        }
        global.used += 1;
      }
      const bucket = createHash('md5').update(route).digest('hex');
      const window = windowOf(`${bucket}:${major}`, limit);
      const allowed = window.used < limit.requests;
      if (allowed) window.used += 1;
      const resetAfterSeconds = (window.endsAtMs - nowMs) / 1000;
      return {
        allowed,
        retryAfterSeconds: resetAfterSeconds,
        global: false,
        headers: {
          'X-RateLimit-Limit': String(limit.requests),
          'X-RateLimit-Remaining': String(limit.requests - window.used),
          'X-RateLimit-Reset': (window.endsAtMs / 1000).toFixed(3),
          'X-RateLimit-Reset-After': resetAfterSeconds.toFixed(3),
          'X-RateLimit-Bucket': bucket,
          ...(allowed ? {} : { 'X-RateLimit-Scope': 'user', ...retryAfter(resetAfterSeconds) }),
        },
      };
    },
  };
}

/** The header is in whole seconds, rounded up; the body's `retry_after` has the fraction. */
const retryAfter = (seconds: number) => ({ 'Retry-After': String(Math.ceil(seconds)) });
