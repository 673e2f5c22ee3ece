import { createDecoder } from 'libopus-wasm';

/** How loud packets are. Opus packets depend on those before them: give it one clip, in order. */
export interface PacketMeter {
  /** The loudest sample of this packet, 0 to 1. */
  peak(packet: Uint8Array): number;
  close(): void;
}

/** Where the hiss of an s lies is still heard at this rate; decoding costs less the lower it is. */
const SAMPLE_RATE_HZ = 16_000;

export async function createPacketMeter(): Promise<PacketMeter> {
  const decoder = await createDecoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
  let isClosed = false;
  return {
    peak(packet) {
      let loudest = 0;
      for (const sample of decoder.decode(packet)) {
        const size = sample < 0 ? -sample : sample;
        if (size > loudest) loudest = size;
      }
      return loudest / 32_768;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      decoder.free();
    },
  };
}
