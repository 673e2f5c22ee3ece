import type { ApiPath } from '../base-url.ts';
import { SpeechError, type SpeechErrorKind } from '../errors.ts';
import type { ApiEndpoint, SpeechResponse } from './answer.ts';
import { type ClientClock, createPacer } from './pacer.ts';
import { createQuotaCircuits, quotaError, type SpeechLog } from './quota-circuits.ts';
import { decideRetry, type RetryProgress } from './retry.ts';
import type { Transport } from './transport.ts';

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
  readonly retryForMs?: number;
  /** Awaited before each attempt. Where it rejects, nothing is sent any more, and the call rejects with the same error. */
  readonly beforeAttempt?: () => Promise<void>;
  /** Must not throw. */
  readonly onProgress?: (progress: CallProgress) => void;
}

interface ApiCall<T> {
  readonly method: 'GET' | 'POST';
  readonly path: ApiPath;
  readonly json?: unknown;
  /** The circuit of the call; without one, it is independent of quotas. */
  readonly quotaKey?: string;
  /** Turns an answer into the result, or throws the corresponding `SpeechError`. */
  readonly read: (answer: SpeechResponse) => T;
}

/** Members in a voice channel have gone on talking by then. */
const RETRY_FOR_MS = 60_000;

interface CallerOptions {
  readonly transport: Transport;
  readonly clock: ClientClock;
  readonly log: SpeechLog;
  readonly requestTimeoutMs: number;
}

/** A call under way: what ends it, and how far its last attempt came. */
interface Running {
  readonly signal: AbortSignal;
  /** Aborted by the deadline alone. */
  readonly late: AbortSignal;
  readonly deadlineAtMs: number;
  attempts: number;
  progress: RetryProgress;
  isPermanent: boolean;
  status: number | undefined;
  requestId: string | undefined;
}

