import type { ApiPath } from '../base-url.ts';
import { SpeechError, type SpeechErrorKind } from '../errors.ts';
import { type ApiEndpoint, requestIdOf, type SpeechResponse } from './answer.ts';
import { type MonotonicClock, sleep } from './monotonic-clock.ts';
import { createPacer } from './pacer.ts';
import { type QuotaCircuits, quotaError } from './quota-circuits.ts';
import { readRateLimit } from './rate-limit.ts';
import { decideRetry, type RetryProgress } from './retry.ts';
import { type Transport, TransportError } from './transport.ts';

/** The way of a call that costs something. */
export type CallProgress =
  /** It was sent, and may be billed from here on, whether or not its answer is waited for. */
  | { readonly kind: 'sent' }
  /** An attempt failed for this reason and was not billed; the next one follows after a pause. */
  | { readonly kind: 'waiting'; readonly reason: SpeechErrorKind; readonly triedForMs: number };

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Waiting requests are served in turn between keys (a server's id), so that a busy one does not starve the others. */
  readonly fairnessKey?: string;
  /** Total deadline of this call in milliseconds, instead of the client's `requestTimeoutMs`. */
  readonly deadlineMs?: number;
  /** How long after its first failure it may be repeated, a minute by default; the deadline ends it in any case. */
  readonly retryForMs?: number | undefined;
  /** Awaited before each attempt. Where it rejects, nothing is sent any more, and the call rejects with the same error. */
  readonly beforeAttempt?: (() => Promise<void>) | undefined;
  /** Must not throw. */
  readonly onProgress?: ((progress: CallProgress) => void) | undefined;
}

export interface ApiCall<T> {
  readonly method: 'GET' | 'POST';
  readonly path: ApiPath;
  readonly json?: unknown;
  /** The circuit of the call; without one, it is independent of quotas. */
  readonly quotaKey?: string;
  /** Turns an answer into the result, or throws the corresponding `SpeechError`. */
  readonly read: (answer: SpeechResponse, endpoint: ApiEndpoint) => T;
}

/** Members in a voice channel have gone on talking by then. */
const RETRY_FOR_MS = 60_000;

/** The needed part of pino's interface. */
export type SpeechLog = Readonly<Record<'debug' | 'info' | 'warn', (facts: object, message: string) => void>>;

interface CallerOptions {
  readonly transport: Transport;
  readonly quotas: QuotaCircuits;
  readonly clock: MonotonicClock;
  readonly log: SpeechLog;
  readonly requestTimeoutMs: number;
}

/** The facts of a running call, for its log line. */
interface Trace {
  attempts: number;
  status?: number | undefined;
  requestId?: string | undefined;
  /** Set where the caller let nothing more be sent. */
  forbidden?: { readonly reason: unknown };
}

/** The reason for the end of waiting, as a kind of error. */
interface Scope {
  readonly signal: AbortSignal;
  readonly deadlineAtMs: number;
  ended(): 'aborted' | 'timeout';
  dispose(): void;
}

