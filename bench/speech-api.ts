import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SAMPLE_RATE_HZ, voice, wav } from './sound.ts';

export const API_KEY = 'bench-key-0123456789abcdef';

/** More than any request has. */
const MAX_CHARACTERS = 1_000;

interface SpeechApi {
  readonly url: string;
  /** `performance.now()` when the last answer and the last audio headers went out. */
  readonly times: { answered: number; headers: number };
  /** `performance.now()` of the answers to requests that were billed, in order. */
  readonly answers: number[];
  close(): void;
}

interface SpeechApiOptions {
  /** How long it takes to answer, for a text of so many characters. */
  readonly apiMs: (characters: number) => number;
  /** How long its sound is; 0.6 s by default. */
  readonly seconds?: (characters: number) => number;
  /** The voices it lists; one by default. */
  readonly voices?: readonly object[];
}

const ONE_VOICE = [{ id: '11111111-1111-4111-8111-111111111111', name: 'bench', model: 'orpheus' }];

/** The speech interface with a time to answer that is known, and audio that is sound from its first sample to its last. */
export async function startSpeechApi({
  apiMs,
  seconds = () => 0.6,
  voices = ONE_VOICE,
}: SpeechApiOptions): Promise<SpeechApi> {
  const times = { answered: 0, headers: 0 };
  const answers: number[] = [];
  // Made once: the listener shares this process, and must not be kept from listening.
  const longest = voice(seconds(MAX_CHARACTERS));
  const soundOf = (length: number) => wav(longest.subarray(0, Math.round(length * SAMPLE_RATE_HZ)));
  /** By the path of its address. */
  const audios = new Map<string, Buffer>();

  const server = createServer(async (request, response) => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answer = (body: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json', 'x-ratelimit-limit-requests': '100000' });
      response.end(JSON.stringify(body));
    };
    const { pathname } = new URL(request.url ?? '/', origin);
    if (pathname === '/api/v1/speech' && request.method === 'POST') {
      const { length } = ((await json(request)) as { input: string }).input;
      const path = `/audio/${audios.size}.wav`;
      // Made before it is answered, as a service does.
      audios.set(path, soundOf(seconds(length)));
      await sleep(apiMs(length));
      times.answered = performance.now();
      answers.push(times.answered);
      return answer({ url: `${origin}${path}`, credits_used: 1, credits_remaining: 1_000_000 });
    }
    request.resume();
    if (pathname === '/api/v1/voices') return answer({ data: voices });
    const audio = audios.get(pathname);
    if (audio) {
      response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': audio.length });
      response.flushHeaders();
      times.headers = performance.now();
      return response.end(audio);
    }
    response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    times,
    answers,
    close: () => server.close(),
  };
}
