import { createClipEncoder, wasmOpus } from '../../src/audio/making/opus-encoder.ts';
import { joinSamples } from '../../src/sound/resample.ts';

const SAMPLE_RATE_HZ = 24_000;

/** Silence, sound and silence again, in seconds, at 24 kHz. */
export function between(silentSeconds: number, sound: Float32Array, silentSecondsAfter = silentSeconds): Float32Array {
  const silence = (seconds: number) => new Float32Array(Math.round(seconds * SAMPLE_RATE_HZ));
  return joinSamples(silence(silentSeconds), sound, silence(silentSecondsAfter));
}

/** The packets that the pipeline would make of sound. */
export async function packetsOf(samples: Float32Array, rateHz = SAMPLE_RATE_HZ, library = wasmOpus) {
  const encoder = await createClipEncoder(library, rateHz);
  const packets = [...encoder.push(samples), ...encoder.flush()];
  encoder.close();
  return packets;
}
