import type { SpeechClient } from '../../speech/client/client.ts';
import { SpeechError, type SpeechErrorKind } from '../../speech/errors.ts';
import type { Metrics } from './metrics.ts';

/** Errors of the speech service that concern every text, and their meaning for the owner. */
const UNUSABLE: Readonly<Partial<Record<SpeechErrorKind, string>>> = {
  'invalid-api-key': 'it does not accept the key',
  unavailable: 'it is out of order',
  'server-error': 'it fails',
  'bad-response': 'its answers make no sense',
  network: 'it cannot be reached',
  timeout: 'it does not answer in time',
};

export const whyUnusable = (error: unknown): string | undefined =>
  error instanceof SpeechError ? UNUSABLE[error.kind] : undefined;

/** How long a call's outcome counts as the speech service's state. A failure expires sooner, to show a recovery. */
const GOOD_FOR_MS = 5 * 60_000;
const BAD_FOR_MS = 10_000;
/** Timeout of a test request to the speech service: health checks expect an answer within a second or two. */
const PROBE_TIMEOUT_MS = 1_500;

/** Tells from the speech client's calls if the service works. If the last call is too old, sends a test request. */
export function watchSpeech({ speech, metrics }: { readonly speech: SpeechClient; readonly metrics: Metrics }) {
  let last: { readonly atMs: number; readonly problem: string | undefined } | undefined;
  let probing: Promise<unknown> | undefined;

  async function observed<Result>(endpoint: string, call: () => Promise<Result>): Promise<Result> {
    const startedAtMs = performance.now();
    let outcome: string = 'ok';
    try {
      return await call();
    } catch (error) {
      outcome = error instanceof SpeechError ? error.kind : 'bad-response';
      throw error;
    } finally {
      metrics.speechCall({ endpoint, outcome, ms: performance.now() - startedAtMs });
      // A call that the bot aborted says nothing about the speech service.
      if (outcome !== 'aborted') last = { atMs: performance.now(), problem: UNUSABLE[outcome as SpeechErrorKind] };
    }
  }

  const watched: SpeechClient = {
    ...speech,
    async speak(request, options) {
      const result = await observed('speech', () => speech.speak(request, options));
      metrics.creditsRemaining(result.creditsRemaining);
      return result;
    },
    voices: (options) => observed('voices', () => speech.voices(options)),
    models: (options) => observed('models', () => speech.models(options)),
    async billing(options) {
      const balance = await observed('billing', () => speech.billing(options));
      metrics.creditsRemaining(balance.creditsLeft);
      return balance;
    },
  };

  return {
    speech: watched,
    async problem() {
      const age = last === undefined ? Number.POSITIVE_INFINITY : performance.now() - last.atMs;
      if (age > (last?.problem === undefined ? GOOD_FOR_MS : BAD_FOR_MS)) {
        // The answer about the balance also updates the metric of remaining credits.
        probing ??= watched
          .billing({ deadlineMs: PROBE_TIMEOUT_MS })
          .catch(() => undefined)
          .finally(() => {
            probing = undefined;
          });
        await probing;
      }
      return last === undefined ? 'it has not been reached yet' : last.problem;
    },
  };
}

/** Outcomes of voice joins that point to a problem of Discord or the machine, unlike a canceled join or the bot's removal. */
const FAILURES: ReadonlySet<string> = new Set([
  'timeout',
  'refused',
  'encryption',
  'no-route',
  'gateway-unavailable',
  'failed',
]);
/** Readiness fails only if joins fail in several servers: in a single server, a permission may be missing. */
const SERVERS = 3;
/** How long a failed join counts as a current problem. A success may come late: the bot joins only on request. */
const HOLDS_FOR_MS = 10 * 60_000;

export function createVoiceWatch({ metrics }: { readonly metrics: Metrics }) {
  /** Servers with a failed voice join since the last successful join in any server. */
  const failing = new Set<string>();
  let failedAtMs = Number.NEGATIVE_INFINITY;

  function serversNow(): number {
    if (performance.now() - failedAtMs > HOLDS_FOR_MS) failing.clear();
    return failing.size;
  }

  return {
    joinEnded({ guildId, outcome }: { readonly guildId: string; readonly outcome: string }): void {
      metrics.joinEnded(outcome);
      if (outcome === 'joined') failing.clear();
      if (!FAILURES.has(outcome)) return;
      failing.add(guildId);
      failedAtMs = performance.now();
    },
    /** True if a join has failed lately and none has succeeded since. Audio is then bought only after the join. */
    isInDoubt: () => serversNow() > 0,
    problem: () => {
      const servers = serversNow();
      return servers < SERVERS ? undefined : `no voice channel could be joined lately, in ${servers} servers`;
    },
  };
}
