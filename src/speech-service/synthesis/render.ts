import type { SynthesisJob } from './engine.ts';
import { ESPEAK_SAMPLE_RATE_HZ, type Espeak } from './espeak.ts';
import { resample } from './resample.ts';

/** Silence around the speech, so that no player cuts into it. */
const LEAD_MS = 20;
const TAIL_MS = 60;

/** Speaks a job: mono samples (−1 to 1) at `job.sampleRateHz`. */
export function render(job: SynthesisJob, espeak: Espeak): Float32Array {
  const { timbre } = job;
  const spoken = espeak.speak({
    text: job.text,
    voice: `${timbre.language}+${timbre.variant}`,
    wordsPerMinute: timbre.wordsPerMinute * job.speed,
    pitch: timbre.pitch,
    pitchRange: timbre.pitchRange,
  });
  const lead = Math.round((LEAD_MS / 1000) * ESPEAK_SAMPLE_RATE_HZ);
  const tail = Math.round((TAIL_MS / 1000) * ESPEAK_SAMPLE_RATE_HZ);
  const samples = new Float32Array(lead + spoken.length + tail);
  for (let i = 0; i < spoken.length; i += 1) samples[lead + i] = (spoken[i] as number) / 32_768;
  return resample(samples, ESPEAK_SAMPLE_RATE_HZ, job.sampleRateHz);
}
