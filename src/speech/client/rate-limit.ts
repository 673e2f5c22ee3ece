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

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Reads the `X-RateLimit-…-Requests` headers and `Retry-After`; `nowMs` is this machine's clock. */
export function readRateLimit(headers: Headers, nowMs: number): RateLimit {
  const serverNowMs = serverClock(headers, nowMs);
  const limit = wholeNumber(header(headers, 'x-ratelimit-limit-requests'));
  const remaining = wholeNumber(header(headers, 'x-ratelimit-remaining-requests'));
  const resetMs = waitMs(header(headers, 'x-ratelimit-reset-requests'), serverNowMs);
  const retryAfterMs = waitMs(header(headers, 'retry-after'), serverNowMs);
  return {
    ...(limit !== undefined && limit > 0 && { limit }),
    ...(remaining !== undefined && { remaining }),
    ...(resetMs !== undefined && { resetMs }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** Clocks differ: times in headers are read against the answer's own `Date`, which has a resolution of a second. */
function serverClock(headers: Headers, nowMs: number): number {
  const date = Date.parse(header(headers, 'date') ?? '');
  return Number.isNaN(date) || Math.abs(date - nowMs) < 2000 ? nowMs : date;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}

/** Seconds (whole or not), seconds or milliseconds since 1970, an ISO time, or an HTTP date; never negative. */
function waitMs(text: string | undefined, serverNowMs: number): number | undefined {
  const value = text?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number > 1e11) return Math.max(0, number - serverNowMs);
    return number > 1e9 ? Math.max(0, number * 1000 - serverNowMs) : Math.ceil(number * 1000);
  }
  // Date.parse accepts nearly anything as a date, '-5' included.
  const time = /^(?:\d{4}-|[A-Z][a-z]{2},)/.test(value) ? Date.parse(withZone(value)) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - serverNowMs);
}

const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/** A service that gives no zone means UTC; Date.parse would use the zone of this machine. */
const withZone = (time: string): string => (WITHOUT_ZONE.test(time) ? `${time}Z` : time);

/**
 * Milliseconds until another request may be sent; undefined without such a header. A proxy in front has limits of its
 * own: the later time counts.
 */
export function liftedAfterMs({ resetMs, retryAfterMs }: RateLimit): number | undefined {
  if (resetMs === undefined || retryAfterMs === undefined) return resetMs ?? retryAfterMs;
  return Math.max(resetMs, retryAfterMs);
}
