import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { Agent } from 'undici';
import * as z from 'zod';
import { readAudio } from '../../sound/audio-file.ts';
import { endpoint, PATHS, parseBaseUrl } from '../../speech/base-url.ts';
import { createSpeechClient, type SpeechClient } from '../../speech/client/client.ts';
import { type ModelInfo, modelInfoSchema, parseJson, type Voice, voiceSchema } from '../../speech/interface/schemas.ts';

/** Thrown if the speech service lacks what a conformance rule tests, such as any voice of a model. */
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
  /** Makes the tested service fail in the next `times` requests that this kind of failure can affect. */
  next(fault: Fault, times: number): void;
  clear(): void;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly json: unknown;
}

interface RawRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The whole header `Authorization`; null sends the request without the header. */
  readonly authorization: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface SubjectOptions {
  /** The base address of the tested speech service, or the full address of its speech endpoint. */
  readonly url: string;
  readonly apiKey: string;
  readonly signal: AbortSignal;
  /** Makes the tested service fail on command, for rules about failures. Undefined for real services. */
  readonly faults: FaultSwitches | undefined;
}

const REQUEST_TIMEOUT_MS = 120_000;
const MAX_PAUSE_MS = 60_000;
const USER_AGENT = 'crier-conformance';
const modelsSchema = z.object({ data: modelInfoSchema.array() });

/** Throws a TypeError for an invalid address or API key, without quoting it. */
export class Subject {
  readonly apiOrigin: string;
  readonly signal: AbortSignal;
  readonly client: SpeechClient;
  readonly faults: FaultSwitches | undefined;
  readonly #options: SubjectOptions;
  readonly #base: URL;
  readonly #agent = new Agent({ allowH2: false });
  readonly #clients: SpeechClient[] = [];
  /** Caches the service's lists of voices and models, because many conformance rules need them. */
  readonly #lists = new Map<string, RawAnswer>();

  constructor(options: SubjectOptions) {
    this.#options = options;
    this.signal = options.signal;
    this.#base = parseBaseUrl(options.url);
    this.apiOrigin = this.#base.origin;
    this.faults = options.faults;
    this.client = this.freshClient();
  }

  /** Returns a client that no other conformance rule shares. After a quota error, a client refuses more requests. */
  freshClient(): SpeechClient {
    const { apiKey } = this.#options;
    const log = pino({ level: 'silent' });
    const client = createSpeechClient({ baseUrl: this.#base, apiKey, log, userAgent: USER_AGENT });
    this.#clients.push(client);
    return client;
  }

  /** If the API key's rate limit is used up, waits until the limit resets and sends the request again. */
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
    return { status: response.statusCode, headers: response.headers, text, json: parseJson(text) };
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
    return voiceSchema.array().parse(await this.rawVoices());
  }

  async models(): Promise<readonly ModelInfo[]> {
    return modelsSchema.parse((await this.#list(PATHS.models)).json).data;
  }

  /** Returns a listed voice of `model`, or any listed voice without `model`. Throws `NotApplicable` if there is none. */
  async voiceOf(model?: string): Promise<Voice> {
    const voice = (await this.voices()).find((candidate) => model === undefined || candidate.model === model);
    if (voice === undefined)
      throw new NotApplicable(model === undefined ? 'no voice is listed' : `no voice of ${model} is listed`);
    return voice;
  }

  /** Throws `NotApplicable` if `GET /models` states no text limit for the model. */
  async maxInput(model: string): Promise<number> {
    const limit = (await this.models()).find((candidate) => candidate.id === model)?.max_input_length;
    if (limit === undefined) throw new NotApplicable(`no limit of ${model} is stated`);
    return limit;
  }

  /**
   * Downloads audio without the API key: the audio's address alone gives access to it. `format` is what the audio's
   * first bytes show, whatever the content type says.
   */
  async listen(url: string) {
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