/** Runs calls from their first attempt to their end: turns, retries, one deadline, one line in the log. */
export function createCaller({ transport, quotas, clock, log, requestTimeoutMs }: CallerOptions) {
  const pacer = createPacer(clock);
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();

  async function call<T>(spec: ApiCall<T>, options: CallOptions = {}): Promise<T> {
    const startedAtMs = clock.now();
    const scope = openScope(clock, options.deadlineMs ?? requestTimeoutMs, options.signal, closing.signal);
    const trace: Trace = { attempts: 0 };
    const line = () => ({
      method: spec.method,
      path: spec.path,
      status: trace.status,
      requestId: trace.requestId,
      attempts: trace.attempts,
      durationMs: Math.round(clock.now() - startedAtMs),
    });
    try {
      const result = await attemptUntilDone(spec, options, scope, trace);
      log.info(line(), 'speech service answered');
      return result;
    } catch (error) {
      if (trace.forbidden && error === trace.forbidden.reason) throw error;
      const failure = asSpeechError(error, spec);
      const { kind, code, type, creditsMayBeSpent } = failure;
      // Aborted by the caller before it cost anything: not worth a warning.
      log[kind !== 'aborted' ? 'warn' : creditsMayBeSpent ? 'info' : 'debug'](
        { ...line(), kind, code, type, creditsMayBeSpent },
        'speech service call failed',
      );
      throw failure;
    } finally {
      scope.dispose();
    }
  }

  async function attemptUntilDone<T>(spec: ApiCall<T>, options: CallOptions, scope: Scope, trace: Trace): Promise<T> {
    const { fairnessKey = '', retryForMs = RETRY_FOR_MS, beforeAttempt, onProgress } = options;
    const startedAtMs = clock.now();
    const onSent = () => onProgress?.({ kind: 'sent' });
    let last: SpeechError | undefined;
    let retryUntilMs: number | undefined;
    let previousDelayMs = 0;
    while (true) {
      await takeTurn(spec, fairnessKey, scope, last);
      await beforeAttempt?.().catch((reason: unknown) => {
        pacer.giveBack();
        trace.forbidden = { reason };
        throw reason;
      });
      const attempt = { progress: 'not-sent' as RetryProgress, permanent: false };
      try {
        const send = () => attemptOnce({ ...spec, onSent }, scope, trace, attempt);
        return await (spec.quotaKey === undefined ? send() : quotas.run(spec.quotaKey, send));
      } catch (error) {
        if (attempt.progress === 'not-sent') pacer.giveBack();
        if (!(error instanceof SpeechError)) throw scope.signal.aborted ? ended(spec, scope, 'not-sent') : error;
        last = error;
      }
      const nowMs = clock.now();
      retryUntilMs ??= Math.min(nowMs + retryForMs, scope.deadlineAtMs);
      const decision = decideRetry(
        { error: last, ...attempt },
        {
          method: spec.method,
          attempts: trace.attempts,
          previousDelayMs,
          remainingMs: retryUntilMs - nowMs,
          random: clock.random(),
        },
      );
      const { kind, code, type, status, requestId } = last;
      log.debug(
        { path: spec.path, attempt: trace.attempts, kind, code, type, status, requestId, ...decision },
        'attempt failed',
      );
      // For all callers: the limit is the key's. The next turn then comes after the pause.
      if (kind === 'rate-limited') pacer.pause(decision.retry ? decision.delayMs : (last.retryAfterMs ?? 0));
      if (!decision.retry) throw last;
      previousDelayMs = decision.delayMs;
      onProgress?.({ kind: 'waiting', reason: kind, triedForMs: nowMs - startedAtMs });
      if (kind !== 'rate-limited') await waitBeforeRetry(spec, decision.delayMs, scope, last);
    }
  }

  async function waitBeforeRetry(
    endpoint: ApiEndpoint,
    delayMs: number,
    scope: Scope,
    last: SpeechError,
  ): Promise<void> {
    try {
      await sleep(clock, delayMs, scope.signal);
    } catch {
      throw ended(endpoint, scope, 'not-sent', last);
    }
  }

  /** Waits for a turn; rejects at once when it cannot come within the deadline. */
  async function takeTurn(
    spec: ApiEndpoint & { quotaKey?: string },
    fairnessKey: string,
    scope: Scope,
    last: SpeechError | undefined,
  ): Promise<void> {
    if (scope.signal.aborted) throw ended(spec, scope, 'not-sent', last);
    const quotaWaitMs = spec.quotaKey === undefined ? undefined : quotas.retryAfterMs(spec.quotaKey);
    if (quotaWaitMs !== undefined) throw quotaError(quotaWaitMs);
    if (pacer.expectedWaitMs(fairnessKey) > scope.deadlineAtMs - clock.now()) {
      throw last ?? tooBusy(spec, pacer.announcedWaitMs(fairnessKey));
    }
    try {
      await pacer.turn(fairnessKey, scope.signal);
    } catch {
      throw scope.ended() === 'timeout'
        ? (last ?? tooBusy(spec, pacer.announcedWaitMs(fairnessKey)))
        : ended(spec, scope, 'not-sent', last);
    }
  }

  async function attemptOnce<T>(
    spec: ApiCall<T> & { readonly onSent: () => void },
    scope: Scope,
    trace: Trace,
    attempt: { progress: RetryProgress; permanent: boolean },
  ): Promise<T> {
    trace.attempts++;
    trace.status = undefined;
    trace.requestId = undefined;
    try {
      const answer = await transport.send({ ...spec, signal: scope.signal });
      attempt.progress = 'answered';
      trace.status = answer.status;
      trace.requestId = requestIdOf(answer.headers);
      pacer.learn(readRateLimit(answer.headers, answer.receivedAtMs));
      return spec.read(answer, spec);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      attempt.progress = error.progress;
      attempt.permanent = error.permanent;
      trace.status = error.status;
      trace.requestId = requestIdOf(error.headers);
      if (scope.signal.aborted) throw ended(spec, scope, error.progress, undefined, trace);
      throw lost(spec, error, trace);
    }
  }

  return {
    async call<T>(spec: ApiCall<T>, options?: CallOptions): Promise<T> {
      const promise = call(spec, options);
      running.add(promise);
      try {
        return await promise;
      } finally {
        running.delete(promise);
      }
    },
    async close() {
      closing.abort();
      await Promise.allSettled(running);
      await transport.close();
    },
  };
}

