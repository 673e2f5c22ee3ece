import * as z from 'zod';

/**
 * Faults that can be switched on while the service runs, so that clients can be tested against rare answers.
 * Everything is off by default. Counters say how many of the next requests are affected; each affected
 * request counts them down. `Number.POSITIVE_INFINITY` affects all of them until it is set back.
 */
export interface ServiceFaults {
  /** Added to the time every API request takes, in milliseconds. */
  latencyMs: number;
  /** Speech requests answered with 503 `provider_unavailable`. */
  unavailable: number;
  /** Speech requests answered with 429 `provider_quota_exceeded`. */
  quota: number;
  /** Which models the quota fault is for; empty means every model. */
  quotaModels: readonly string[];
  /** Speech requests answered with 500 `server_error` after the credits were reserved (and given back). */
  serverError: number;
  /** Speech requests answered with 422 `content_policy_violation`. */
  contentPolicy: number;
  /** Speech requests that are synthesised and billed, and whose connection is then closed without an answer. */
  dropAfterBilling: number;
  /** API requests answered as a gateway in front would: an HTML page, status 502, no `request-id`. */
  html: number;
  /** Audio downloads closed after half of the bytes. */
  cutAudio: number;
  /** Speed of audio downloads in bytes per second; 0 is unlimited. */
  audioBytesPerSecond: number;
  /** Added before the first byte of an audio download, in milliseconds. */
  audioLatencyMs: number;
}

export type FaultCounter =
  | 'unavailable'
  | 'quota'
  | 'serverError'
  | 'contentPolicy'
  | 'dropAfterBilling'
  | 'html'
  | 'cutAudio';

/** A set of switches with everything off. */
export function noFaults(): ServiceFaults {
  return {
    latencyMs: 0,
    unavailable: 0,
    quota: 0,
    quotaModels: [],
    serverError: 0,
    contentPolicy: 0,
    dropAfterBilling: 0,
    html: 0,
    cutAudio: 0,
    audioBytesPerSecond: 0,
    audioLatencyMs: 0,
  };
}

/** Whether this request is to be affected; counts it down when so. */
export function takeFault(faults: ServiceFaults, counter: FaultCounter): boolean {
  if (!(faults[counter] > 0)) return false;
  faults[counter] -= 1;
  return true;
}

const counter = z.union([z.int().min(0), z.literal('always').transform(() => Number.POSITIVE_INFINITY)]);
const amount = z.number().min(0).max(3_600_000);

/** Some of the switches, as they come over HTTP: a counter may be the word `always`. */
export const faultsSchema = z
  .strictObject({
    latencyMs: amount,
    unavailable: counter,
    quota: counter,
    quotaModels: z.array(z.string()),
    serverError: counter,
    contentPolicy: counter,
    dropAfterBilling: counter,
    html: counter,
    cutAudio: counter,
    audioBytesPerSecond: z.number().min(0),
    audioLatencyMs: amount,
  } satisfies Record<keyof ServiceFaults, z.ZodType>)
  .partial();

/** JSON has no infinity. */
export function faultsAsJson(faults: ServiceFaults): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(faults).map(([name, value]) => [name, value === Number.POSITIVE_INFINITY ? 'always' : value]),
  );
}
