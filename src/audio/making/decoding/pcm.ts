/** A run of decoded audio: mono samples in -1..1. Every run of one stream has the same rate. */
export interface Pcm {
  readonly sampleRateHz: number;
  readonly samples: Float32Array;
}

/** The output of every decoder: audio up to the first fault, then the end or an AudioError. */
export type PcmStream = AsyncIterable<Pcm>;
