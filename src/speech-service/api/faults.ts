import * as z from 'zod';

/** Tests set these faults while the service runs. A counter is the number of coming requests that it affects. */
export function noFaults() {
  return {
    latencyMs: 0,
    unavailable: 0,
    quota: 0,
    noCredits: 0,
    /** Speech requests that fail with 500 after their credits were reserved, and are refunded. */
    serverError: 0,
    contentPolicy: 0,
    /** Speech requests that are synthesized and billed, but get no answer because the connection closes. */
    dropAfterBilling: 0,
    /** Milliseconds that an answer is held back after its charge. A lower value also shortens a running delay. */
    billedLatencyMs: 0,
    /** API requests that get an HTML page with status 502, as from a gateway in front of the service. */
    html: 0,
    /** Audio downloads that break off after half of the first chunk. */
    cutAudio: 0,
    /** Audio downloads that get status 404, as from a host that does not have the audio yet. */
    missingAudio: 0,
    redirectedAudio: 0,
    /** 0 means unlimited speed. */
    audioBytesPerSecond: 0,
    audioLatencyMs: 0,
  };
}

export type ServiceFaults = ReturnType<typeof noFaults>;
const AMOUNTS = ['latencyMs', 'billedLatencyMs', 'audioBytesPerSecond', 'audioLatencyMs'] as const;
type FaultCounter = Exclude<keyof ServiceFaults, (typeof AMOUNTS)[number]>;

export function takeFault(faults: ServiceFaults, counter: FaultCounter): boolean {
  if (!(faults[counter] > 0)) return false;
  faults[counter] -= 1;
  return true;
}

const counter = z.union([z.int().min(0), z.literal('always').transform(() => Number.POSITIVE_INFINITY)]);
const amount = z.number().min(0).max(3_600_000);
const schemaOf = (name: string) => (AMOUNTS.some((one) => one === name) ? amount : counter);

/** Over HTTP, the counter of a fault may also be the word `always`. */
export const faultsSchema = z
  .strictObject(Object.fromEntries(Object.keys(noFaults()).map((name) => [name, schemaOf(name)])))
  .partial();
