import * as z from 'zod';
import { type ApiPath, PATHS, parseBaseUrl } from '../base-url.ts';
import { SpeechError, type SpeechErrorKind } from '../errors.ts';
import { canonicalModelId } from '../interface/models.ts';
import {
  type Billing,
  billingSchema,
  modelInfoSchema,
  type RequestWarning,
  requestIssues,
  requestWarnings,
  type SpeechRequest,
  speechResultSchema,
  toWire,
  voiceSchema,
} from '../interface/schemas.ts';
import { type ClientClock, createPacer, systemClock } from './pacer.ts';
import { badResponse, createTransport, readJson, type SpeechResponse } from './transport.ts';

export type SpeechLog = Readonly<Record<'debug' | 'info' | 'warn', (facts: object, message: string) => void>>;

/** The first wait for a used-up quota. Quotas renew after minutes to a day, so each further failure doubles the wait, up to six hours. */
export const FIRST_QUOTA_WAIT_MS = 5 * 60_000;
export const MAX_QUOTA_WAIT_MS = 6 * 3_600_000;
/** If the service announces a longer wait for a quota than a day, the bot takes that for a mistake and waits a day. */
const MAX_ANNOUNCED_WAIT_MS = 24 * 3_600_000;

/** A quota's key is a model id, or a voice id if the model is unknown. Logs redact fields named `key`, so the field is `quotaOf`. */
export function createQuotas(log: SpeechLog) {
  /** Used-up quotas, until a call succeeds. Calls are rejected until `retryAtMs`, in milliseconds since 1970. */
  const circuits = new Map<string, { readonly failures: number; readonly retryAtMs: number }>();

  function retryAfterMs(key: string): number | undefined {
    const waitMs = (circuits.get(key)?.retryAtMs ?? 0) - Date.now();
    return waitMs > 0 ? waitMs : undefined;
  }

  return {
    retryAfterMs,
    check(key: string): void {
      const waitMs = retryAfterMs(key);
      if (waitMs === undefined) return;
      const message = 'the quota for this model is used up; not asking again yet';
      throw new SpeechError({ kind: 'quota-exceeded', message, retryAfterMs: waitMs });
    },
    /** Blocks calls to a used-up quota for a while. The returned error says when the next attempt is allowed. */
    open(key: string, error: SpeechError): SpeechError {
      if (retryAfterMs(key) === undefined) {
        const failures = (circuits.get(key)?.failures ?? 0) + 1;
        const waitMs =
          error.retryAfterMs === undefined
            ? Math.min(FIRST_QUOTA_WAIT_MS * 2 ** (failures - 1), MAX_QUOTA_WAIT_MS)
            : Math.min(error.retryAfterMs, MAX_ANNOUNCED_WAIT_MS);
        circuits.set(key, { failures, retryAtMs: Date.now() + waitMs });
        const facts = { quotaOf: key, isUsedUp: true, retryAfterMs: waitMs };
        log.warn(facts, "Speech service's quota used up: sending no requests for now");
      }
      const { message, serverMessage, cause } = error;
      return new SpeechError({ ...error, message, serverMessage, cause, retryAfterMs: retryAfterMs(key) });
    },
    close(key: string): void {
      if (circuits.delete(key))
        log.info(
          { quotaOf: key, isUsedUp: false },
          "Speech provider's quota is available again: resuming its requests",
        );
    },
  };
}

export interface FailedAttempt {
  readonly error: SpeechError;
  readonly method: 'GET' | 'POST';
  readonly attempts: number;
  /** Milliseconds of the pause between the failed attempt and the attempt before it; 0 if the first attempt failed. */
  readonly previousDelayMs: number;
  readonly remainingMs: number;
  readonly random: number;
}

type RetryDecision =
  | { readonly retry: true; readonly delayMs: number }
  | {
      readonly retry: false;
      readonly why: 'not-retryable' | 'may-be-billed' | 'attempts-used-up' | 'deadline';
    };

/**
 * Maximum attempts of a request that did not reach the service, or of a GET that got no answer or a server error. Their
 * pauses take a few seconds in total. Rate limits and answers of 503 are retried as long as the call's time allows.
 */
export const MAX_ATTEMPTS_ON_TROUBLE = 4;
const BACKOFF_BASE_MS = 500;
export const BACKOFF_CEILING_MS = 10_000;

/** Equal jitter (AWS, "Exponential Backoff And Jitter") spreads callers that failed together; none retries at once. */
function equalJitterMs(attempts: number, random: number): number {
  const halfMs = Math.min(BACKOFF_CEILING_MS, BACKOFF_BASE_MS * 2 ** (attempts - 1)) / 2;
  return Math.round(halfMs + random * halfMs);
}

