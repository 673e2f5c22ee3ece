import { createTimeStretcher } from '../../sound/time-stretch.ts';
import { type Clip, createClip } from '../clips/clip.ts';
import type { EventLoopTurns } from '../clips/event-loop-turns.ts';
import { createClipEncoder } from './clip-encoder.ts';
import type { OpusLibrary } from './opus-encoder.ts';

const SAMPLE_RATE_HZ = 48_000;
/** So many packets are made before they are needed: a text that is stopped is neither computed nor bought to its end. */
const PACKETS_AHEAD = 50;
/** Computing longer at a stretch would delay packets that are due; one packet takes less than half of it. */
const SLICE_MS = 1;

/**
 * A clip played `speed` times as fast at the same pitch, made from its packets while it is played. The source is only read;
 * it ends as the source ends.
 */
export function createFasterClip(
  source: Clip,
  speed: number,
  { opus, turns }: { readonly opus: OpusLibrary; readonly turns: EventLoopTurns },
): Clip {
  const writer = createClip();
  const { cancelled, clip } = writer;
  let played = 0;
  let wake: () => void = () => undefined;
  cancelled.addEventListener('abort', () => wake(), { once: true });

  /** Until what was made is nearly played. */
  async function untilNeeded(): Promise<void> {
    while (clip.packets.length > played + PACKETS_AHEAD && !cancelled.aborted) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    cancelled.throwIfAborted();
  }

  async function make(): Promise<void> {
    const { createDecoder } = await import('libopus-wasm');
    const decoder = await createDecoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
    const encoder = await createClipEncoder(opus, SAMPLE_RATE_HZ);
    const stretcher = createTimeStretcher(SAMPLE_RATE_HZ, speed);
    let sliceEnd = performance.now() + SLICE_MS;
    try {
      for (let index = 0; ; index++) {
        await untilNeeded();
        if (index >= source.packets.length) await source.waitFor(index, cancelled);
        const packet = source.packets[index];
        if (!packet) break;
        const samples = Float32Array.from(decoder.decode(packet), (sample) => sample / 32_768);
        for (const made of encoder.push(stretcher.push(samples))) writer.push(made);
        if (performance.now() < sliceEnd) continue;
        await turns.next();
        sliceEnd = performance.now() + SLICE_MS;
      }
      for (const made of encoder.push(stretcher.flush())) writer.push(made);
      for (const made of encoder.flush()) writer.push(made);
      if (source.error) throw source.error;
      writer.complete();
    } finally {
      decoder.free();
      encoder.close();
    }
  }

  make().catch((error: unknown) => {
    writer.fail(error instanceof Error ? error : new Error('The clip could not be made faster', { cause: error }));
  });
  return {
    packets: clip.packets,
    get state() {
      return clip.state;
    },
    get error() {
      return clip.error;
    },
    get durationMs() {
      return clip.durationMs;
    },
    done: clip.done,
    waitFor: clip.waitFor,
    played(count) {
      played = count;
      source.played?.(Math.floor(count * speed));
      wake();
    },
    cancel: clip.cancel,
  };
}
