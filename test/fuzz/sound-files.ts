import type { Buffer } from 'node:buffer';
import { AudioError } from '../../src/audio/clips/clip.ts';
import { decodeAudio } from '../../src/audio/making/decoding/audio-decoder.ts';
import type { PcmStream } from '../../src/audio/making/decoding/ffmpeg-decoder.ts';
import { MAX_SAMPLE_RATE_HZ, MIN_SAMPLE_RATE_HZ } from '../../src/sound/wav.ts';
import type { Checker, Subject } from './subject.ts';

/** In pieces, as they come from a network; their sizes depend on the file alone. */
async function* inPieces(file: Buffer): AsyncGenerator<Uint8Array> {
  let size = 1 + (file.length % 61);
  for (let at = 0; at < file.length; ) {
    yield file.subarray(at, at + size);
    at += size;
    size = (size * 7) % 4_093 || 1;
  }
}

/** Decoding ends, with sound that an encoder can take or as an AudioError, and with no more of it than the bytes can hold. */
async function decodes(stream: PcmStream, mostSamples: number): Promise<void> {
  let samples = 0;
  try {
    for await (const pcm of stream) {
      samples += pcm.samples.length;
      if (samples > mostSamples) throw new Error(`More than ${mostSamples} samples`);
      if (!(pcm.sampleRateHz >= MIN_SAMPLE_RATE_HZ && pcm.sampleRateHz <= MAX_SAMPLE_RATE_HZ))
        throw new Error(`${pcm.sampleRateHz} Hz`);
      if (!pcm.samples.every((sample) => Number.isFinite(sample))) throw new Error('A sample is no number');
    }
  } catch (error) {
    if (!(error instanceof AudioError)) throw error;
  }
}

/** Without ffmpeg, which reads the other formats in a process of its own. */
function openDecoder(): Checker {
  const mostAtAnotherRate = MAX_SAMPLE_RATE_HZ / MIN_SAMPLE_RATE_HZ;
  return {
    // The smallest frame of MP3 has 24 bytes (8 kbit/s at 24 kHz) for 576 samples; the decoder's delay comes on top.
    check: (file) =>
      decodes(decodeAudio(inPieces(file), '/nonexistent/ffmpeg'), (file.length * 24 + 4_608) * mostAtAnotherRate),
  };
}

const sound = (name: string, mostCpuMs: number, runs: number): Subject => ({
  name,
  kind: 'bytes',
  mostCpuMs,
  runs,
  open: openDecoder,
});

export const SOUND_FILES: readonly Subject[] = [sound('wav', 50, 80), sound('mp3', 100, 40)];
