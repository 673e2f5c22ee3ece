import * as z from 'zod';

/**
 * Faults that can be switched on while the service runs, to test clients against rare answers. All faults are off by
 * default. A counter is the number of next requests to affect, and decreases with each of them.
 * `Number.POSITIVE_INFINITY` affects all requests until the counter is set again.
 */
export function noFaults() {
  return {
    latencyMs: 0,
    /** Number of speech requests to answer with 503 `provider_unavailable`. */
    unavailable: 0,
    /** Number of speech requests to answer with 429 `provider_quota_exceeded`. */
    quota: 0,
    /** Number of speech requests to answer with 402 `insufficient_credits`, whatever the balance is. */
    noCredits: 0,
    /** The models that the quota fault affects; empty means every model. */
    quotaModels: [] as readonly string[],
    /** Number of speech requests to answer with 500 `server_error` after the credits were reserved (and refunded). */
    serverError: 0,
    /** Number of speech requests to answer with 422 `content_policy_violation`. */
    contentPolicy: 0,
    /** Number of speech requests to synthesize and bill, but to close without an answer. */
    dropAfterBilling: 0,
    /**
     * Milliseconds that an answer is held back after its speech request was charged. A client that leaves meanwhile has
     * paid. A lower value also applies to answers that are held back already.
     */
    billedLatencyMs: 0,
    /** Number of API requests to answer like a gateway in front: an HTML page, status 502, no `request-id`. */
    html: 0,
    /** Number of audio downloads to close after half of the bytes. */
    cutAudio: 0,
    /** Number of audio downloads to answer with 404, as by a host that does not have the audio yet. */
    missingAudio: 0,
    /** Number of audio downloads to answer with a redirect that leads nowhere. */
    redirectedAudio: 0,
    /** Speed of audio downloads in bytes per second; 0 is unlimited. */
    audioBytesPerSecond: 0,
    /** Milliseconds of delay before the first byte of an audio download. */
    audioLatencyMs: 0,
  };
}

export type ServiceFaults = ReturnType<typeof noFaults>;
type FaultCounter = Exclude<
  keyof ServiceFaults,
  'latencyMs' | 'billedLatencyMs' | 'quotaModels' | 'audioBytesPerSecond' | 'audioLatencyMs'
>;

/** True if the fault affects the current request; the fault's counter then goes down. */
export function takeFault(faults: ServiceFaults, counter: FaultCounter): boolean {
  if (!(faults[counter] > 0)) return false;
  faults[counter] -= 1;
  return true;
}

const counter = z.union([z.int().min(0), z.literal('always').transform(() => Number.POSITIVE_INFINITY)]);
const amount = z.number().min(0).max(3_600_000);
const AMOUNTS = ['latencyMs', 'billedLatencyMs', 'audioBytesPerSecond', 'audioLatencyMs'];
const schemaOf = (name: string) =>
  name === 'quotaModels' ? z.array(z.string()) : AMOUNTS.includes(name) ? amount : counter;

/** Faults as sent over HTTP: a counter may be the word `always`. */
export const faultsSchema = z
  .strictObject(Object.fromEntries(Object.keys(noFaults()).map((name) => [name, schemaOf(name)])))
  .partial();
