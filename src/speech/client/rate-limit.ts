import { announcedWaitMs, type Headers, header } from '../../network/announced-wait.ts';

/** The key's rate limit according to an answer's headers. Every field is optional: proxies drop and add headers. */
export interface RateLimit {
  /** Requests a minute. */
  readonly limit?: number;
  readonly remaining?: number;
  /** Milliseconds until the limit is lifted. */
  readonly resetMs?: number;
  /** `Retry-After`, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Reads the `X-RateLimit-…-Requests` headers and `Retry-After`; `nowMs` is this machine's clock. */
export function readRateLimit(headers: Headers, nowMs: number): RateLimit {
  const limit = wholeNumber(header(headers, 'x-ratelimit-limit-requests'));
  const remaining = wholeNumber(header(headers, 'x-ratelimit-remaining-requests'));
  const resetMs = announcedWaitMs(headers, 'x-ratelimit-reset-requests', nowMs);
  const retryAfterMs = announcedWaitMs(headers, 'retry-after', nowMs);
  return {
    limit: limit || undefined,
    remaining,
    resetMs,
    retryAfterMs,
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}

/**
 * Milliseconds until another request may be sent; undefined without such a header. A proxy in front has limits of its
 * own: the later time counts.
 */
export function liftedAfterMs({ resetMs, retryAfterMs }: RateLimit): number | undefined {
  if (resetMs === undefined || retryAfterMs === undefined) return resetMs ?? retryAfterMs;
  return Math.max(resetMs, retryAfterMs);
}
