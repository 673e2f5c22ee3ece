import * as z from 'zod';

/**
 * Tests switch on these faults while the speech service runs, to try clients against rare answers. A counter is the
 * number of coming requests with the fault, and decreases with each of them. `Number.POSITIVE_INFINITY` affects all
 * requests until the counter is set again.
 */
export function noFaults() {
  return {
    latencyMs: 0,
    unavailable: 0,
    quota: 0,
    /** In tests, this many speech requests fail for missing credits, whatever the balance is. */
    noCredits: 0,
    /** The models that the fault `quota` affects; empty means every model. */
    quotaModels: [] as readonly string[],
    /** In tests, this many speech requests fail with 500 after their credits were reserved, and are refunded. */
    serverError: 0,
    contentPolicy: 0,
    /** In tests, this many speech requests are synthesized and billed, but the connection closes without an answer. */
    dropAfterBilling: 0,
    /**
     * In tests, milliseconds that an answer is held back after its speech request was charged. A client that
     * disconnects meanwhile has paid. A lower value also shortens delays that have begun.
     */
    billedLatencyMs: 0,
    /** In tests, this many API requests get an HTML page with status 502, as from a gateway in front of the service. */
    html: 0,
    /**
     * In tests, this many audio downloads break off after half of the first chunk: half of the audio, unless the engine
     * still sends audio.
     */
    cutAudio: 0,
    /** In tests, this many audio downloads get status 404, as from a host that does not have the audio yet. */
    missingAudio: 0,
    redirectedAudio: 0,
    /** In tests, the speed of audio downloads in bytes per second; 0 is unlimited. */
    audioBytesPerSecond: 0,
    audioLatencyMs: 0,
  };
}

export type ServiceFaults = ReturnType<typeof noFaults>;
type FaultCounter = Exclude<
  keyof ServiceFaults,
  'latencyMs' | 'billedLatencyMs' | 'quotaModels' | 'audioBytesPerSecond' | 'audioLatencyMs'
>;

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

/** Over HTTP, the counter of a fault may also be the word `always`. */
export const faultsSchema = z
  .strictObject(Object.fromEntries(Object.keys(noFaults()).map((name) => [name, schemaOf(name)])))
  .partial();
