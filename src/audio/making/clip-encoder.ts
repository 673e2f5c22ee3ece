import type { Buffer } from 'node:buffer';
import { createResampler, type Resampler } from '../../sound/resample.ts';
import { createLimiter, type Limiter } from './loudness-limiter.ts';
import { type OpusFrameEncoder, type OpusLibrary, opusRateFor } from './opus-encoder.ts';

/**
 * An encoder for mono audio of any rate: encodes at that rate where Opus supports it, else resampled to the next one;
 * amplified by `gainDb`, with peaks limited to the ceiling.
 */
export async function createClipEncoder(opus: OpusLibrary, sourceRateHz: number, gainDb = 0) {
  const rateHz = opusRateFor(sourceRateHz);
  const encoder = await opus.createEncoder(rateHz);
  return cutIntoFrames(encoder, createResampler(sourceRateHz, rateHz), createLimiter(rateHz, 10 ** (gainDb / 20)));
}

/** Audio of one rate in, packets out. Frames are independent of the boundaries of the input. */
function cutIntoFrames(encoder: OpusFrameEncoder, resampler: Resampler, limiter: Limiter) {
  const frame = new Float32Array(encoder.frameSamples);
  let filled = 0;

  function* cut(samples: Float32Array): Iterable<Buffer> {
    for (let at = 0; at < samples.length; ) {
      const count = Math.min(frame.length - filled, samples.length - at);
      frame.set(samples.subarray(at, at + count), filled);
      filled += count;
      at += count;
      if (filled < frame.length) return;
      filled = 0;
      yield encoder.encode(frame);
    }
  }

  return {
    /** Yields a packet for each full frame; encodes lazily, one frame for each next(). */
    push: (samples: Float32Array) => cut(limiter.push(resampler.push(samples))),
    /** Yields the rest: a partial frame is padded with silence, which also flushes the encoder's look-ahead. */
    *flush() {
      yield* cut(limiter.push(resampler.flush()));
      yield* cut(limiter.flush());
      yield* cut(new Float32Array(encoder.lookaheadSamples));
      if (filled > 0) yield* cut(new Float32Array(frame.length - filled));
    },
    close: () => encoder.close(),
  };
}

export type ClipEncoder = ReturnType<typeof cutIntoFrames>;
