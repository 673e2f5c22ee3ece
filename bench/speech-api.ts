import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { SAMPLE_RATE_HZ, voice, wav } from './sound.ts';

export const API_KEY = 'bench-key-0123456789abcdef';

/** The maximum of characters in a request of the bench. */
const MAX_CHARACTERS = 1_000;

/** A 503 is not billed. An answer or audio that is lost is billed, and never arrives. */
export type Fault = '503' | 'lost answer' | 'lost audio';

export interface SpeechApi {
  readonly url: string;
  /** `performance.now()` of each billed answer, in order. */
  readonly answers: number[];
  /** `performance.now()` when the headers of each audio were sent, in order. */
  readonly headers: number[];
  /** How many times each text was billed. */
  readonly billed: ReadonlyMap<string, number>;
  close(): void;
}

export interface SpeechApiOptions {
  readonly apiMs: (characters: number) => number;
  /** The length of the audio; 0.6 s by default. */
  readonly seconds?: (characters: number) => number;
  /** The listed voices; a single voice by default. */
  readonly voices?: readonly object[];
  /** What goes wrong with the request for a text; nothing by default. */
  readonly faultOf?: (text: string) => Fault | undefined;
}

const ONE_VOICE = [{ id: '11111111-1111-4111-8111-111111111111', name: 'bench', model: 'orpheus' }];

/** Starts a speech API with a known response time. A request costs one credit. Its audio contains no silence. */
export async function startSpeechApi({
  apiMs,
  seconds = () => 0.6,
  voices = ONE_VOICE,
  faultOf = () => undefined,
}: SpeechApiOptions): Promise<SpeechApi> {
  const answers: number[] = [];
  const headers: number[] = [];
  const billed = new Map<string, number>();
  // Made once in advance: the listener shares this process and must not be delayed.
  const longest = voice(seconds(MAX_CHARACTERS));
  const wavs = new Map<number, Buffer>();
  const soundOf = (length: number) => {
    const sound = wavs.get(length) ?? wav(longest.subarray(0, Math.round(length * SAMPLE_RATE_HZ)));
    wavs.set(length, sound);
    return sound;
  };
  const audios = new Map<string, Buffer>();
  let requests = 0;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const answer = (body: unknown, status = 200) => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-ratelimit-limit-requests': '100000' });
      response.end(JSON.stringify(body));
    };
    const { pathname } = new URL(request.url ?? '/', url);
    if (pathname === '/api/v1/speech' && request.method === 'POST') {
      const { input } = (await json(request)) as { input: string };
      const fault = faultOf(input);
      if (fault === '503') return answer({ error: { message: 'Down', code: 'provider_unavailable' } }, 503);
      const path = `/audio/${requests++}.wav`;
      // The audio is made before the answer, as in a real service.
      if (fault !== 'lost audio') audios.set(path, soundOf(seconds(input.length)));
      await sleep(apiMs(input.length));
      answers.push(performance.now());
      billed.set(input, (billed.get(input) ?? 0) + 1);
      if (fault === 'lost answer') return response.destroy();
      return answer({ url: `${url}${path}`, credits_used: 1, credits_remaining: 1_000_000 });
    }
    request.resume();
    if (pathname === '/api/v1/voices') return answer({ data: voices });
    const audio = audios.get(pathname);
    if (!audio) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': audio.length });
    response.flushHeaders();
    headers.push(performance.now());
    return response.end(audio);
  }

  // A bot that is killed breaks off its requests.
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, answers, headers, billed, close: () => server.close() };
}
