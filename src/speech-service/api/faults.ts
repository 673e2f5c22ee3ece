import * as z from 'zod';

/**
 * Faults that can be switched on while the service runs, so that clients can be tested against rare answers.
 * Everything is off by default. Counters say how many of the next requests are affected; each affected
 * request counts them down. `Number.POSITIVE_INFINITY` affects all of them until it is set back.
 */
export function noFaults() {
  return {
    /** Added to the time every API request takes, in milliseconds. */
    latencyMs: 0,
    /** Speech requests answered with 503 `provider_unavailable`. */
    unavailable: 0,
    /** Speech requests answered with 429 `provider_quota_exceeded`. */
    quota: 0,
    /** Speech requests answered with 402 `insufficient_credits`, whatever the account has. */
    noCredits: 0,
    /** Which models the quota fault is for; empty means every model. */
    quotaModels: [] as readonly string[],
    /** Speech requests answered with 500 `server_error` after the credits were reserved (and given back). */
    serverError: 0,
    /** Speech requests answered with 422 `content_policy_violation`. */
    contentPolicy: 0,
    /** Speech requests that are synthesized and billed, and whose connection is then closed without an answer. */
    dropAfterBilling: 0,
    /**
     * The maximum between the bill and the answer of a speech request, in milliseconds. A lower value also holds for
     * requests that wait. A client that leaves meanwhile has paid.
     */
    billedLatencyMs: 0,
    /** API requests answered as a gateway in front would: an HTML page, status 502, no `request-id`. */
    html: 0,
    /** Audio downloads closed after half of the bytes. */
    cutAudio: 0,
    /** Audio downloads answered with 404, as by a host that the audio has not reached yet. */
    missingAudio: 0,
    /** Audio downloads answered with a redirect that leads nowhere. */
    redirectedAudio: 0,
    /** Speed of audio downloads in bytes per second; 0 is unlimited. */
    audioBytesPerSecond: 0,
    /** Added before the first byte of an audio download, in milliseconds. */
    audioLatencyMs: 0,
  };
}

export type ServiceFaults = ReturnType<typeof noFaults>;
export type FaultCounter = Exclude<
  keyof ServiceFaults,
  'latencyMs' | 'billedLatencyMs' | 'quotaModels' | 'audioBytesPerSecond' | 'audioLatencyMs'
>;

/** Whether this request is to be affected; counts it down when so. */
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

/** Some of the switches, as they come over HTTP: a counter may be the word `always`. */
export const faultsSchema = z
  .strictObject(Object.fromEntries(Object.keys(noFaults()).map((name) => [name, schemaOf(name)])))
  .partial();

/** JSON has no infinity. */
export function faultsAsJson(faults: ServiceFaults): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(faults).map(([name, value]) => [name, value === Number.POSITIVE_INFINITY ? 'always' : value]),
  );
}
