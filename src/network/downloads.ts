export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export function header(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** The wait, never negative, from a header such as Retry-After: seconds, a Unix time in s or ms, an ISO time, or an HTTP date. */
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

/** Some audio hosts redirect to another host. More redirects in a row than this maximum are probably a loop. */
export const MAX_REDIRECTS = 3;

export function redirectTarget(
  from: URL,
  { statusCode, headers }: { readonly statusCode: number; readonly headers: { readonly location?: unknown } },
): URL | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(statusCode) || typeof location !== 'string') return undefined;
  return URL.parse(location, from.href) ?? undefined;
}

/** How long a failed download is repeated: downloads are free, and the audio may reach its host seconds late. */
export const REPEATED_FOR_MS = 8_000;

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 1_000;

/** True if a download that got this HTTP status may succeed later. */
export const mayPassStatus = (status: number): boolean => [404, 408, 425, 429].includes(status) || status >= 500;

/** The pause is half fixed and half random, so that several downloads do not repeat at the same moment. */
export function pauseAfter(attempts: number, retryAfterMs = 0): number {
  const longest = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempts - 1));
  return Math.max(retryAfterMs, longest / 2 + (Math.random() * longest) / 2);
}

/** Reads a whole response body. Throws `tooLarge()` if the body is longer than `maxBytes`. */
export async function readAtMost(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
  onProgress?: (bytes: number) => void,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
    onProgress?.(bytes);
  }
  return Buffer.concat(chunks);
}
