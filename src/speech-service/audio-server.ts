import { randomBytes } from 'node:crypto';
import type { RequestListener, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer } from '../process/http.ts';
import { asOneFile } from '../sound/audio-file.ts';
import { type Container, joinBytes } from '../sound/containers.ts';
import { newRequestId } from './api/api-error.ts';
import { type ServiceFaults, takeFault } from './api/speech.ts';
import type { SynthesizedAudio } from './synthesis/engine.ts';

const SLOW_STEP_MS = 50;
const MIME_TYPES: Readonly<Record<Container, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
};

interface AudioFile {
  readonly format: Container;
  readonly expiresAtMs: number;
  /** The audio received so far, in chunks; a single chunk once the audio is complete. */
  parts: Uint8Array<ArrayBuffer>[];
  state: 'growing' | 'whole' | 'cut';
  /** Resolves when the audio next grows or ends. A new promise then replaces this one. */
  changed: PromiseWithResolvers<void>;
}

/** Serves audio while the engine still speaks. Downloads need no API key: audio names cannot be guessed. */
export function createAudioServer(options: {
  lifetimeMs: number;
  /** Maximum bytes of audio in memory. Above the maximum, the oldest audio is removed first. */
  maxBytes: number;
  faults: ServiceFaults;
  now(): number;
}) {
  const { lifetimeMs, maxBytes, faults, now } = options;
  const files = new Map<string, AudioFile>();
  const growing = new Set<Promise<void>>();
  const closing = new AbortController();
  let storedBytes = 0;

  const remove = (name: string) => {
    storedBytes -= files.get(name)?.parts.reduce((bytes, part) => bytes + part.byteLength, 0) ?? 0;
    files.delete(name);
  };
  // Audio is kept in a map with the oldest first, so expired and surplus audio are both at the front.
  const tidy = () => {
    for (const [name, file] of files) {
      if (file.expiresAtMs > now() && storedBytes <= maxBytes) break;
      remove(name);
    }
  };
  const sweep = setInterval(tidy, Math.min(lifetimeMs, 60_000));
  sweep.unref();

  const answer: RequestListener = (request, response) => {
    response.setHeader('request-id', newRequestId());
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
    const whole = file.state === 'whole' ? file.parts[0] : undefined;
    if (whole !== undefined) response.setHeader('Content-Length', whole.byteLength);
    response.writeHead(200, {
      'Content-Type': MIME_TYPES[file.format],
      'Cache-Control': `private, max-age=${Math.floor((file.expiresAtMs - now()) / 1000)}`,
      'Access-Control-Allow-Origin': '*',
    });
    if (request.method === 'HEAD') return response.end();
    send(response, file, faults, closing.signal).catch((error: Error) => {
      if (!response.destroyed) response.destroy(error);
    });
  };

  async function grow(name: string, file: AudioFile, rest: AsyncIterable<Uint8Array>): Promise<void> {
    const change = (state: AudioFile['state']) => {
      file.state = state;
      file.changed.resolve();
      file.changed = Promise.withResolvers();
    };
    try {
      for await (const chunk of rest) {
        file.parts.push(Uint8Array.from(chunk));
        if (files.get(name) === file) storedBytes += chunk.byteLength;
        tidy();
        change('growing');
      }
      const whole = joinBytes(file.parts);
      file.parts = [asOneFile(whole)];
      change('whole');
    } catch (error) {
      if (files.get(name) === file) remove(name);
      change('cut');
      throw error;
    }
  }

  return {
    server: createServer(answer),
    add({ bytes, format, rest }: SynthesizedAudio, onCut: (error: unknown) => void): string {
      const name = `${randomBytes(24).toString('base64url')}.${format}`;
      const state = rest === undefined ? 'whole' : 'growing';
      const changed = Promise.withResolvers<void>();
      const file: AudioFile = { format, expiresAtMs: now() + lifetimeMs, parts: [bytes], state, changed };
      files.set(name, file);
      storedBytes += bytes.byteLength;
      tidy();
      if (rest !== undefined) {
        const grown = grow(name, file, rest.chunks)
          .catch(onCut)
          .finally(() => growing.delete(grown));
        growing.add(grown);
      }
      return `/audio/${name}`;
    },
    /** Waits until engines have sent all their audio, so the caller must close the engines before calling close(). */
    async close(): Promise<void> {
      clearInterval(sweep);
      closing.abort();
      await Promise.all(growing);
      files.clear();
      storedBytes = 0;
    },
  };
}

async function send(response: ServerResponse, file: AudioFile, faults: ServiceFaults, signal: AbortSignal) {
  // Completing the audio replaces the array of chunks, so a running download keeps the old array.
  const { parts } = file;
  const isCut = takeFault(faults, 'cutAudio');
  if (faults.audioLatencyMs > 0) await delay(faults.audioLatencyMs, undefined, { signal });
  for (let at = 0; !response.destroyed; ) {
    const part = parts[at];
    if (part !== undefined) {
      at += 1;
      await write(response, isCut ? part.subarray(0, part.byteLength >> 1) : part, faults, signal);
      if (isCut) response.destroy();
    } else if (file.state === 'whole') {
      response.end();
      return;
    } else if (file.state === 'cut') {
      response.destroy();
    } else {
      await file.changed.promise;
    }
  }
}

/** Resolves when the bytes are written or the client has disconnected. */
async function write(response: ServerResponse, bytes: Uint8Array, faults: ServiceFaults, signal: AbortSignal) {
  for (let offset = 0; offset < bytes.byteLength && !response.destroyed; ) {
    const rate = faults.audioBytesPerSecond;
    const step = rate > 0 ? Math.max(1, Math.round((rate * SLOW_STEP_MS) / 1000)) : bytes.byteLength;
    const { promise, resolve } = Promise.withResolvers<void>();
    const gone = () => resolve();
    response.once('close', gone);
    response.write(bytes.subarray(offset, offset + step), gone);
    await promise;
    response.off('close', gone);
    offset += step;
    if (rate > 0) await delay(SLOW_STEP_MS, undefined, { signal });
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' });
  response.end(`${text}\n`);
}
