import { MPEGDecoder } from 'mpg123-decoder';
import type { AudioPiece } from '../../../sound/audio-reader.ts';
import type { Pcm } from './pcm.ts';

type Mp3Piece = Extract<AudioPiece, { kind: 'mp3' }>;

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
    /**
     * Decodes frames as they arrive, those of each file with a decoder of its own: without the padding an encoder adds at
     * both ends (LAME's tag says how much).
     */
    open() {
      let decoder: MPEGDecoder | undefined;
      let file = -1;
      let frames = 0;
      let broken = 0;
      return {
        async decode(frame: Mp3Piece): Promise<Pcm | undefined> {
          if (frame.file !== file || !decoder) {
            file = frame.file;
            decoder?.free();
            decoder = await (spares.shift() ?? createDecoder());
            // After the first packets: creating the next spare must not delay them.
            setImmediate(refill);
          }
          frames += 1;
          const { header, bytes } = frame;
          const { channelData, samplesDecoded, errors } = decoder.decode(bytes);
          if (errors.length > 0) broken += 1;
          if (samplesDecoded === 0) return undefined;
          return { sampleRateHz: header.sampleRateHz, samples: mono(channelData, header.channels) };
        },
        get problem() {
          return broken > 0 ? `${broken} of ${frames} MP3 frames were broken` : undefined;
        },
        close() {
          decoder?.free();
          decoder = undefined;
        },
      };
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
