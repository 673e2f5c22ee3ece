/** A run of decoded sound: mono samples in -1..1. Every run of one stream has the same rate. */
export interface Pcm {
  readonly sampleRateHz: number;
  readonly samples: Float32Array;
}

/** What every decoder yields: sound as far as it is good, then the end or an AudioError. */
export type PcmStream = AsyncIterable<Pcm>;

/** Rates a decoder accepts; anything outside is a broken header rather than speech. */
export const MIN_SAMPLE_RATE_HZ = 8_000;
export const MAX_SAMPLE_RATE_HZ = 192_000;