function openScope(clock: MonotonicClock, deadlineMs: number, ...signals: (AbortSignal | undefined)[]): Scope {
  const late = new AbortController();
  const cancelTimer = clock.after(deadlineMs, () => late.abort());
  const signal = AbortSignal.any([late.signal, ...signals.filter((one) => one !== undefined)]);
  return {
    signal,
    deadlineAtMs: clock.now() + deadlineMs,
    // The first one that aborts gives the reason.
    ended: () => (late.signal.aborted && signal.reason === late.signal.reason ? 'timeout' : 'aborted'),
    dispose: cancelTimer,
  };
}

/** The error of a call that was aborted or timed out. An earlier failure that was being waited out is more precise. */
function ended(
  endpoint: ApiEndpoint,
  scope: Scope,
  progress: RetryProgress,
  last?: SpeechError,
  trace?: Trace,
): SpeechError {
  const kind = scope.ended();
  if (kind === 'timeout' && last) return last;
  return new SpeechError({
    kind,
    message: `${endpoint.method} ${endpoint.path}: ${kind === 'timeout' ? 'no answer within the deadline' : 'stopped'}`,
    status: trace?.status,
    requestId: trace?.requestId,
    retryable: kind === 'timeout' && (progress === 'not-sent' || endpoint.method === 'GET'),
    creditsMayBeSpent: endpoint.method === 'POST' && progress !== 'not-sent',
  });
}

/** The error of an answer that did not arrive, or not completely. */
function lost(endpoint: ApiEndpoint, error: TransportError, trace: Trace): SpeechError {
  const sentPost = endpoint.method === 'POST' && error.progress !== 'not-sent';
  return new SpeechError({
    kind: error.tooLarge ? 'bad-response' : 'network',
    message: `${endpoint.method} ${endpoint.path}: ${sentPost ? 'the answer was lost' : 'not reached'} (${error.message})`,
    status: trace.status,
    requestId: trace.requestId,
    retryable: !sentPost && !error.permanent,
    creditsMayBeSpent: sentPost,
    cause: error.cause,
  });
}

function tooBusy(endpoint: ApiEndpoint, waitMs: number): SpeechError {
  return new SpeechError({
    kind: 'rate-limited',
    message: `${endpoint.method} ${endpoint.path}: not sent, the key's rate limit leaves no turn within the deadline`,
    retryAfterMs: waitMs,
    retryable: true,
  });
}

function asSpeechError(error: unknown, endpoint: ApiEndpoint): SpeechError {
  if (error instanceof SpeechError) return error;
  // Nothing here is expected to throw anything else; the log shows what did.
  return new SpeechError({
    kind: 'bad-response',
    message: `${endpoint.method} ${endpoint.path}: failed unexpectedly`,
    cause: error,
  });
}
