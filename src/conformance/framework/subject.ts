import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { Agent } from 'undici';
import { readAudio } from '../../sound/audio-file.ts';
import { endpoint, PATHS, parseBaseUrl } from '../../speech/base-url.ts';
import { createSpeechClient, type SpeechClient } from '../../speech/client/client.ts';
import {
  type ModelInfo,
  modelsResponseSchema,
  type Voice,
  voicesResponseSchema,
} from '../../speech/interface/schemas.ts';

/** Thrown if a conformance rule does not apply: the service has nothing to test, such as no voice of a family. */
export class NotApplicable extends Error {
  override readonly name = 'NotApplicable';
}

export type Fault =
  | 'unavailable'
  | 'quota'
  | 'serverError'
  | 'contentPolicy'
  | 'noCredits'
  | 'dropAfterBilling'
  | 'html';

export interface FaultSwitches {
  /** Makes the tested service show this fault in the next `times` requests that can have the fault. */
  next(fault: Fault, times: number): void;
  clear(): void;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: unknown;
}

export interface HeardAudio {
  readonly bytes: Uint8Array;
  readonly contentType: string | undefined;
  /** The audio format by the first bytes of the audio, not by the content type. */
  readonly format: 'wav' | 'mp3' | 'unknown';
  readonly seconds: number;
}

interface RawRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The whole Authorization header of a request; null sends no header. */
  readonly authorization: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface SubjectOptions {
  /** The tested service's base address, or the full address of its speech endpoint. */
  readonly url: string;
  readonly apiKey: string;
  readonly signal: AbortSignal;
  /** Makes the tested service fail on command, for rules that test failures. Undefined for real services. */
  readonly faults: FaultSwitches | undefined;
}

const REQUEST_TIMEOUT_MS = 120_000;
const MAX_PAUSE_MS = 60_000;
const USER_AGENT = 'crier-conformance';

/**
 * The speech service under test, reached by plain HTTP and by Crier's client. Throws a TypeError for an invalid address
 * or key; the message does not contain the value.
 */
export class Subject {
  readonly apiOrigin: string;
  readonly signal: AbortSignal;
  readonly client: SpeechClient;
  readonly faults: FaultSwitches | undefined;
  readonly #options: SubjectOptions;
  readonly #base: URL;
  readonly #agent = new Agent({ allowH2: false });
  readonly #clients: SpeechClient[] = [];
  /** Caches the service's lists by address, because many rules check the same lists. */
  readonly #lists = new Map<string, RawAnswer>();

  constructor(options: SubjectOptions) {
    this.#options = options;
    this.signal = options.signal;
    this.#base = parseBaseUrl(options.url);
    this.apiOrigin = this.#base.origin;
    this.faults = options.faults;
    this.client = this.freshClient();
  }

  /**
   * Creates another client for the tested service, for rules that trip the client's circuit breaker. The subject closes
   * the client.
   */
  freshClient(): SpeechClient {
    const { apiKey } = this.#options;
    const log = pino({ level: 'silent' });
    const client = createSpeechClient({ baseUrl: this.#base, apiKey, log, userAgent: USER_AGENT });
    this.#clients.push(client);
    return client;
  }

  /** Sends a plain HTTP request, and retries after a pause if the key's rate limit is used up. */
  async raw(path: string, request: Partial<RawRequest> = {}): Promise<RawAnswer> {
    for (;;) {
      const answer = await this.rawAtOnce(path, request);
      if (answer.status !== 429 || codeOf(answer) !== 'rate_limit_exceeded') return answer;
      const untilMs = Date.parse(String(answer.headers['x-ratelimit-reset-requests'])) - Date.now();
      await delay(Math.min(Math.max(untilMs || 0, 1_000), MAX_PAUSE_MS), undefined, { signal: this.signal });
    }
  }

  async rawAtOnce(path: string, request: Partial<RawRequest> = {}): Promise<RawAnswer> {
    const { method = 'GET', headers, body, authorization = `Bearer ${this.#options.apiKey}` } = request;
    const url = endpoint(this.#base, PATHS.voices);
    const [pathname = '', query = ''] = path.split('?');
    url.pathname = url.pathname.slice(0, -PATHS.voices.length) + pathname;
    url.search = query;
    const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await this.#request(url, method, payload, {
      authorization: authorization ?? undefined,
      'content-type': payload === undefined ? undefined : 'application/json',
      ...headers,
    });
    const text = await response.body.text();
    return { status: response.statusCode, headers: response.headers, text, json: parse(text) };
  }

  speak(body: unknown): Promise<RawAnswer> {
    return this.raw(PATHS.speech, { method: 'POST', body });
  }

  async #list(path: string): Promise<RawAnswer> {
    const answer = this.#lists.get(path) ?? (await this.raw(path));
    this.#lists.set(path, answer);
    return answer;
  }

  async rawVoices(): Promise<Record<string, unknown>[]> {
    const { json } = await this.#list(PATHS.voices);
    return isRecord(json) && Array.isArray(json.data) ? json.data.filter(isRecord) : [];
  }

  async voices(): Promise<readonly Voice[]> {
    return voicesResponseSchema.parse({ data: await this.rawVoices() }).data;
  }

  async models(): Promise<readonly ModelInfo[]> {
    return modelsResponseSchema.parse((await this.#list(PATHS.models)).json).data;
  }

  /** Returns the first voice of a model, or of all models; throws `NotApplicable` if there is none. */
  async voiceOf(model?: string): Promise<Voice> {
    const voice = (await this.voices()).find((candidate) => model === undefined || candidate.model === model);
    if (voice === undefined)
      throw new NotApplicable(model === undefined ? 'no voice is listed' : `no voice of ${model} is listed`);
    return voice;
  }

  /** Returns the text limit that `GET /models` states for a model; throws `NotApplicable` if it states none. */
  async maxInput(model: string): Promise<number> {
    const limit = (await this.models()).find((candidate) => candidate.id === model)?.max_input_length;
    if (limit === undefined) throw new NotApplicable(`no limit of ${model} is stated`);
    return limit;
  }

  /** Downloads audio without sending the API key. */
  async listen(url: string): Promise<HeardAudio> {
    const response = await this.#request(new URL(url), 'GET', undefined, {});
    const bytes = new Uint8Array(await response.body.arrayBuffer());
    if (response.statusCode !== 200) throw new Error(`the audio answered ${response.statusCode}`);
    const contentType = String(response.headers['content-type'] ?? '') || undefined;
    try {
      return { ...readAudio(bytes), bytes, contentType };
    } catch (error) {
      if (error instanceof RangeError) return { bytes, contentType, format: 'unknown', seconds: 0 };
      throw error;
    }
  }

  #request(
    url: URL,
    method: RawRequest['method'],
    body: string | undefined,
    headers: Record<string, string | undefined>,
  ) {
    return this.#agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      body,
      headers: { 'user-agent': USER_AGENT, ...headers },
      signal: AbortSignal.any([this.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
    });
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.map((client) => client.close()), this.#agent.destroy()]);
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function codeOf({ json }: RawAnswer): string | undefined {
  const error = isRecord(json) && isRecord(json.error) ? json.error : {};
  return typeof error.code === 'string' ? error.code : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // An answer whose body is no JSON is not an error yet: the rule decides whether it must be JSON.
    return undefined;
  }
}
