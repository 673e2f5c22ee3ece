/** Some audio hosts redirect to another host; longer chains are circles. */
export const MAX_REDIRECTS = 3;

export function redirectTarget(
  from: URL,
  { statusCode, headers }: { readonly statusCode: number; readonly headers: { readonly location?: unknown } },
): URL | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(statusCode) || typeof location !== 'string') return undefined;
  return URL.parse(location, from.href) ?? undefined;
}

/** The host may get the audio seconds after the speech service billed it, and downloads cost nothing. */
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
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
