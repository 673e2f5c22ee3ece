import { randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { AudioFormat } from '../speech/interface/models.ts';
import { type ServiceFaults, takeFault } from './api/faults.ts';

const MIME_TYPES: Readonly<Record<AudioFormat, string>> = { wav: 'audio/wav', mp3: 'audio/mpeg' };
/** How often a slowed-down download writes. */
const SLOW_STEP_MS = 50;

/** Finished audio under names that cannot be guessed, on a port of its own. Knowing the name suffices to download. */
export function createAudioServer(options: {
  lifetimeMs: number;
  /** The oldest audio goes first when all of it takes more memory than this. */
  maxBytes: number;
  faults: ServiceFaults;
  newRequestId(): string;
  now(): number;
}) {
  const { lifetimeMs, maxBytes, faults, now } = options;
  const files = new Map<string, { bytes: Uint8Array; format: AudioFormat; expiresAtMs: number }>();
  const closing = new AbortController();
  let storedBytes = 0;

  const remove = (name: string) => {
    storedBytes -= files.get(name)?.bytes.byteLength ?? 0;
    files.delete(name);
  };
  // Insertion order is order of age, so both kinds of leaving start at the front.
  const tidy = () => {
    for (const [name, file] of files) {
      if (file.expiresAtMs > now() && storedBytes <= maxBytes) break;
      remove(name);
    }
  };
  const sweep = setInterval(tidy, Math.min(lifetimeMs, 60_000));
  sweep.unref();

  const server = createServer((request, response) => {
    response.setHeader('request-id', options.newRequestId());
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      return sendText(response.setHeader('Allow', 'GET, HEAD'), 405, 'Only GET and HEAD.');
    }
    const name = (request.url ?? '').replace(/^\/audio\//, '').replace(/\?.*$/, '');
    tidy();
    const file = files.get(name);
    if (file === undefined) return sendText(response, 404, 'There is no such audio, or no longer.');
    if (takeFault(faults, 'missingAudio')) return sendText(response, 404, 'There is no such audio yet.');
    if (takeFault(faults, 'redirectedAudio')) return sendText(response, 302, 'Elsewhere.');
    const isEndless = request.method === 'GET' && takeFault(faults, 'endlessAudio');
    response.writeHead(200, {
      'Content-Type': MIME_TYPES[file.format],
      ...(!isEndless && { 'Content-Length': file.bytes.byteLength }),
      'Cache-Control': `private, max-age=${Math.floor((file.expiresAtMs - now()) / 1000)}`,
      'Access-Control-Allow-Origin': '*',
    });
    if (request.method === 'HEAD') return response.end();
    const sent = isEndless
      ? sendEndlessAudio(response, file, closing.signal)
      : sendAudio(response, file.bytes, faults, closing.signal);
    sent.catch((error: Error) => {
      if (!response.destroyed) response.destroy(error);
    });
  });

  return {
    server,
    /** Keeps the audio for its lifetime and returns its path. */
    add(bytes: Uint8Array, format: AudioFormat): string {
      const name = `${randomBytes(24).toString('base64url')}.${format}`;
      files.set(name, { bytes, format, expiresAtMs: now() + lifetimeMs });
      storedBytes += bytes.byteLength;
      tidy();
      return `/audio/${name}`;
    },
    closeNow(): void {
      clearInterval(sweep);
      closing.abort();
      files.clear();
      storedBytes = 0;
    },
  };
}

async function sendAudio(response: ServerResponse, bytes: Uint8Array, faults: ServiceFaults, signal: AbortSignal) {
  const cut = takeFault(faults, 'cutAudio');
  const sent = cut ? bytes.subarray(0, bytes.byteLength >> 1) : bytes;
  const closed = new Promise<void>((resolve) => {
    response.once('close', resolve);
  });
  if (faults.audioLatencyMs > 0) await delay(faults.audioLatencyMs, undefined, { signal });
  for (let offset = 0; offset < sent.byteLength && !response.destroyed; ) {
    const rate = faults.audioBytesPerSecond;
    const step = rate > 0 ? Math.max(1, Math.round((rate * SLOW_STEP_MS) / 1000)) : sent.byteLength;
    const piece = sent.subarray(offset, offset + step);
    const written = new Promise<void>((resolve, reject) => {
      response.write(piece, (error) => (error ? reject(error) : resolve()));
    });
    await Promise.race([written, closed]);
    offset += step;
    if (rate > 0) await delay(SLOW_STEP_MS, undefined, { signal });
  }
  if (cut) response.destroy();
  else response.end();
}

/** The header of the WAV files made here, sizes included. */
const WAV_HEADER_BYTES = 44;
const WAV_SIZES_AT = [4, 40];

/** The same sound over and over, as fast as it is read. */
async function sendEndlessAudio(
  response: ServerResponse,
  { bytes, format }: { readonly bytes: Uint8Array; readonly format: AudioFormat },
  signal: AbortSignal,
): Promise<void> {
  const headerBytes = format === 'wav' ? WAV_HEADER_BYTES : 0;
  const header = Buffer.from(bytes.subarray(0, headerBytes));
  // Of a writer that does not know how long it will go on.
  if (headerBytes > 0) for (const at of WAV_SIZES_AT) header.writeUInt32LE(0xffff_ffff, at);
  const sound = bytes.subarray(headerBytes);
  async function* repeated() {
    yield header;
    for (;;) yield sound;
  }
  // A reader that has had enough closes the connection.
  await pipeline(repeated, response, { signal }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE' && !signal.aborted) throw error;
  });
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
