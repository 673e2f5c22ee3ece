export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Takes seconds (whole or not), seconds or milliseconds since 1970, an ISO time, or an HTTP date. Never negative. */
export function announcedWaitMs(headers: Headers, name: string, nowMs: number): number | undefined {
  const value = header(headers, name)?.trim();
  if (value === undefined || value === '') return undefined;
  const serverNowMs = serverClock(headers, nowMs);
  if (/^\d+(?:\.\d+)?$/.test(value)) {
    const number = Number(value);
    if (number > 1e11) return Math.max(0, number - serverNowMs);
    return number > 1e9 ? Math.max(0, number * 1000 - serverNowMs) : Math.ceil(number * 1000);
  }
  // Date.parse would accept nearly anything as a date, even '-5', so only two forms of a time are parsed.
  const time = /^(?:\d{4}-|[A-Z][a-z]{2},)/.test(value) ? Date.parse(withZone(value)) : Number.NaN;
  return Number.isNaN(time) ? undefined : Math.max(0, time - serverNowMs);
}

/** Clocks differ, so a response's times are compared with its own `Date`, which has a resolution of a second. */
function serverClock(headers: Headers, nowMs: number): number {
  const date = Date.parse(header(headers, 'date') ?? '');
  return Number.isNaN(date) || Math.abs(date - nowMs) < 2000 ? nowMs : date;
}

const WITHOUT_ZONE = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/;

/** Adds UTC to a time without a zone, because that is what services mean. Date.parse would use this machine's zone. */
const withZone = (time: string): string => (WITHOUT_ZONE.test(time) ? `${time}Z` : time);
