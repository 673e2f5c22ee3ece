import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Agent } from 'undici';
import { readAudio } from '../../sound/audio-file.ts';
import { endpoint, PATHS, parseBaseUrl } from '../../speech/base-url.ts';
import { createSpeechClient, type SpeechClient } from '../../speech/client/client.ts';
import { createPacer, liftedAfterMs, readRateLimit } from '../../speech/client/pacer.ts';
import { modelsResponseSchema, type Voice, voicesResponseSchema } from '../../speech/interface/schemas.ts';
import {
  type FaultSwitches,
  type HeardAudio,
  NotApplicable,
  type RawAnswer,
  type RawRequest,
  type Subject,
} from './rule.ts';

export interface SubjectOptions {
  /** Base address or full speech URL. */
  readonly url: string;
  readonly apiKey: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly faults?: FaultSwitches;
  /** The same kind of service with an account that has no credits. */
  readonly poor?: { readonly url: string; readonly apiKey: string };
}

const REQUEST_TIMEOUT_MS = 120_000;
const USER_AGENT = 'crier-conformance';

/** The service under test. Everything it opens is closed by `close`. */
export function createSubject(options: SubjectOptions): { subject: Subject; close(): Promise<void> } {
  const base = parseBaseUrl(options.url);
  const agent = new Agent({ allowH2: false });
  // Plain requests keep to the rate limit as well, in step with the client by the rate-limit headers of the answers.
  const pacer = createPacer();
  const clients: SpeechClient[] = [];
  const freshClient = () => {
    const client = createSpeechClient({
      baseUrl: base,
      apiKey: options.apiKey,
      log: options.log,
      userAgent: USER_AGENT,
    });
    clients.push(client);
    return client;
  };
  const poor = options.poor && createSubject({ ...withoutFaults(options), ...options.poor });

  async function raw(request: RawRequest): Promise<RawAnswer> {
    while (true) {
      await pacer.turn('', options.signal);
      const answer = await once(request);
      pacer.learn(answer.headers);
      if (answer.status !== 429 || codeOf(answer) !== 'rate_limit_exceeded') return answer;
      // Someone else used the key, or the rule before did on purpose: no other rule is about that.
      await delay(Math.min(liftedAfterMs(readRateLimit(answer.headers)) || 1000, 60_000), undefined, {
        signal: options.signal,
      });
    }
  }

  async function once({ method = 'GET', path, authorization, headers, body }: RawRequest): Promise<RawAnswer> {
    const url = endpoint(base, PATHS.voices);
    const [pathname = '', query] = path.split('?');
    url.pathname = url.pathname.slice(0, -PATHS.voices.length) + pathname;
    if (query !== undefined) url.search = query;
    const auth = authorization === undefined ? `Bearer ${options.apiKey}` : authorization;
    const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers: {
        'user-agent': USER_AGENT,
        ...(auth !== null && { authorization: auth }),
        ...(payload !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: payload,
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text, json: parse(text) };
  }

  const rawVoices = remember(async () => {
    const { json } = await raw({ path: PATHS.voices });
    const data = isRecord(json) && Array.isArray(json.data) ? json.data : [];
    return data.filter(isRecord);
  });
  const voices = remember(async () => voicesResponseSchema.parse({ data: await rawVoices() }).data);
  const models = remember(async () => modelsResponseSchema.parse((await raw({ path: PATHS.models })).json).data);

  const subject: Subject = {
    client: freshClient(),
    freshClient,
    raw,
    rawAtOnce: once,
    speak: (body) => raw({ method: 'POST', path: PATHS.speech, body }),
    rawVoices,
    voices,
    models,
    async voiceOf(model): Promise<Voice> {
      const voice = (await voices()).find((candidate) => candidate.model === model);
      if (voice === undefined) throw new NotApplicable(`no voice of ${model} is listed`);
      return voice;
    },
    async maxInput(model) {
      const limit = (await models()).find((candidate) => candidate.id === model)?.max_input_length;
      if (limit === undefined) throw new NotApplicable(`no limit of ${model} is stated`);
      return limit;
    },
    async listen(url) {
      const target = new URL(url);
      const response = await agent.request({
        origin: target.origin,
        path: target.pathname + target.search,
        method: 'GET',
        headers: { 'user-agent': USER_AGENT },
        signal: AbortSignal.any([options.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      const bytes = new Uint8Array(await response.body.arrayBuffer());
      if (response.statusCode !== 200) throw new Error(`the audio answered ${response.statusCode}`);
      return hear(bytes, String(response.headers['content-type'] ?? '') || undefined);
    },
    apiOrigin: base.origin,
    faults: options.faults,
    poor: poor?.subject,
  };
  return {
    subject,
    async close() {
      await Promise.all([...clients.map((client) => client.close()), agent.destroy(), poor?.close()]);
    },
  };
}

function hear(bytes: Uint8Array, contentType: string | undefined): HeardAudio {
  try {
    const { format, seconds } = readAudio(bytes);
    return { bytes, contentType, format, seconds };
  } catch (error) {
    if (error instanceof RangeError) return { bytes, contentType, format: 'unknown', seconds: 0 };
    throw error;
  }
}

function withoutFaults({ faults: _, poor: __, ...rest }: SubjectOptions): SubjectOptions {
  return rest;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `error.code` of an answer, if it has one. */
export function codeOf(answer: RawAnswer): string | undefined {
  const error = isRecord(answer.json) && isRecord(answer.json.error) ? answer.json.error : {};
  return typeof error.code === 'string' ? error.code : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whether it had to be JSON is for the rule to say.
    return undefined;
  }
}

/** Reads once a resource that many rules check; a failure is not kept. */
function remember<T>(read: () => Promise<T>): () => Promise<T> {
  let value: Promise<T> | undefined;
  return async () => {
    value ??= read();
    try {
      return await value;
    } catch (error) {
      value = undefined;
      throw error;
    }
  };
}