/** Runs calls from their first attempt to their end: turns, retries, one deadline, one line in the log. */
export function createCaller({ transport, clock, log, requestTimeoutMs }: CallerOptions) {
  const pacer = createPacer(clock);
  const quotas = createQuotaCircuits(log);
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();

  async function call<T>(spec: ApiCall<T>, options: CallOptions): Promise<T> {
    const { deadlineMs = requestTimeoutMs, signal } = options;
    const startedAtMs = clock.now();
    const late = new AbortController();
    const cancelDeadline = clock.after(deadlineMs, () => late.abort());
    const running: Running = {
      signal: AbortSignal.any([late.signal, closing.signal, signal].filter((one) => one !== undefined)),
      late: late.signal,
      deadlineAtMs: startedAtMs + deadlineMs,
      attempts: 0,
      progress: 'not-sent',
      isPermanent: false,
      status: undefined,
      requestId: undefined,
    };
    const line = () => ({
      method: spec.method,
      path: spec.path,
      status: running.status,
      requestId: running.requestId,
      attempts: running.attempts,
      durationMs: Math.round(clock.now() - startedAtMs),
    });
    try {
      const result = await attemptUntilDone(spec, options, running);
      log.info(line(), 'speech service answered');
      return result;
    } catch (error) {
      // Anything else is what `beforeAttempt` rejected with.
      if (error instanceof SpeechError) {
        const { kind, code, type, creditsMayBeSpent } = error;
        // Aborted by the caller before it cost anything: not worth a warning.
        log[kind !== 'aborted' ? 'warn' : creditsMayBeSpent ? 'info' : 'debug'](
          { ...line(), kind, code, type, creditsMayBeSpent },
          'speech service call failed',
        );
      }
      throw error;
    } finally {
      cancelDeadline();
    }
  }

  async function attemptUntilDone<T>(spec: ApiCall<T>, options: CallOptions, running: Running): Promise<T> {
    const { fairnessKey = '', retryForMs = RETRY_FOR_MS, beforeAttempt, onProgress } = options;
    const startedAtMs = clock.now();
    const attempt = () => attemptOnce(spec, running, () => onProgress?.({ kind: 'sent' }));
    let last: SpeechError | undefined;
    let retryUntilMs: number | undefined;
    let previousDelayMs = 0;
    while (true) {
      await takeTurn(spec, fairnessKey, running, last);
      await beforeAttempt?.().catch((reason: unknown) => {
        pacer.giveBack();
        throw reason;
      });
      running.progress = 'not-sent';
      try {
        return await (spec.quotaKey === undefined ? attempt() : quotas.run(spec.quotaKey, attempt));
      } catch (error) {
        if (running.progress === 'not-sent') pacer.giveBack();
        if (!(error instanceof SpeechError)) throw error;
        last = error;
      }
      const nowMs = clock.now();
      retryUntilMs ??= Math.min(nowMs + retryForMs, running.deadlineAtMs);
      const decision = decideRetry({
        error: last,
        method: spec.method,
        progress: running.progress,
        isPermanent: running.isPermanent,
        attempts: running.attempts,
        previousDelayMs,
        remainingMs: retryUntilMs - nowMs,
        random: clock.random(),
      });
      const { kind, code, type, status, requestId } = last;
      log.debug(
        { path: spec.path, attempt: running.attempts, kind, code, type, status, requestId, ...decision },
        'attempt failed',
      );
      // For all callers: the limit is the key's. The next turn then comes after the pause.
      if (kind === 'rate-limited') pacer.pause(decision.retry ? decision.delayMs : (last.retryAfterMs ?? 0));
      if (!decision.retry) throw last;
      previousDelayMs = decision.delayMs;
      onProgress?.({ kind: 'waiting', reason: kind, triedForMs: nowMs - startedAtMs });
      running.progress = 'not-sent';
      if (kind !== 'rate-limited') {
        const isOver = await waitsInVain(decision.delayMs, running.signal);
        if (isOver) throw ended(spec, running, last);
      }
    }
  }

  /** Resolves after `ms`, or with true as soon as the call is to end. */
  function waitsInVain(ms: number, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const cancel = clock.after(ms, () => resolve(signal.aborted));
    const onAbort = () => resolve(true);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    return promise.finally(() => {
      cancel();
      signal.removeEventListener('abort', onAbort);
    });
  }

  /** Waits for a turn; rejects at once when it cannot come within the deadline. */
  async function takeTurn(
    spec: ApiEndpoint & { readonly quotaKey?: string },
    fairnessKey: string,
    running: Running,
    last: SpeechError | undefined,
  ): Promise<void> {
    if (running.signal.aborted) throw ended(spec, running, last);
    const quotaWaitMs = spec.quotaKey === undefined ? undefined : quotas.retryAfterMs(spec.quotaKey);
    if (quotaWaitMs !== undefined) throw quotaError(quotaWaitMs);
    const tooBusy = () =>
      last ??
      new SpeechError({
        kind: 'rate-limited',
        message: `${spec.method} ${spec.path}: not sent, the key's rate limit leaves no turn within the deadline`,
        retryAfterMs: pacer.announcedWaitMs(fairnessKey),
        retryable: true,
      });
    if (pacer.expectedWaitMs(fairnessKey) > running.deadlineAtMs - clock.now()) throw tooBusy();
    try {
      await pacer.turn(fairnessKey, running.signal);
    } catch {
      throw isLate(running) ? tooBusy() : ended(spec, running, last);
    }
  }

  async function attemptOnce<T>(spec: ApiCall<T>, running: Running, onSent: () => void): Promise<T> {
    running.attempts++;
    const { method, path, json } = spec;
    const outcome = await transport.send({ method, path, json, onSent, signal: running.signal });
    if (outcome.kind === 'answered') {
      const { answer } = outcome;
      running.progress = 'answered';
      running.isPermanent = false;
      running.status = answer.status;
      running.requestId = answer.requestId;
      pacer.learn(answer.headers);
      return spec.read(answer);
    }
    const { progress, isPermanent, isTooLarge, status, requestId, why, cause } = outcome;
    Object.assign(running, { progress, isPermanent, status, requestId });
    if (running.signal.aborted) throw ended(spec, running);
    const isSentPost = method === 'POST' && progress !== 'not-sent';
    throw new SpeechError({
      kind: isTooLarge ? 'bad-response' : 'network',
      message: `${method} ${path}: ${isSentPost ? 'the answer was lost' : 'not reached'} (${why})`,
      status,
      requestId,
      retryable: !isSentPost && !isPermanent,
      creditsMayBeSpent: isSentPost,
      cause,
    });
  }

  return {
    quotaRetryAfterMs: quotas.retryAfterMs,
    async call<T>(spec: ApiCall<T>, options: CallOptions = {}): Promise<T> {
      const promise = call(spec, options);
      underWay.add(promise);
      try {
        return await promise;
      } finally {
        underWay.delete(promise);
      }
    },
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
      await transport.close();
    },
  };
}

/** Whether the deadline ended it: the first signal that aborts gives the reason. */
const isLate = ({ late, signal }: Running): boolean => late.aborted && signal.reason === late.reason;

/** The error of a call that was aborted or timed out. An earlier failure that was being waited out is more precise. */
function ended({ method, path }: ApiEndpoint, running: Running, waitedOut?: SpeechError): SpeechError {
  const kind = isLate(running) ? 'timeout' : 'aborted';
  if (kind === 'timeout' && waitedOut) return waitedOut;
  const isSent = running.progress !== 'not-sent';
  return new SpeechError({
    kind,
    message: `${method} ${path}: ${kind === 'timeout' ? 'no answer within the deadline' : 'stopped'}`,
    // The status and id of an earlier attempt would say nothing about this one.
    status: isSent ? running.status : undefined,
    requestId: isSent ? running.requestId : undefined,
    retryable: kind === 'timeout' && (!isSent || method === 'GET'),
    creditsMayBeSpent: method === 'POST' && isSent,
  });
}
