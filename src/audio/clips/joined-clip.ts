import { type Clip, createClip, PACKET_MS, SILENCE_PACKET } from './clip.ts';
import { createEventLoopTurns } from './event-loop-turns.ts';

/**
 * Packets whose peak is below −48 dBFS count as silence. Speech is louder, and the background noise of synthesized
 * voices is some 20 dB below this limit.
 */
const SILENT_PEAK = 10 ** (-48 / 20);
/**
 * How many silent packets to keep before the first audible packet: the soft beginning of a word may count as silence.
 */
const ONSET_PACKETS = 2;
/** How long loudness may be measured without a break: longer work would delay other servers' voice packets. */
const SLICE_MS = 1;

/**
 * Joins several clips into one that plays without gaps. If the joined clip would become longer than `limit.durationMs`,
 * append() rejects with `limit.error`.
 */
export function createJoinedClip({
  onPlayed,
  limit,
}: {
  readonly onPlayed: (count: number) => void;
  readonly limit: { readonly durationMs: number; readonly error: () => Error };
}) {
  const writer = createClip();
  const { clip: inner, canceled } = writer;
  const turns = createEventLoopTurns();
  const starts: number[] = [];
  // The loudness meter is created while the first clip is still being generated, so that append() need not wait.
  const metering = createPacketMeter();
  metering.then(
    (meter) => inner.done.then(meter.close, meter.close),
    // A failure to create the loudness meter is ignored here: append() awaits the meter and rejects with the error.
    () => undefined,
  );
  let played = 0;

  function reached(count: number): void {
    if (count <= played) return;
    played = count;
    onPlayed(count);
  }

  /**
   * Appends the packets of a clip as they come. `pauseAfterMs` is set if another clip will follow: silence at the end
   * is cut or stretched to that pause. Rejects with the clip's error after its good packets are appended, and with a
   * ClipCanceledError if the joined clip is canceled.
   */
  async function append(part: Clip, { pauseAfterMs }: { readonly pauseAfterMs?: number } = {}): Promise<void> {
    const pausePackets = pauseAfterMs === undefined ? undefined : Math.round(pauseAfterMs / PACKET_MS);
    const seam = createSeam({ pausePackets, isFirst: starts.length === 0, push: writer.push });
    starts.push(inner.packets.length);
    await take(part, await metering, seam);
    await part.done;
    seam.end();
  }

  async function take(part: Clip, meter: PacketMeter, seam: ReturnType<typeof createSeam>): Promise<void> {
    let sliceEnd = performance.now() + SLICE_MS;
    for (let index = 0; ; index++) {
      if (index >= part.packets.length) await part.waitFor(index, canceled);
      canceled.throwIfAborted();
      const packet = part.packets[index];
      if (!packet || inner.state !== 'growing') return;
      if (inner.durationMs >= limit.durationMs) throw limit.error();
      seam.push(packet, meter.peak(packet) < SILENT_PEAK);
      if (performance.now() < sliceEnd) continue;
      await turns.next();
      sliceEnd = performance.now() + SLICE_MS;
    }
  }

  const clip: Clip = {
    packets: inner.packets,
    get state() {
      return inner.state;
    },
    get error() {
      return inner.error;
    },
    get durationMs() {
      return inner.durationMs;
    },
    done: inner.done,
    waitFor(count, signal) {
      // A player that waits for packet number `count` has used all earlier packets. They count as played from here on,
      // because some players never report their progress.
      reached(count);
      return inner.waitFor(count, signal);
    },
    played: reached,
    cancel: (reason) => inner.cancel(reason),
  };

  return {
    clip,
    canceled,
    /** The index of each appended clip's first packet in the joined clip. */
    starts,
    get played() {
      return played;
    },
    append,
    complete: writer.complete,
    fail: writer.fail,
  };
}

/**
 * Trims the silence at both ends of a clip on its way into a joined clip. The first clip keeps all silence at its
 * start; later clips keep only two packets of silence before their speech. If another clip follows, silence at the end
 * is cut or extended to the requested pause.
 */
function createSeam(options: {
  readonly pausePackets: number | undefined;
  readonly isFirst: boolean;
  readonly push: (packet: Uint8Array) => void;
}) {
  const { pausePackets, isFirst, push } = options;
  const hasNext = pausePackets !== undefined;
  /**
   * How many packets of the pause between two clips are added before the next clip arrives. The last two packets of the
   * pause come from the start of the next clip, because they may contain the soft beginning of a word.
   */
  const allowed = hasNext ? Math.max(0, pausePackets - ONSET_PACKETS) : Number.POSITIVE_INFINITY;
  let hasSpoken = isFirst;
  let silentPushed = 0;
  let held: Uint8Array[] = [];

  return {
    push(packet: Uint8Array, isSilent: boolean): void {
      if (!isSilent) {
        // The last two packets of the pause before this clip come from its start. If the clip starts with fewer than
        // two packets of silence, silence is added for the missing packets.
        for (let missing = hasSpoken ? 0 : ONSET_PACKETS - held.length; missing > 0; missing--) push(SILENCE_PACKET);
        for (const silent of held) push(silent);
        held = [];
        silentPushed = 0;
        hasSpoken = true;
        push(packet);
      } else if (!hasSpoken) {
        held = [...held, packet].slice(-ONSET_PACKETS);
      } else if (silentPushed >= allowed) {
        held.push(packet);
      } else {
        silentPushed += 1;
        push(packet);
      }
    },
    end(): void {
      // The pause after a clip is added at once, because it can be played while the next clip is still being made.
      for (; hasNext && silentPushed < allowed; silentPushed++) push(SILENCE_PACKET);
    },
  };
}

/** The sample rate for measuring loudness: 16 kHz still has the hiss of an s, and costs less CPU than 48 kHz. */
const SAMPLE_RATE_HZ = 16_000;
const WARM_UP_PACKETS = 50;

/**
 * Measures the loudness of Opus packets. Decoding a packet depends on the packets before, so packets must be passed in
 * order.
 */
async function createPacketMeter() {
  const { createDecoder } = await import('libopus-wasm');
  const decoder = await createDecoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
  let isClosed = false;
  return {
    /** The packet's loudest sample, from 0 to 1. */
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

type PacketMeter = Awaited<ReturnType<typeof createPacketMeter>>;

export async function warmUpPacketMeter(): Promise<void> {
  const { createEncoder } = await import('libopus-wasm');
  const encoder = await createEncoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
  const meter = await createPacketMeter();
  const noise = Int16Array.from({ length: SAMPLE_RATE_HZ / 50 }, (_, i) => ((i * 7919) % 4_000) - 2_000);
  for (let packet = 0; packet < WARM_UP_PACKETS; packet++) meter.peak(encoder.encode(noise));
  encoder.free();
  meter.close();
}

/**
 * The maximum number of points in a voice message's waveform;
 * https://discord.com/developers/docs/resources/message#attachment-object
 */
const MAX_POINTS = 256;

/**
 * The waveform that Discord shows for a voice message: up to 256 peaks, from 0 to 255. The loudest peak is 255 unless
 * the audio is silent. After each millisecond of computing, measuring pauses, so that other servers' voice packets are
 * not delayed.
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
  // Audio whose loudest peak is below 0.001 counts as silent: otherwise, its noise would fill the waveform like speech.
  const scale = loudest < 0.001 ? 0 : 255 / loudest;
  return Uint8Array.from(peaks, (peak) => Math.round(peak * scale));
}
