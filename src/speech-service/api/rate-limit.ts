export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** A token bucket for each key: `requestsPerMinute` at once, refilled evenly over a minute. `now` is in milliseconds. */
export function createRateLimiter(options: { requestsPerMinute: number; now: () => number }) {
  const { requestsPerMinute: limit } = options;
  const refillMs = 60_000 / limit;
  const buckets = new Map<string, { tokens: number; atMs: number }>();

  return {
    /** Counts one request of this key, when there is room for it: the values of the `X-RateLimit-…-Requests` headers. */
    take(keyId: string) {
      const nowMs = options.now();
      const bucket = buckets.get(keyId) ?? { tokens: limit, atMs: nowMs };
      buckets.set(keyId, bucket);
      bucket.tokens = Math.min(limit, bucket.tokens + Math.max(0, nowMs - bucket.atMs) / refillMs);
      bucket.atMs = nowMs;
      const allowed = bucket.tokens >= 1;
      if (allowed) bucket.tokens -= 1;
      const remaining = Math.floor(bucket.tokens);
      const untilNextMs = bucket.tokens >= limit ? 0 : (remaining + 1 - bucket.tokens) * refillMs;
      // When one more request than `remaining` becomes possible.
      return { allowed, limit, remaining, resetAt: new Date(Math.ceil(nowMs + untilNextMs)) };
    },
  };
}

export function rateLimitHeaders(state: ReturnType<RateLimiter['take']>): Record<string, string> {
  return {
    'X-RateLimit-Limit-Requests': String(state.limit),
    'X-RateLimit-Remaining-Requests': String(state.remaining),
    'X-RateLimit-Reset-Requests': state.resetAt.toISOString(),
  };
}