export function decideRetry(failed: FailedAttempt): RetryDecision {
  const { error, method, attempts, previousDelayMs, remainingMs, random } = failed;
  if (error.creditsMayBeSpent) return { retry: false, why: 'may-be-billed' };
  const isLimited = error.kind === 'rate-limited';
  if (!isLimited && error.status !== 503) {
    // Only a query, or a request that was never sent, can be repeated without a second charge.
    const isTrouble =
      error.retryable && (error.kind === 'network' || (error.kind === 'server-error' && method === 'GET'));
    if (!isTrouble) return { retry: false, why: 'not-retryable' };
    if (attempts >= MAX_ATTEMPTS_ON_TROUBLE) return { retry: false, why: 'attempts-used-up' };
  }
  // Pauses between attempts never get shorter, except after an announced delay of more than `BACKOFF_CEILING_MS`.
  const backoffMs = Math.max(Math.min(previousDelayMs, BACKOFF_CEILING_MS), equalJitterMs(attempts, random));
  // A rate limit's first announced delay may be 0. Later delays have a minimum: if clocks differ, 0 is too soon.
  const leastMs = isLimited && attempts === 1 ? 0 : backoffMs;
  const delayMs = error.retryAfterMs === undefined ? backoffMs : Math.max(error.retryAfterMs, leastMs);
  return delayMs >= remainingMs ? { retry: false, why: 'deadline' } : { retry: true, delayMs };
}

export type CallProgress =
  /** The speech request was sent. From then on it may be billed, even if nobody waits for the answer. */
  | { readonly kind: 'sent' }
  /** An attempt of the speech request failed and was not billed: the client tries again after a pause. */
  | { readonly kind: 'waiting'; readonly reason: SpeechErrorKind; readonly triedForMs: number };

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** A server's or user's id at Discord: their requests alternate, so that a busy server cannot starve the others. */
  readonly fairnessKey?: string;
  /** Milliseconds for the call with all its attempts; by default, the client's `requestTimeoutMs`. */
  readonly deadlineMs?: number;
  /** Milliseconds of retries after the first failure; a minute by default. The deadline can end the retries earlier. */
  readonly retryForMs?: number;
  /** Awaited before each attempt of a speech request. A rejection ends the call with the same error. */
  readonly beforeAttempt?: () => Promise<void>;
  /** Reports the progress of a speech request. The callback must not throw. */
  readonly onProgress?: (progress: CallProgress) => void;
}

export interface SpeechClientOptions {
  /** The speech service's base address or its full `…/api/v1/speech` URL. A function is called before each request. */
  readonly baseUrl: URL | string | (() => URL);
  /**
   * Called before each attempt. Resolves with a signal that cancels the attempt when the speech service's process ends:
   * another program may take over the service's address, and would receive the API key and the text.
   */
  readonly serverEnd?: (signal: AbortSignal) => Promise<AbortSignal>;
  readonly apiKey: string;
  /** The word before the API key in the `Authorization` header; 'Bearer' by default. */
  readonly authHeaderPrefix?: string;
  readonly requestTimeoutMs?: number;
  readonly log: SpeechLog;
  readonly userAgent?: string;
  readonly clock?: ClientClock;
}

export type SpeechResult = ReturnType<typeof readResult>;
export type SpeechClient = ReturnType<typeof createSpeechClient>;

interface ApiCall<T> {
  readonly method: 'GET' | 'POST';
  readonly path: ApiPath;
  readonly json: unknown;
  /** The model or voice id whose quota limits the call; undefined for calls without a quota. */
  readonly quotaKey: string | undefined;
  readonly read: (answer: SpeechResponse) => T;
}

/** The deadline of a speech request. The API document names none; long texts on a busy model have taken minutes. */
const DEFAULT_REQUEST_TIMEOUT_MS = 120_000;
/** Speech that comes more than a minute late no longer fits the talk in the voice channel. */
const RETRY_FOR_MS = 60_000;

