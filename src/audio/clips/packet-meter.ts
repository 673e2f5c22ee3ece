/** Where the hiss of an s lies is still heard at this rate; decoding costs less the lower it is. */
const SAMPLE_RATE_HZ = 16_000;
/** Some 10 ms of work. */
const WARM_UP_PACKETS = 50;

/** How loud packets are. Opus packets depend on those before them: give it one clip, in order. */
export async function createPacketMeter() {
  const { createDecoder } = await import('libopus-wasm');
  const decoder = await createDecoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
  let isClosed = false;
  return {
    /** The loudest sample of this packet, 0 to 1. */
    peak(packet: Uint8Array): number {
      let loudest = 0;
      for (const sample of decoder.decode(packet)) {
        const size = sample < 0 ? -sample : sample;
        if (size > loudest) loudest = size;
      }
      return loudest / 32_768;
    },
    close(): void {
      if (isClosed) return;
      isClosed = true;
      decoder.free();
    },
  };
}

export type PacketMeter = Awaited<ReturnType<typeof createPacketMeter>>;

/** Loads and runs what measures, so that the first long text does not wait for it. */
export async function warmUpPacketMeter(): Promise<void> {
  const { createEncoder } = await import('libopus-wasm');
  const encoder = await createEncoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
  const meter = await createPacketMeter();
  const noise = Int16Array.from({ length: SAMPLE_RATE_HZ / 50 }, (_, i) => ((i * 7919) % 4_000) - 2_000);
  for (let packet = 0; packet < WARM_UP_PACKETS; packet++) meter.peak(encoder.encode(noise));
  encoder.free();
  meter.close();
}
