import { createDecoder, type OpusDecoderHandle } from 'libopus-wasm';
import type { HeardPacket } from '../types.ts';

/** RTP's clock for Opus, whatever the encoder's rate (RFC 7587 section 4.1), and the sample rate of decoded audio. */
export const SAMPLE_RATE_HZ = 48_000;

/** −60 dBFS: below it a frame counts as sound for its length, but is inaudible. */
const AUDIBLE_PEAK = 0.001;

/** https://discord.com/developers/docs/topics/voice-connections#voice-data-interpolation */
const SILENCE_FRAME = Buffer.of(0xf8, 0xff, 0xfe);

export const isSilenceFrame = (frame: Buffer): boolean => frame.equals(SILENCE_FRAME);

/** What a listener made of a frame. */
export interface Opened {
  /** Opus, when the listener could open it. */
  opus: Buffer | undefined;
  /** Why not, when it could not; 'early' before the listener itself had a key. */
  refused: 'unencrypted' | 'undecryptable' | 'early' | undefined;
}

/** One frame as it reached a listener. */
export interface FrameToHear extends Opened {
  packet: HeardPacket;
}

/** One RTP stream of one speaker, decoded frame by frame. */
export interface SpeakerStream {
  readonly userId: string;
  /** `performance.now()` of the first packet since `clear()`. */
  readonly beganAtMs: number;
  readonly unencrypted: number;
  readonly undecryptable: number;
  /** Decoded frames; `offset` in samples from the first packet's timestamp, `atMs` when it arrived. */
  readonly sound: readonly { offset: number; atMs: number; pcm: Float32Array }[];
  continuesWith(packet: HeardPacket): boolean;
  take(frame: FrameToHear): void;
  /** Sequence numbers that never came. */
  lost(): number;
  clear(): void;
  close(): void;
}

/** `heard` is called once a packet has been judged. */
export function createStream(begin: HeardPacket, decode: boolean, heard: (frame: FrameToHear) => void): SpeakerStream {
  let sound: { offset: number; atMs: number; pcm: Float32Array }[] = [];
  let counts = { unencrypted: 0, undecryptable: 0, received: 0 };
  let first = begin;
  let fresh = false;
  // Unwrapped, relative to `first`.
  let last = { sequence: 0, timestamp: 0 };
  let highest = 0;
  let decoder: OpusDecoderHandle | undefined;
  let closed = false;
  const waiting: FrameToHear[] = [];

  if (decode) void prepare();

  /** The decoder loads asynchronously; earlier packets wait, in order. */
  async function prepare(): Promise<void> {
    const made = await createDecoder({ channels: 1, sampleRate: SAMPLE_RATE_HZ });
    if (closed) return made.free();
    decoder = made;
    for (const frame of waiting.splice(0)) judge(frame);
  }

  /** Where a packet is on this stream's clock: nearest to the last one, as both counters wrap. */
  function place(packet: HeardPacket): number {
    if (fresh) {
      first = packet;
      fresh = false;
    }
    const sequence = last.sequence + signed(packet.sequence - first.sequence - last.sequence, 16);
    const timestamp = last.timestamp + signed(packet.timestamp - first.timestamp - last.timestamp, 32);
    last = { sequence, timestamp };
    highest = Math.max(highest, sequence);
    counts.received += 1;
    return timestamp;
  }

  function judge(frame: FrameToHear): void {
    const offset = place(frame.packet);
    if (frame.refused === 'unencrypted') counts.unencrypted += 1;
    if (frame.refused === 'undecryptable') counts.undecryptable += 1;
    if (frame.opus !== undefined) listen(frame.packet, frame.opus, offset);
    heard(frame);
  }

  function listen(packet: HeardPacket, opus: Buffer, offset: number): void {
    if (decoder === undefined) {
      packet.audible = !packet.silence;
      return;
    }
    try {
      const pcm = decoder.decodeFloat(opus);
      // A frame of silence is no sound, but the decoder of a real listener goes on from it.
      if (packet.silence) return;
      sound.push({ offset, atMs: packet.atMs, pcm });
      packet.audible = pcm.some((sample) => Math.abs(sample) >= AUDIBLE_PEAK);
    } catch {
      // Not Opus: inaudible.
      counts.undecryptable += 1;
    }
  }

  return {
    userId: begin.userId,
    get beganAtMs() {
      return first.atMs;
    },
    get unencrypted() {
      return counts.unencrypted;
    },
    get undecryptable() {
      return counts.undecryptable;
    },
    get sound() {
      return sound;
    },
    continuesWith: (packet) => packet.ssrc === begin.ssrc,
    take(frame) {
      if (decode && decoder === undefined) waiting.push(frame);
      else judge(frame);
    },
    lost: () => (counts.received === 0 ? 0 : Math.max(0, highest + 1 - counts.received)),
    clear() {
      sound = [];
      counts = { unencrypted: 0, undecryptable: 0, received: 0 };
      last = { sequence: 0, timestamp: 0 };
      highest = 0;
      fresh = true;
    },
    close() {
      closed = true;
      decoder?.free();
      decoder = undefined;
    },
  };
}

/** The difference of two wrapping counters, nearest to zero. */
function signed(difference: number, bits: number): number {
  const size = 2 ** bits;
  const wrapped = ((difference % size) + size) % size;
  return wrapped >= size / 2 ? wrapped - size : wrapped;
}
