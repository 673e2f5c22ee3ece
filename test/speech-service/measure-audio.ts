import { correlationAt } from '../end-to-end/measure.ts';

/** Reading and measuring the service's audio, independent of the code that made it. */

export function readWav(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const tag = (at: number) => Buffer.from(bytes.subarray(at, at + 4)).toString('latin1');
  if (tag(0) !== 'RIFF' || tag(8) !== 'WAVE') throw new Error('This is not a WAV file.');
  if (view.getUint32(4, true) !== bytes.byteLength - 8) throw new Error('The RIFF size is wrong.');
  if (tag(12) !== 'fmt ' || tag(36) !== 'data') throw new Error('Chunks are not where they were expected.');
  const sampleRateHz = view.getUint32(24, true);
  const dataBytes = view.getUint32(40, true);
  if (dataBytes !== bytes.byteLength - 44) throw new Error('The data size is wrong.');
  const samples = Float32Array.from({ length: dataBytes / 2 }, (_, i) => view.getInt16(44 + i * 2, true) / 32_768);
  return { sampleRateHz, samples, seconds: samples.length / sampleRateHz };
}

export function rmsDb(samples: Float32Array): number {
  return (
    10 * Math.log10(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length) + 1e-12)
  );
}

export function peak(samples: Float32Array): number {
  return samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
}

/** The longest stretch below the threshold, in seconds, anywhere between the first and the last sound. */
export function longestSilence(samples: Float32Array, sampleRateHz: number, threshold = 0.005): number {
  let longest = 0;
  let since: number | undefined;
  samples.forEach((sample, i) => {
    if (Math.abs(sample) < threshold) return;
    if (since !== undefined) longest = Math.max(longest, i - since);
    since = i;
  });
  return longest / sampleRateHz;
}

/** Median fundamental frequency of voiced frames in Hz, by autocorrelation; 0 when nothing is voiced. */
export function medianPitchHz(samples: Float32Array, sampleRateHz: number): number {
  const frame = Math.round(sampleRateHz * 0.03);
  const found: number[] = [];
  for (let start = 0; start + 3 * frame < samples.length; start += frame) {
    const voiced = samples.subarray(start, start + frame);
    if (rmsDb(voiced) < -30) continue;
    let best = { score: 0, lag: 0 };
    for (let lag = Math.round(sampleRateHz / 450); lag <= sampleRateHz / 65; lag += 1) {
      const score = correlationAt(voiced, samples.subarray(start + lag, start + lag + frame), 0);
      if (score > best.score + 0.03) best = { score, lag };
    }
    if (best.score > 0.7) found.push(sampleRateHz / best.lag);
  }
  found.sort((x, y) => x - y);
  return found[found.length >> 1] ?? 0;
}
