import { Buffer } from 'node:buffer';
import { AudioError } from '../../src/audio/audio-error.ts';
import { oggOpusFile } from '../../src/audio/clips/clip-files.ts';
import { createAudioDecoder } from '../../src/audio/making/decoding/audio-decoder.ts';
import { decodeWithFfmpeg, type PcmStream } from '../../src/audio/making/decoding/ffmpeg-decoder.ts';
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

/** The packets in a file of Ogg; RFC 3533, section 6. */
function packetsIn(file: Buffer): Buffer[] {
  const packets: Buffer[] = [];
  let open = Buffer.alloc(0);
  for (let at = 0; at < file.length; ) {
    if (file.toString('latin1', at, at + 4) !== 'OggS') throw new Error(`No page at ${at}`);
    const segments = file.readUInt8(at + 26);
    let start = at + 27 + segments;
    for (const size of file.subarray(at + 27, at + 27 + segments)) {
      open = Buffer.concat([open, file.subarray(start, start + size)]);
      start += size;
      if (size === 255) continue;
      packets.push(open);
      open = Buffer.alloc(0);
    }
    at = start;
  }
  return packets;
}

/** Without ffmpeg, whose files have a subject of their own. */
function openDecoder(): Checker {
  const decoder = createAudioDecoder('/nonexistent/ffmpeg');
  const mostAtAnotherRate = MAX_SAMPLE_RATE_HZ / MIN_SAMPLE_RATE_HZ;
  return {
    // The smallest frame of MP3 has 24 bytes (8 kbit/s at 24 kHz) for 576 samples; the decoder's delay comes on top.
    check: (file) => decodes(decoder.decode(inPieces(file)), (file.length * 24 + 4_608) * mostAtAnotherRate),
    close: async () => decoder.close(),
  };
}

const wav: Subject = {
  name: 'wav',
  kind: 'bytes',
  mostCpuMs: 50,
  runs: 80,
  open: openDecoder,
};

const mp3: Subject = {
  name: 'mp3',
  kind: 'bytes',
  mostCpuMs: 100,
  runs: 40,
  open: openDecoder,
};

/** What we write holds the packets that it was given; what others write, ffmpeg reads in a process of its own. */
const ogg: Subject = {
  name: 'ogg',
  kind: 'bytes',
  mostCpuMs: 200,
  runs: 5,
  open: () => ({
    async check(file) {
      const packets = Array.from({ length: Math.min(200, file.length / 50) }, (_, i) => {
        const from = (i * 131) % file.length;
        return file.subarray(from, from + (file[i] ?? 0) * 3);
      });
      const [head, tags, ...kept] = packetsIn(oggOpusFile(packets));
      if (head?.toString('latin1', 0, 8) !== 'OpusHead' || tags?.toString('latin1', 0, 8) !== 'OpusTags')
        throw new Error('No headers');
      if (kept.length !== packets.length || kept.some((packet, i) => !packet.equals(packets[i] as Buffer)))
        throw new Error('The packets are not those that were written');
      // Opus of 2.5 ms a packet at a byte each is the most sound that a file can hold.
      await decodes(decodeWithFfmpeg(inPieces(file), undefined, undefined, 5_000), file.length * 5_760 + 48_000);
    },
  }),
};

export const SOUND_FILES: readonly Subject[] = [wav, mp3, ogg];
