import * as z from 'zod';
import { PATHS, parseBaseUrl } from '../base-url.ts';
import { SpeechError } from '../errors.ts';
import { canonicalModelId } from '../interface/models.ts';
import {
  type Billing,
  billingSchema,
  type ModelInfo,
  modelInfoSchema,
  speechResultSchema,
  type Voice,
  voiceSchema,
} from '../interface/schemas.ts';
import { type RequestWarning, requestIssues, requestWarnings, type SpeechRequest, toWire } from '../request.ts';
import { badResponse, readJson, type SpeechResponse } from './answer.ts';
import { type CallOptions, type CallProgress, createCaller } from './caller.ts';
import { type ClientClock, systemClock } from './pacer.ts';
import type { SpeechLog } from './quota-circuits.ts';
import { createTransport } from './transport.ts';

export type { CallOptions, CallProgress, SpeechLog };

export interface SpeechClientOptions {
  /**
   * The service's base address, or the full `…/api/v1/speech` URL; with or without a trailing slash. A function is asked
   * before each request.
   */
  readonly baseUrl: URL | string | (() => URL);
  /**
   * For a server that comes and goes: awaited before each attempt, resolves with a signal that is aborted when the server ends.
   * From then on no request waits for its answer, and none is sent to the address, where another program may listen.
   */
  readonly serverEnd?: (signal: AbortSignal) => Promise<AbortSignal>;
  readonly apiKey: string;
  /** The word before the key in `Authorization`; 'Bearer' by default. */
  readonly authHeaderPrefix?: string;
  /** Total deadline of a call with all its attempts and waits, 120 000 by default. */
  readonly requestTimeoutMs?: number;
  readonly log: SpeechLog;
  readonly userAgent?: string;
  /** Replaces time and chance in tests. */
  readonly clock?: ClientClock;
}

export interface SpeechResult {
  readonly audioUrl: URL;
  readonly creditsUsed: number;
  readonly creditsRemaining: number;
  readonly inputCharacters?: number;
  /** The actual producer of the audio: opaque text, not necessarily a model id. */
  readonly model?: string;
  /** The id of the voice that spoke, where it is not the one that was asked for. */
  readonly spokenBy?: string;
  readonly requestId?: string;
  /** Parameters that the model ignores, to be reported to the requester. */
  readonly warnings: readonly RequestWarning[];
}

export interface SpeechClient {
  /** Generates speech and spends credits. Rejects with a `SpeechError`. */
  speak(request: SpeechRequest, options?: CallOptions): Promise<SpeechResult>;
  voices(options?: CallOptions): Promise<{ voices: Voice[]; requestId?: string }>;
  models(options?: CallOptions): Promise<{ models: ModelInfo[]; requestId?: string }>;
  billing(options?: CallOptions): Promise<Billing & { requestId?: string }>;
  /** The service's machine-readable description, unparsed. */
  openapi(options?: CallOptions): Promise<unknown>;
  /** Milliseconds until a model with an exhausted upstream quota is tried again; undefined otherwise. */
  quotaRetryAfterMs(model: string): number | undefined;
  /** Aborts waiting and running calls with kind 'aborted' and closes the connections. Idempotent. */
  close(): Promise<void>;
}

function addressOf(configured: SpeechClientOptions['baseUrl']): () => URL {
  if (typeof configured === 'function') return () => parseBaseUrl(configured());
  const baseUrl = parseBaseUrl(configured);
  return () => baseUrl;
}

/** The document gives no time; a long text on a busy model has been seen to take minutes. */
const DEFAULT_REQUEST_TIMEOUT_MS = 120_000;

/**
 * A client of one speech service with one key. Throws a TypeError, without repeating a value, for an invalid address or
 * key.
 */
