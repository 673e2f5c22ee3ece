import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SAMPLE_RATE_HZ, voice, wav } from './sound.ts';

export const API_KEY = 'bench-key-0123456789abcdef';

/** The maximum of characters in a request of the bench. */
const MAX_CHARACTERS = 1_000;

export interface SpeechApi {
  readonly url: string;
  /** `performance.now()` when the last answer and the last audio headers were sent. */
  readonly times: { answered: number; headers: number };
  /** `performance.now()` of each billed answer, in order. */
  readonly answers: number[];
  close(): void;
}

export interface SpeechApiOptions {
  readonly apiMs: (characters: number) => number;
  /** The length of the audio; 0.6 s by default. */
  readonly seconds?: (characters: number) => number;
  /** The listed voices; a single voice by default. */
  readonly voices?: readonly object[];
}

const ONE_VOICE = [{ id: '11111111-1111-4111-8111-111111111111', name: 'bench', model: 'orpheus' }];

/** Starts a speech API with a known response time. Its audio contains no silence. */
export async function startSpeechApi({
  apiMs,
  seconds = () => 0.6,
  voices = ONE_VOICE,
}: SpeechApiOptions): Promise<SpeechApi> {
  const times = { answered: 0, headers: 0 };
  const answers: number[] = [];
  // Made once in advance: the listener shares this process and must not be delayed.
  const longest = voice(seconds(MAX_CHARACTERS));
  const soundOf = (length: number) => wav(longest.subarray(0, Math.round(length * SAMPLE_RATE_HZ)));
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
      // The audio is made before the answer, as in a real service.
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
