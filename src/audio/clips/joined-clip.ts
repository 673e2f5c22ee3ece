import { type Clip, createClip, PACKET_MS, SILENCE_PACKET } from './clip.ts';
import { createEventLoopTurns } from './event-loop-turns.ts';

/**
 * Packets below −48 dBFS count as silence: no speech is lost. The noise floor of synthesized voices is some 20 dB
 * lower.
 */
const SILENT_PEAK = 10 ** (-48 / 20);
/**
 * How many silent packets to keep before an appended clip's first audible packet: a soft onset may count as silence.
 */
const ONSET_PACKETS = 2;
/** The maximum time of measuring loudness without a break: more would delay packets that are due. */
const SLICE_MS = 1;

/**
 * Joins clips into one clip that plays without a seam. `limit` is for the audio of all clips together: longer audio is
 * not appended, and append() rejects with the limit's error.
 */
export function createJoinedClip({
  onPlayed,
  limit,
}: {
  readonly onPlayed?: (count: number) => void;
  readonly limit?: { readonly durationMs: number; readonly error: () => Error };
} = {}) {
  const writer = createClip();
  const { clip: inner, canceled } = writer;
  const turns = createEventLoopTurns();
  const starts: number[] = [];
  // The loudness meter is created while the first clip is still being generated, so that append() need not wait.
  const metering = createPacketMeter();
  metering.then(
    (meter) => inner.done.then(meter.close, meter.close),
    // A failure to create the loudness meter is ignored until append() awaits the meter and rejects with the error.
    () => undefined,
  );
  let played = 0;

  function reached(count: number): void {
    if (count <= played) return;
    played = count;
    onPlayed?.(count);
  }

  /**
   * Appends a clip's packets (`part`) as they come, one clip after another. With `pauseAfterMs`, another part follows,
   * and the silence at the end is cut or stretched to that pause. Rejects with the part's error once its good packets
   * are in. Rejects with the signal's reason if the joined clip is canceled.
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
      if (limit && inner.durationMs >= limit.durationMs) throw limit.error();
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
    /** For each part so far, the index of its first packet in the joined clip. */
    starts,
    /** The number of the joined clip's packets that were played or that a consumer waits for. */
    get played() {
      return played;
    },
    append,
    complete: writer.complete,
    fail: writer.fail,
  };
}

/**
 * Passes the packets of one clip (a part) to a clip that is joined from several. Drops the silence at the start of a
 * later part, except for the last two packets before speech. If another part follows, silence beyond the requested
 * pause between the two is held back. It is dropped unless the part speaks again.
 */
function createSeam(options: {
  readonly pausePackets: number | undefined;
  readonly isFirst: boolean;
  readonly push: (packet: Uint8Array) => void;
}) {
  const { pausePackets, isFirst, push } = options;
  const hasNext = pausePackets !== undefined;
  /**
   * The number of silent packets at the end of a part that are played without waiting for the next part. The rest of
   * the pause between two parts is added when the next part starts to speak.
   */
  const allowed = hasNext ? Math.max(0, pausePackets - ONSET_PACKETS) : Number.POSITIVE_INFINITY;
  let hasSpoken = isFirst;
  let silentPushed = 0;
  let held: Uint8Array[] = [];

  return {
    push(packet: Uint8Array, isSilent: boolean): void {
      if (!isSilent) {
        // Adds the silence that is missing from the requested pause between two joined parts.
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
      // Sends the silence after a part at once: it plays while the next part may still be generated.
      for (; hasNext && silentPushed < allowed; silentPushed++) push(SILENCE_PACKET);
    },
  };
}

/** The sample rate for measuring loudness. 16 kHz still has the hiss of an s, and costs less than 48 kHz. */
const SAMPLE_RATE_HZ = 16_000;
/** The number of packets to warm up the loudness meter with: about 10 ms of work. */
const WARM_UP_PACKETS = 50;

/** Measures how loud packets are. Opus packets depend on earlier packets: pass a single clip's packets in order. */
async function createPacketMeter() {
  const { createDecoder } = await import('libopus-wasm');
  const decoder = await createDecoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
  let isClosed = false;
  return {
    /** The loudest sample of a packet, 0 to 1. */
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

/** Loads and runs the packet meter once, so that the first long text does not wait for it. */
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
 * The maximum of points that Discord shows in a waveform;
 * https://discord.com/developers/docs/resources/message#attachment-object
 */
const MAX_POINTS = 256;

/**
 * The waveform for Discord's voice messages: up to 256 peaks, 0 to 255. The loudest peak is 255 unless the audio is
 * silent. Decodes for 1 ms at a time with other work in between, because a longer stretch would delay other servers'
 * voice packets.
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
  // Peaks below a thousandth would be invisible in the waveform, and must not be scaled up to full height.
  const scale = loudest < 0.001 ? 0 : 255 / loudest;
  return Uint8Array.from(peaks, (peak) => Math.round(peak * scale));
}
