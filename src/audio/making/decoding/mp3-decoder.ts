import { MPEGDecoder } from 'mpg123-decoder';
import { AudioError } from '../../audio-error.ts';
import { createMp3Splitter, declaredFrames, type Mp3Frame } from './mp3-frames.ts';
import type { Pcm, PcmStream } from './pcm.ts';

/** Spare decoders: creating one takes a millisecond, which the first packet should not wait for. */
const SPARE_DECODERS = 2;

async function createDecoder(): Promise<MPEGDecoder> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  return decoder;
}

/** The mean of left and right. The library decodes a mono file to two equal channels. */
function mono(channelData: Float32Array[], channels: number): Float32Array {
  const left = channelData[0] ?? new Float32Array(0);
  const right = channelData[1];
  if (channels === 1 || !right) return left;
  for (let i = 0; i < left.length; i++) left[i] = ((left[i] ?? 0) + (right[i] ?? 0)) / 2;
  return left;
}

/**
 * MP3 as it arrives, frame by frame, without the padding an encoder adds at both ends (LAME's tag says how much).
 * Throws when the last frame is cut off, or when there are fewer frames than the file's own tag declares.
 */
async function* decodeWith(decoder: MPEGDecoder, bytes: AsyncIterable<Uint8Array>): PcmStream {
  const splitter = createMp3Splitter();
  let isFirst = true;
  let declared: number | undefined;
  let frames = 0;
  let broken = 0;

  function decode({ header, bytes: frame }: Mp3Frame): Pcm | undefined {
    if (isFirst) declared = declaredFrames(frame, header);
    // The frame with the tag has no audio and does not count itself.
    if (!isFirst || declared === undefined) frames += 1;
    isFirst = false;
    const { channelData, samplesDecoded, errors } = decoder.decode(frame);
    if (errors.length > 0) broken += 1;
    return samplesDecoded > 0
      ? { sampleRateHz: header.sampleRateHz, samples: mono(channelData, header.channels) }
      : undefined;
  }

  for await (const chunk of bytes) {
    for (const frame of splitter.push(chunk)) {
      const pcm = decode(frame);
      if (pcm) yield pcm;
    }
  }
  for (const frame of splitter.end()) {
    const pcm = decode(frame);
    if (pcm) yield pcm;
  }
  if (frames === 0) throw new AudioError('not-audio', 'There is no MP3 sound in the file');
  if (splitter.leftover > 0) throw new AudioError('damaged', 'The MP3 file ends in the middle of a frame');
  if (declared !== undefined && frames < declared) {
    throw new AudioError('damaged', `The MP3 file has ${frames} of the ${declared} frames its header declares`);
  }
  if (broken > 0) throw new AudioError('damaged', `${broken} of ${frames} MP3 frames were broken`);
}

/** MPEG-2, layer III, 24 kHz, mono, 64 kbit/s, silent. */
function silentFrame(): Uint8Array {
  const frame = new Uint8Array(192);
  frame.set([0xff, 0xf3, 0x84, 0xc4]);
  return frame;
}

export function createMp3Decoders() {
  const spares: Promise<MPEGDecoder>[] = [];
  let isClosed = false;

  const refill = () => {
    while (!isClosed && spares.length < SPARE_DECODERS) {
      const spare = createDecoder();
      // The failure reaches the decoder's user; until then it must not be an unhandled rejection.
      spare.catch(() => undefined);
      spares.push(spare);
    }
  };

  return {
    async *decode(bytes: AsyncIterable<Uint8Array>): PcmStream {
      const decoder = await (spares.shift() ?? createDecoder());
      // After the first packets: creating the next spare must not delay them.
      setImmediate(refill);
      try {
        yield* decodeWith(decoder, bytes);
      } finally {
        decoder.free();
      }
    },
    /** Creates the spares and decodes a little silence, so that the code is compiled. */
    async warmUp() {
      const decoder = await createDecoder();
      for (let i = 0; i < 8; i++) decoder.decode(silentFrame());
      decoder.free();
      refill();
      await Promise.all(spares);
    },
    close() {
      isClosed = true;
      for (const spare of spares.splice(0)) {
        spare.then(
          (decoder) => decoder.free(),
          () => undefined,
        );
      }
    },
  };
}
