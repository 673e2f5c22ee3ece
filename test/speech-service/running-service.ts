import { request } from 'undici';
import { onTestFinished } from 'vitest';
import type { Voice } from '../../src/speech/interface/schemas.ts';
import { TIMBRES } from '../../src/speech-service/api/catalog.ts';
import type { EngineEntry } from '../../src/speech-service/api/engines.ts';
import { type SpeechServiceOptions, startSpeechService } from '../../src/speech-service/server.ts';
import {
  plainJob,
  type SpeechEngine,
  type Timbre,
  type TimbredJob,
} from '../../src/speech-service/synthesis/engine.ts';
import { temporaryFolder } from '../temporary-folder.ts';

export type Reply = Awaited<ReturnType<typeof send>>;
export type RunningService = Awaited<ReturnType<typeof runningService>>;

/** A text for a voice of the built-in synthesizer. */
export const HELLO = { input: 'Hello', voice: 'aria', model: 'gpro' };

/** A service on loopback with free ports, used over its sockets, closed with the test. */
export async function runningService(options: Partial<SpeechServiceOptions> = {}) {
  const dataDir = options.dataDir ?? temporaryFolder();
  const service = await startSpeechService({ requestsPerMinute: 10_000, ...options, dataDir });
  onTestFinished(() => service.close());
  const key = options.apiKey ?? service.apiKey ?? '';
  const { creditsLeft } = service.ledger.account();
  const call = (method: string, path: string, asked: { key?: string | null; body?: unknown } = {}) => {
    const authorization = asked.key === null ? undefined : `Bearer ${asked.key ?? key}`;
    const type = asked.body === undefined ? undefined : 'application/json';
    return send(method, service.url + path, { authorization, 'content-type': type }, asked.body);
  };
  const speak = (body: unknown) => call('POST', '/api/v1/speech', { body });
  return {
    ...service,
    get dashboardUrl() {
      return service.dashboardUrl ?? '';
    },
    dataDir,
    key,
    call,
    speak,
    voices: async (): Promise<Voice[]> => (await call('GET', '/api/v1/voices')).body.data,
    /** What its account has less than at the start. */
    creditsSpent: () => creditsLeft - service.ledger.account().creditsLeft,
    /** Speaks, expects success, and downloads the audio. */
    async listen(body: unknown) {
      const reply = await speak(body);
      if (reply.status !== 200) throw new Error(`expected speech, got ${reply.status} ${JSON.stringify(reply.body)}`);
      const audio = await request(reply.body.url);
      return new Uint8Array(await audio.body.arrayBuffer());
    },
  };
}

/** Sends JSON, or a text as it is. The body of the reply is parsed if it is JSON. */
export async function send(method: string, url: string, headers: Record<string, string | undefined>, given?: unknown) {
  const sent = given === undefined || typeof given === 'string' ? given : JSON.stringify(given);
  const answer = await request(url, { method: method as 'GET', headers, body: sent });
  const text = await answer.body.text();
  const isJson = String(answer.headers['content-type']).startsWith('application/json');
  return { status: answer.statusCode, headers: answer.headers, body: isJson ? JSON.parse(text) : text };
}

/** A job of the synthesizer in which nothing is asked but its text. */
export function jobOf(text: string, change: Partial<TimbredJob> = {}): TimbredJob {
  return { ...plainJob(text, 'aria'), timbre: TIMBRES.aria as Timbre, ...change };
}

/** An engine of which nothing is said but its name, and what a character costs if it costs money. */
export function engineEntry(name: string, engine: SpeechEngine, credits?: number): EngineEntry {
  const price = { creditsPerCharacter: credits ?? 1, costsMoney: credits !== undefined };
  return { name, engine, ...price, fallback: undefined, server: undefined };
}

/** Answers at once with a byte, or when told to: for tests of everything but the sound. */
export function instantEngine(hooks: { before?: (signal: AbortSignal) => Promise<void> } = {}): SpeechEngine {
  return {
    name: 'instant',
    languages: undefined,
    problem: undefined,
    async synthesize(job, signal) {
      await hooks.before?.(signal);
      return { bytes: new Uint8Array([1]), format: job.format };
    },
    close: async () => {},
  };
}

/** Opens the dashboard as a browser does: exchanges the one-time token of its address for a session. */
export async function dashboardSession(address: string): Promise<string> {
  const { origin, hash } = new URL(address);
  const headers = { origin, 'content-type': 'application/json' };
  const { body } = await send('POST', `${origin}/api/sign-in`, headers, { token: hash.replace('#token=', '') });
  return body.session;
}
