import { AudioError, type Clip, createClip, PACKET_MS, SILENCE_PACKET } from './clip.ts';
import { inAudioSlices } from './slices.ts';

/** Quieter packets count as silence: the noise of synthesized voices is some 20 dB below this peak. */
const SILENT_PEAK = 10 ** (-48 / 20);
/** The number of silent packets kept before the first audible packet: a word may begin softly. */
const ONSET_PACKETS = 2;

/** Joins clips without gaps. append() rejects with an AudioError if the result would exceed `maxDurationMs`. */
export function createJoinedClip(maxDurationMs: number, onPlayed: (count: number) => void) {
  let played = 0;
  const writer = createClip((count) => {
    if (count <= played) return;
    played = count;
    onPlayed(count);
  });
  const { clip, canceled } = writer;
  const starts: number[] = [];
  // The loudness meter is created while the first clip is still being generated, so that append() need not wait.
  const metering = createPacketMeter();
  metering.then(
    (meter) => clip.done.then(meter.close, meter.close),
    // A failure to create the loudness meter is ignored here: append() awaits the meter and rejects with the error.
    () => undefined,
  );

  /**
   * `pauseAfterMs` is set if another clip follows: the final silence is cut or stretched to it. Rejects with the clip's
   * error after its good packets are appended, or with a ClipCanceledError.
   */
  async function append(part: Clip, pauseAfterMs?: number): Promise<void> {
    const pausePackets = pauseAfterMs === undefined ? undefined : Math.round(pauseAfterMs / PACKET_MS);
    const isFirst = starts.length === 0;
    const seam = createSeam(pausePackets, isFirst, writer.push);
    starts.push(clip.packets.length);
    const meter = await metering;
    const pause = inAudioSlices();
    for (let index = 0; ; index++) {
      if (index >= part.packets.length) await part.waitFor(index, canceled);
      canceled.throwIfAborted();
      const packet = part.packets[index];
      if (!packet || clip.state !== 'growing') break;
      if (clip.durationMs >= maxDurationMs) throw new AudioError('endless', 'The parts have more sound than text');
      seam.push(packet, meter.peak(packet) < SILENT_PEAK);
      await pause();
    }
    await part.done;
    seam.end();
  }

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

/** Trims the silence at both ends of a clip. The first clip keeps all silence at its start. */
function createSeam(pausePackets: number | undefined, isFirst: boolean, push: (packet: Uint8Array) => void) {
  const hasNext = pausePackets !== undefined;
  /** The last two packets of a pause come from the next clip's start, which may hold a word's soft beginning. */
  const allowed = hasNext ? Math.max(0, pausePackets - ONSET_PACKETS) : Number.POSITIVE_INFINITY;
  let hasSpoken = isFirst;
  let silentPushed = 0;
  let held: Uint8Array[] = [];

  return {
    push(packet: Uint8Array, isSilent: boolean): void {
      if (!isSilent) {
        // If the clip starts with fewer than two packets of silence, silence is added for the missing packets.
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

/** Packets must be passed in order, because decoding a packet depends on the packets before. */
async function createPacketMeter() {
  const { createDecoder } = await import('libopus-wasm');
  const decoder = await createDecoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
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
    close: () => decoder.free(),
  };
}

export async function warmUpPacketMeter(): Promise<void> {
  const { createEncoder } = await import('libopus-wasm');
  const encoder = await createEncoder({ sampleRate: SAMPLE_RATE_HZ, channels: 1 });
  const meter = await createPacketMeter();
  const noise = Int16Array.from({ length: SAMPLE_RATE_HZ / 50 }, (_, i) => ((i * 7919) % 4_000) - 2_000);
  for (let packet = 0; packet < WARM_UP_PACKETS; packet++) meter.peak(encoder.encode(noise));
  encoder.free();
  meter.close();
}

/** The maximum number of points in a voice message's waveform; https://discord.com/developers/docs/resources/message#attachment-object */
const MAX_POINTS = 256;

/** A voice message's waveform: up to 256 peaks from 0 to 255. The loudest peak is 255 unless all is silent. */
export async function waveformOf(packets: readonly Uint8Array[], signal?: AbortSignal): Promise<Uint8Array> {
  const points = Math.min(MAX_POINTS, packets.length);
  const peaks = new Float32Array(points);
  const meter = await createPacketMeter();
  try {
    const pause = inAudioSlices();
    for (const [index, packet] of packets.entries()) {
      const point = Math.floor((index * points) / packets.length);
      peaks[point] = Math.max(peaks[point] ?? 0, meter.peak(packet));
      await pause();
      signal?.throwIfAborted();
    }
  } finally {
    meter.close();
  }
  const loudest = peaks.reduce((most, peak) => Math.max(most, peak), 0);
  // Audio whose loudest peak is below 0.001 counts as silent: otherwise, its noise would fill the waveform like speech.
  const scale = loudest < 0.001 ? 0 : 255 / loudest;
  return Uint8Array.from(peaks, (peak) => Math.round(peak * scale));
}