/** Throws a TypeError if the speech service's address or the API key is invalid; the error contains neither. */
export function createSpeechClient(options: SpeechClientOptions) {
  const { baseUrl, serverEnd, log, clock = systemClock, requestTimeoutMs = DEFAULT_REQUEST_TIMEOUT_MS } = options;
  const fixedUrl = typeof baseUrl === 'function' ? undefined : parseBaseUrl(baseUrl);
  const transport = createTransport({
    baseUrl: () => fixedUrl ?? parseBaseUrl(typeof baseUrl === 'function' ? baseUrl() : baseUrl),
    serverEnd,
    authorization: authorization(options.apiKey, options.authHeaderPrefix ?? 'Bearer'),
    userAgent: options.userAgent ?? 'crier',
  });
  const pacer = createPacer(clock);
  const quotas = createQuotas(log);
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();

  async function run<T>(call: ApiCall<T>, callOptions: CallOptions): Promise<T> {
    const { method, path, quotaKey } = call;
    const { signal, fairnessKey = '', deadlineMs = requestTimeoutMs, retryForMs = RETRY_FOR_MS } = callOptions;
    const { beforeAttempt, onProgress } = callOptions;
    const startedAtMs = clock.now();
    const deadlineAtMs = startedAtMs + deadlineMs;
    const late = new AbortController();
    const cancelDeadline = clock.after(deadlineMs, () => late.abort());
    const ending = AbortSignal.any([late.signal, closing.signal, signal].filter((one) => one !== undefined));
    /** True if the deadline ended the call before the caller or close() did: the first abort sets `ending.reason`. */
    const isLate = () => late.signal.aborted && ending.reason === late.signal.reason;
    let attempts = 0;
    let seen: { readonly status: number | undefined; readonly requestId: string | undefined } | undefined;
    let last: SpeechError | undefined;
    const line = () => {
      const durationMs = Math.round(clock.now() - startedAtMs);
      return { method, path, status: seen?.status, requestId: seen?.requestId, attempts, durationMs };
    };

    const ended = (isSent: boolean): SpeechError => {
      const kind = isLate() ? 'timeout' : 'aborted';
      return new SpeechError({
        kind,
        message: `${method} ${path}: ${kind === 'timeout' ? 'no answer within the deadline' : 'stopped'}`,
        // If the last attempt was never sent, the error must not show the status and request id of the attempt before.
        status: isSent ? seen?.status : undefined,
        requestId: isSent ? seen?.requestId : undefined,
        retryable: kind === 'timeout' && (!isSent || method === 'GET'),
        creditsMayBeSpent: method === 'POST' && isSent,
      });
    };
    /** If the deadline ends the call between two attempts, the call rejects with the last attempt's error, which explains more. */
    const endedWaiting = () => (isLate() && last) || ended(false);

    /** Waits until the rate limit allows a request. Rejects at once if the deadline would pass first. */
    const takeTurn = async () => {
      if (ending.aborted) throw endedWaiting();
      if (quotaKey !== undefined) quotas.check(quotaKey);
      const waitMs = pacer.expectedWaitMs(fairnessKey);
      const isInTime = waitMs <= deadlineAtMs - clock.now() && (await pacer.turn(fairnessKey, ending));
      if (isInTime) return;
      if (ending.aborted && !isLate()) throw ended(false);
      const why = 'not sent, the key’s rate limit leaves no turn within the deadline';
      const message = `${method} ${path}: ${why}`;
      throw last ?? new SpeechError({ kind: 'rate-limited', message, retryAfterMs: waitMs, retryable: true });
    };

    const attempt = async (): Promise<T> => {
      attempts += 1;
      const { json } = call;
      const onSent = () => onProgress?.({ kind: 'sent' });
      const outcome = await transport.send({ method, path, json, onSent, signal: ending });
      if (outcome.kind === 'answered') {
        seen = outcome.answer;
        pacer.learn(outcome.answer.headers);
        return call.read(outcome.answer);
      }
      const { isSent, error } = outcome;
      seen = error;
      if (!isSent) pacer.giveBack();
      throw ending.aborted ? ended(isSent) : error;
    };

    const attemptUntilDone = async (): Promise<T> => {
      let retryUntilMs: number | undefined;
      let previousDelayMs = 0;
      for (;;) {
        await takeTurn();
        await beforeAttempt?.().catch((reason: unknown) => {
          pacer.giveBack();
          throw reason;
        });
        try {
          const result = await attempt();
          if (quotaKey !== undefined) quotas.close(quotaKey);
          return result;
        } catch (error) {
          if (!(error instanceof SpeechError)) throw error;
          last = quotaKey !== undefined && error.kind === 'quota-exceeded' ? quotas.open(quotaKey, error) : error;
        }
        const nowMs = clock.now();
        retryUntilMs ??= Math.min(nowMs + retryForMs, deadlineAtMs);
        const decision = decideRetry({
          error: last,
          method,
          attempts,
          previousDelayMs,
          remainingMs: retryUntilMs - nowMs,
          random: clock.random(),
        });
        const { kind, code, type, status, requestId } = last;
        log.debug(
          { path, attempt: attempts, kind, code, type, status, requestId, ...decision },
          'Speech service request failed: retrying if possible',
        );
        // The rate limit belongs to the API key, so a pause holds back the requests of all callers.
        if (kind === 'rate-limited') pacer.pause(decision.retry ? decision.delayMs : (last.retryAfterMs ?? 0));
        if (!decision.retry) throw last;
        previousDelayMs = decision.delayMs;
        onProgress?.({ kind: 'waiting', reason: kind, triedForMs: nowMs - startedAtMs });
        if (kind !== 'rate-limited') await pause(decision.delayMs, ending);
        if (ending.aborted) throw endedWaiting();
      }
    };

    try {
      const result = await attemptUntilDone();
      log.info(line(), 'Speech service answered');
      return result;
    } catch (error) {
      // An error that is no SpeechError comes from the caller's `beforeAttempt`, so it is not logged here.
      if (error instanceof SpeechError) {
        const { kind, code, type, creditsMayBeSpent } = error;
        // A call that its caller gave up before anything was billed is not worth a warning in the log.
        const level = kind !== 'aborted' ? 'warn' : creditsMayBeSpent ? 'info' : 'debug';
        log[level]({ ...line(), kind, code, type, creditsMayBeSpent }, 'Speech service call failed');
      }
      throw error;
    } finally {
      cancelDeadline();
    }
  }

  async function pause(ms: number, ending: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(ms, resolve);
    const onAbort = () => resolve();
    ending.addEventListener('abort', onAbort, { once: true });
    if (ending.aborted) resolve();
    await promise;
    cancel();
    ending.removeEventListener('abort', onAbort);
  }

  function call<T>(spec: ApiCall<T>, callOptions: CallOptions = {}): Promise<T> {
    const running = run(spec, callOptions).finally(() => underWay.delete(running));
    underWay.add(running);
    return running;
  }

  const get = <T>(path: ApiPath, read: (answer: SpeechResponse) => T, callOptions?: CallOptions) =>
    call({ method: 'GET', path, json: undefined, quotaKey: undefined, read }, callOptions);

  return {
    async speak(request: SpeechRequest, callOptions?: CallOptions) {
      const issues = requestIssues(request);
      if (issues.length > 0) throw refused(issues);
      const { voice } = request;
      return call(
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
    voices: (callOptions?: CallOptions) => get(PATHS.voices, readVoices, callOptions),
    models: (callOptions?: CallOptions) => get(PATHS.models, readModels, callOptions),
    billing: (callOptions?: CallOptions) => get(PATHS.billing, readBilling, callOptions),
    openapi: (callOptions?: CallOptions) => get(PATHS.openapi, readJson, callOptions),
    /** Milliseconds until a model's used-up quota allows requests again; undefined if requests are allowed. */
    quotaRetryAfterMs: (model: string) => quotas.retryAfterMs(canonicalModelId(model)),
    /** Ends waiting and running calls with an error of kind 'aborted', and closes the connections. Idempotent. */
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
      await transport.close();
    },
  };
}

/** Throws a TypeError for an API key with characters that the Authorization header cannot carry. */
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

function readResult(answer: SpeechResponse, warnings: readonly RequestWarning[]) {
  const { data, error } = speechResultSchema.safeParse(readJson(answer));
  if (error) throw badResponse(answer, `has no usable ${error.issues[0]?.path.join('.') || 'speech result'} in it`);
  return {
    audioUrl: new URL(data.url),
    creditsUsed: data.credits_used,
    creditsRemaining: data.credits_remaining,
    /** Parameters of the speech request that the model ignores: callers tell the requester about them. */
    warnings,
    inputCharacters: data.usage?.input_characters,
    /** The model that produced the audio, as the speech service calls it: not necessarily a known model id. */
    model: data.usage?.model,
    /** The id of the voice that spoke, if another voice than the requested one spoke. */
    spokenBy: data.spoken_by,
    requestId: answer.requestId,
  };
}

function readBilling(answer: SpeechResponse): Billing & { requestId: string | undefined } {
  const { data, error } = billingSchema.safeParse(readJson(answer));
  if (error) throw badResponse(answer, 'has no balance in it');
  return { ...data, requestId: answer.requestId };
}

const readVoices = (answer: SpeechResponse) => ({
  voices: readList(voiceSchema, answer),
  requestId: answer.requestId,
});
const readModels = (answer: SpeechResponse) => ({
  models: readList(modelInfoSchema, answer),
  requestId: answer.requestId,
});

/** Leaves out invalid elements of a service's list: an element of a new kind must not hide the others. */
function readList<T>(schema: z.ZodType<T>, answer: SpeechResponse): T[] {
  const { data, error } = z.object({ data: z.array(z.unknown()) }).safeParse(readJson(answer));
  if (error) throw badResponse(answer, 'has no list in it');
  return data.data.flatMap((element) => schema.safeParse(element).data ?? []);
}