export function createSpeechClient(options: SpeechClientOptions): SpeechClient {
  const { authHeaderPrefix = 'Bearer', requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS, userAgent = 'crier' } = options;
  const transport = createTransport({
    baseUrl: addressOf(options.baseUrl),
    serverEnd: options.serverEnd,
    authorization: authorization(options.apiKey, authHeaderPrefix),
    userAgent,
  });
  const caller = createCaller({ transport, clock: options.clock ?? systemClock, log: options.log, requestTimeoutMs });

  return {
    async speak(request, callOptions) {
      const issues = requestIssues(request);
      if (issues.length > 0) throw refused(issues);
      const { voice } = request;
      return caller.call(
        {
          method: 'POST',
          path: PATHS.speech,
          json: toWire(request),
          quotaKey: voice.model === undefined ? `voice ${voice.voiceId}` : canonicalModelId(voice.model),
          read: (answer) => readResult(answer, requestWarnings(request)),
        },
        callOptions,
      );
    },
    voices: (callOptions) =>
      caller.call(
        {
          method: 'GET',
          path: PATHS.voices,
          read: (answer) => ({ voices: readList(voiceSchema, answer), requestId: answer.requestId }),
        },
        callOptions,
      ),
    models: (callOptions) =>
      caller.call(
        {
          method: 'GET',
          path: PATHS.models,
          read: (answer) => ({ models: readList(modelInfoSchema, answer), requestId: answer.requestId }),
        },
        callOptions,
      ),
    billing: (callOptions) => caller.call({ method: 'GET', path: PATHS.billing, read: readBilling }, callOptions),
    openapi: (callOptions) => caller.call({ method: 'GET', path: PATHS.openapi, read: readJson }, callOptions),
    quotaRetryAfterMs: (model) => caller.quotaRetryAfterMs(canonicalModelId(model)),
    close: () => caller.close(),
  };
}

/** The Authorization header's value. A key is one line of printable characters, without the white space around it. */
function authorization(apiKey: string, prefix: string): string {
  const key = apiKey.trim();
  if (key === '') throw new TypeError('the speech service key is empty');
  const value = `${prefix.trim()} ${key}`.trim();
  if (!/^[\x21-\x7E]+(?: [\x21-\x7E]+)?$/.test(value)) {
    throw new TypeError('the speech service key or its prefix holds white space or characters a header cannot carry');
  }
  return value;
}

function refused(issues: ReturnType<typeof requestIssues>): SpeechError {
  const [first] = issues;
  const kind = issues.length === 1 && first?.problem === 'unsupported' ? 'unsupported-format' : 'invalid-request';
  const list = issues.map((issue) => `${issue.field} ${issue.problem}`).join(', ');
  return new SpeechError({ kind, message: `refused before sending: ${list}`, param: first?.field, issues });
}

function readResult(answer: SpeechResponse, warnings: readonly RequestWarning[]): SpeechResult {
  const parsed = speechResultSchema.safeParse(readJson(answer));
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.');
    throw badResponse(answer, `has no usable ${field || 'speech result'} in it`);
  }
  const { url, credits_used, credits_remaining, usage, spoken_by } = parsed.data;
  return {
    audioUrl: new URL(url),
    creditsUsed: credits_used,
    creditsRemaining: credits_remaining,
    warnings,
    inputCharacters: usage?.input_characters,
    model: usage?.model,
    spokenBy: spoken_by,
    requestId: answer.requestId,
  };
}

function readBilling(answer: SpeechResponse): Billing & { requestId?: string } {
  const parsed = billingSchema.safeParse(readJson(answer));
  if (!parsed.success) throw badResponse(answer, 'has no balance in it');
  return { ...parsed.data, requestId: answer.requestId };
}

/** The valid elements of `data`: an invalid one must not hide the others. */
function readList<T>(schema: z.ZodType<T>, answer: SpeechResponse): T[] {
  const parsed = z.object({ data: z.array(z.unknown()) }).safeParse(readJson(answer));
  if (!parsed.success) throw badResponse(answer, 'has no list in it');
  return parsed.data.data.flatMap((element) => schema.safeParse(element).data ?? []);
}
