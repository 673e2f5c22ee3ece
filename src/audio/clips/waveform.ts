import { createEventLoopTurns } from './event-loop-turns.ts';
import { createPacketMeter } from './packet-meter.ts';

/** Discord shows at most so many; https://discord.com/developers/docs/resources/message#attachment-object */
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
