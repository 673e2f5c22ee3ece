import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type AudioFile, readAudio } from '../sound/audio-file.ts';

/** The audio of an hour of speech as WAV has about 170 MB. */
const MAX_BYTES = 512 * 1024 * 1024;
const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;
const TOTAL_TIMEOUT_MS = 300_000;
const IDLE_TIMEOUT_MS = 30_000;

/** The audio could not be fetched; its message says why, without the address. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly isPermanent: boolean;

  constructor(message: string, isPermanent = false) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

interface DownloadOptions {
  readonly signal: AbortSignal;
  /** Plain http is only good enough for audio when the service itself is reached that way. */
  readonly allowHttp: boolean;
  readonly onProgress?: (bytes: number) => void;
  readonly onRetry?: (attempt: number, reason: string) => void;
}

/** Downloads the audio, without the key, and checks that it is complete. Retries, as downloads cost nothing. */
export async function download(url: URL, options: DownloadOptions): Promise<AudioFile> {
  if (url.protocol !== 'https:' && !(options.allowHttp && url.protocol === 'http:')) {
    throw new DownloadError(`the audio's address is not https but ${url.protocol.slice(0, -1)}`, true);
  }
  const agent = new Agent({ connectTimeout: 10_000 });
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)]);
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetchOnce(url, agent, signal, options.onProgress);
      } catch (error) {
        options.signal.throwIfAborted();
        const failed = error instanceof DownloadError ? error : new DownloadError(reasonOf(error));
        if (failed.isPermanent || attempt >= MAX_ATTEMPTS || signal.aborted) throw failed;
        options.onRetry?.(attempt, failed.message);
        await sleep(FIRST_PAUSE_MS * 2 ** attempt * Math.random(), undefined, { signal: options.signal }).catch(() =>
          options.signal.throwIfAborted(),
        );
      }
    }
  } finally {
    await agent.destroy();
  }
}

async function fetchOnce(
  url: URL,
  dispatcher: Agent,
  signal: AbortSignal,
  onProgress?: (bytes: number) => void,
): Promise<AudioFile> {
  const response = await request(url, {
    dispatcher,
    signal,
    // Some hosts refuse a request without a name.
    headers: { 'user-agent': 'crier-voice', accept: 'audio/*', 'accept-encoding': 'identity' },
    headersTimeout: IDLE_TIMEOUT_MS,
    bodyTimeout: IDLE_TIMEOUT_MS,
  });
  if (response.statusCode !== 200) {
    response.body.on('error', () => undefined).destroy();
    throw new DownloadError(`the audio's host answered ${response.statusCode}`, response.statusCode < 500);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new DownloadError('the audio is too large', true);
    chunks.push(chunk);
    onProgress?.(bytes);
  }
  try {
    return readAudio(Buffer.concat(chunks));
  } catch (error) {
    if (error instanceof RangeError) throw new DownloadError(`the audio cannot be used: ${error.message}`);
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return `the audio's host was not reached (${typeof code === 'string' ? code : name})`;
}
