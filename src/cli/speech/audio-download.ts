import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { announcedWaitMs } from '../../network/announced-wait.ts';
import { MAX_REDIRECTS, mayPassStatus, pauseAfter, REPEATED_FOR_MS, redirectTarget } from '../../network/downloads.ts';
import { type AudioFile, readAudio } from '../../sound/audio-file.ts';

/** The audio of an hour of speech as WAV has about 170 MB. */
const MAX_BYTES = 512 * 1024 * 1024;
/** The minimum number of attempts, however long the first ones took. */
const MIN_ATTEMPTS = 4;
const TOTAL_TIMEOUT_MS = 300_000;
const IDLE_TIMEOUT_MS = 30_000;

/** The audio could not be fetched; its message says why, without the address. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly isPermanent: boolean;
  /** The wait that the host asked for before the next attempt. */
  readonly retryAfterMs: number | undefined;
  readonly isGone: boolean;

  constructor(
    message: string,
    options: { isPermanent?: boolean; isGone?: boolean; retryAfterMs?: number | undefined } = {},
  ) {
    super(message);
    this.isGone = options.isGone ?? false;
    this.isPermanent = options.isPermanent ?? false;
    this.retryAfterMs = options.retryAfterMs;
  }
}

const refused = (message: string) => new DownloadError(message, { isPermanent: true });

interface DownloadOptions {
  readonly signal: AbortSignal;
  /** Plain http is only good enough for audio when the service itself is reached that way. */
  readonly allowHttp: boolean;
  readonly onProgress?: (bytes: number) => void;
  readonly onRetry?: (attempt: number, reason: string) => void;
}

/**
 * Downloads the audio, without the key, and checks that it is complete. Repeats what may pass for some seconds, as downloads
 * cost nothing, and follows a few redirects.
 */
export async function download(url: URL, options: DownloadOptions): Promise<AudioFile> {
  if (!mayAsk(url, options)) throw refused(`the audio's address is not https but ${url.protocol.slice(0, -1)}`);
  const agent = new Agent({ connectTimeout: 10_000 });
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)]);
  const lastStartAtMs = performance.now() + REPEATED_FOR_MS;
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetchOnce(url, agent, signal, options);
      } catch (error) {
        options.signal.throwIfAborted();
        const failed = asDownloadError(error);
        const pauseMs = pauseAfter(attempt, failed.retryAfterMs);
        const isLate = performance.now() + pauseMs > lastStartAtMs;
        const isLast = isLate && (attempt >= MIN_ATTEMPTS || failed.retryAfterMs !== undefined);
        if (failed.isPermanent || isLast || signal.aborted) throw failed;
        options.onRetry?.(attempt, failed.message);
        await sleep(pauseMs, undefined, { signal: options.signal }).catch(() => options.signal.throwIfAborted());
      }
    }
  } finally {
    await agent.destroy();
  }
}

const mayAsk = ({ protocol }: URL, { allowHttp }: DownloadOptions): boolean =>
  protocol === 'https:' || (allowHttp && protocol === 'http:');

async function answerOf(first: URL, agent: Agent, signal: AbortSignal, options: DownloadOptions) {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await request(url, {
      dispatcher: agent,
      signal,
      // Some hosts refuse a request without a name.
      headers: { 'user-agent': 'crier-voice', accept: 'audio/*', 'accept-encoding': 'identity' },
      headersTimeout: IDLE_TIMEOUT_MS,
      bodyTimeout: IDLE_TIMEOUT_MS,
    });
    const target = redirectTarget(url, response);
    if (!target) return response;
    response.body.on('error', () => undefined).destroy();
    if (!mayAsk(target, options)) throw refused("the audio's host redirects to an address that is not https");
    if (target.username !== '' || target.password !== '') throw refused("the audio's host redirects with a password");
    url = target;
  }
  throw refused(`the audio's host redirects more than ${MAX_REDIRECTS} times`);
}

async function fetchOnce(url: URL, agent: Agent, signal: AbortSignal, options: DownloadOptions): Promise<AudioFile> {
  const response = await answerOf(url, agent, signal, options);
  const { statusCode, headers } = response;
  if (statusCode !== 200) {
    response.body.on('error', () => undefined).destroy();
    throw new DownloadError(`the audio's host answered ${statusCode}`, {
      isPermanent: !mayPassStatus(statusCode),
      isGone: statusCode === 404 || statusCode === 410,
      retryAfterMs: announcedWaitMs(headers, 'retry-after', Date.now()),
    });
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) throw refused('the audio is too large');
      chunks.push(chunk);
      options.onProgress?.(bytes);
    }
  } catch (error) {
    throw asDownloadError(error, "the audio's host broke off");
  }
  try {
    return readAudio(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof RangeError) throw new DownloadError(`the audio cannot be used: ${error.message}`);
    throw error;
  }
}

function asDownloadError(error: unknown, words = "the audio's host was not reached"): DownloadError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DownloadError) return cause;
  }
  const { code, name } = error as { code?: unknown; name?: unknown };
  return new DownloadError(`${words} (${typeof code === 'string' ? code : name})`);
}
