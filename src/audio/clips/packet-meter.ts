import { createEventLoopTurns } from './event-loop-turns.ts';

/** At this rate the hiss of an s is still heard; a lower rate costs less to decode. */
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

/** Discord shows up to this many; https://discord.com/developers/docs/resources/message#attachment-object */
const MAX_POINTS = 256;
/** Computing longer than this at a stretch would delay packets that are due. */
const SLICE_MS = 1;

/**
 * The outline of a sound for Discord's voice messages: up to 256 peaks, 0 to 255, the loudest of the sound being 255
 * unless all is silence. Decodes the packets, in slices.
 */
export async function waveformOf(packets: readonly Uint8Array[], signal?: AbortSignal): Promise<Uint8Array> {
  const points = Math.min(MAX_POINTS, packets.length);
  const peaks = new Float32Array(points);
  const meter = await createPacketMeter();
  const turns = createEventLoopTurns();
  try {
    let sliceEnd = performance.now() + SLICE_MS;
    for (const [index, packet] of packets.entries()) {
      const point = Math.floor((index * points) / packets.length);
      peaks[point] = Math.max(peaks[point] ?? 0, meter.peak(packet));
      if (performance.now() < sliceEnd) continue;
      await turns.next();
      signal?.throwIfAborted();
      sliceEnd = performance.now() + SLICE_MS;
    }
  } finally {
    meter.close();
  }
  const loudest = peaks.reduce((most, peak) => Math.max(most, peak), 0);
  // Below a thousandth there is nothing to see, and it must not be blown up to full height.
  const scale = loudest < 0.001 ? 0 : 255 / loudest;
  return Uint8Array.from(peaks, (peak) => Math.round(peak * scale));
}
