import type { SpeechClient } from '../../speech/client/client.ts';
import { SpeechError, type SpeechErrorKind } from '../../speech/errors.ts';
import type { Metrics } from './metrics.ts';

interface SpeechWatchOptions {
  readonly speech: SpeechClient;
  readonly metrics: Metrics;
  readonly now?: () => number;
}

/** After these no text would be spoken, whatever it is. */
export const UNUSABLE: Readonly<Partial<Record<SpeechErrorKind, string>>> = {
  'invalid-api-key': 'it does not accept the key',
  unavailable: 'it is out of order',
  'server-error': 'it fails',
  'bad-response': 'its answers make no sense',
  network: 'it cannot be reached',
  timeout: 'it does not answer in time',
};

/** How long the result of a call counts; shorter after a failure, so that the end of an outage is seen soon. */
const GOOD_FOR_MS = 5 * 60_000;
const BAD_FOR_MS = 10_000;
/** Health checks want an answer within a second or two. */
const PROBE_TIMEOUT_MS = 1_500;

/**
 * The speech client with its calls counted, and their verdict on whether the service can be reached. It only asks the
 * service itself if the last call was too long ago, and up to once in ten seconds: the account's 60 requests a minute
 * are for speaking.
 */
export function watchSpeech({ speech, metrics, now = () => performance.now() }: SpeechWatchOptions) {
  let last: { readonly atMs: number; readonly problem: string | undefined } | undefined;
  let probing: Promise<void> | undefined;

  async function observed<Result>(endpoint: string, call: () => Promise<Result>): Promise<Result> {
    const startedAtMs = now();
    let outcome: string = 'ok';
    try {
      return await call();
    } catch (error) {
      outcome = error instanceof SpeechError ? error.kind : 'bad-response';
      throw error;
    } finally {
      metrics.speechCall({ endpoint, outcome, ms: now() - startedAtMs });
      // A call that we ended ourselves says nothing about the service.
      if (outcome !== 'aborted') last = { atMs: now(), problem: UNUSABLE[outcome as SpeechErrorKind] };
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
    openapi: (options) => observed('openapi', () => speech.openapi(options)),
  };

  return {
    speech: watched,
    /** Why nothing can be spoken through the service at the moment; undefined when it can. */
    async problem() {
      const age = last === undefined ? Number.POSITIVE_INFINITY : now() - last.atMs;
      if (age > (last?.problem === undefined ? GOOD_FOR_MS : BAD_FOR_MS)) {
        // The balance, because it is a metric as well.
        probing ??= watched
          .billing({ deadlineMs: PROBE_TIMEOUT_MS })
          .then(
            () => undefined,
            () => undefined,
          )
          .finally(() => {
            probing = undefined;
          });
        await probing;
      }
      return last === undefined ? 'it has not been reached yet' : last.problem;
    },
  };
}

interface VoiceWatchOptions {
  readonly metrics: Metrics;
  readonly now?: () => number;
}

/** Ends of joins that tell of Discord or of this machine. A member who changes their mind, or removes the bot, is none. */
const FAILURES: ReadonlySet<string> = new Set([
  'timeout',
  'refused',
  'encryption',
  'no-route',
  'gateway-unavailable',
  'failed',
]);
/** In one server it may be a permission. */
const SERVERS = 3;
/** The joins of members are the only source, so their result counts for long. */
const HOLDS_FOR_MS = 10 * 60_000;

/** Whether voice channels can be joined, by the joins of members' requests. */
export function createVoiceWatch({ metrics, now = () => performance.now() }: VoiceWatchOptions) {
  /** Servers of which no join succeeded since the last success anywhere. */
  const failing = new Set<string>();
  let failedAtMs = Number.NEGATIVE_INFINITY;

  function forgetOld(): void {
    if (now() - failedAtMs > HOLDS_FOR_MS) failing.clear();
  }

  return {
    joinEnded({ guildId, outcome }: { readonly guildId: string; readonly outcome: string }): void {
      metrics.joinEnded(outcome);
      if (outcome === 'joined') failing.clear();
      if (!FAILURES.has(outcome)) return;
      failing.add(guildId);
      failedAtMs = now();
    },
    /** A join has failed, and none has succeeded since: nothing should be bought before the next one has. */
    isInDoubt: () => {
      forgetOld();
      return failing.size > 0;
    },
    problem: () => {
      forgetOld();
      return failing.size < SERVERS ? undefined : `no voice channel could be joined lately, in ${failing.size} servers`;
    },
  };
}
