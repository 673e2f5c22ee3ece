import { createDecoder, type OpusDecoderHandle } from 'libopus-wasm';
import { type Deadline, type HeardPacket, type TimeSpan, waitWithin } from '../protocol.ts';

/** Opus packets count time at this rate, whatever the encoder's rate (RFC 7587 section 4.1). */
const SAMPLE_RATE_HZ = 48_000;

/** A frame with a lower peak (−60 dBFS) is inaudible, but stays in the recording. */
const AUDIBLE_PEAK = 0.001;

/** The Opus frame of silence: https://discord.com/developers/docs/topics/voice-connections#voice-data-interpolation */
const SILENCE_FRAME = Buffer.of(0xf8, 0xff, 0xfe);

export const isSilenceFrame = (frame: Buffer): boolean => frame.equals(SILENCE_FRAME);

export interface Opened {
  opus: Buffer | undefined;
  /** Why the listener rejected a frame; 'early' means that the listener had no key for the frame yet. */
  refused: 'unencrypted' | 'undecryptable' | 'early' | undefined;
}

interface FrameToHear extends Opened {
  packet: HeardPacket;
}

interface Sound {
  offset: number;
  atMs: number;
  pcm: Float32Array;
}

type SpeakerStream = ReturnType<typeof createSpeakerStream>;

function createSpeakerStream(begin: HeardPacket, decode: boolean, onHeard: (frame: FrameToHear) => void) {
  const { userId, ssrc } = begin;
  const waiting: FrameToHear[] = [];
  let first = begin;
  let isFresh = false;
  let received = 0;
  let last = { sequence: 0, timestamp: 0 };
  let highest = 0;
  let decoder: OpusDecoderHandle | undefined;
  let isClosed = false;

  /** Loads the Opus decoder. Packets that arrive in the meantime are kept in order. */
  async function prepare(): Promise<void> {
    const made = await createDecoder({ channels: 1, sampleRate: SAMPLE_RATE_HZ });
    if (isClosed) return made.free();
    decoder = made;
    for (const frame of waiting.splice(0)) judge(frame);
  }

  /** RTP numbers wrap around, so the value nearest to the last packet's counts. */
  function place(packet: HeardPacket): number {
    if (isFresh) {
      first = packet;
      isFresh = false;
    }
    const sequence = last.sequence + signed(packet.sequence - first.sequence - last.sequence, 16);
    const timestamp = last.timestamp + signed(packet.timestamp - first.timestamp - last.timestamp, 32);
    last = { sequence, timestamp };
    highest = Math.max(highest, sequence);
    received += 1;
    return timestamp;
  }

  function judge(frame: FrameToHear): void {
    const offset = place(frame.packet);
    if (frame.refused === 'unencrypted') stream.unencrypted += 1;
    if (frame.refused === 'undecryptable') stream.undecryptable += 1;
    if (frame.opus !== undefined) listen(frame.packet, frame.opus, offset);
    onHeard(frame);
  }

  function listen(packet: HeardPacket, opus: Buffer, offset: number): void {
    if (decoder === undefined) {
      packet.audible = !packet.silence;
      return;
    }
    try {
      const pcm = decoder.decodeFloat(opus);
      // A silence frame adds no audio to a recording, but the Opus decoder needs the frame for its state.
      if (packet.silence) return;
      stream.sound.push({ offset, atMs: packet.atMs, pcm });
      packet.audible = pcm.some((sample) => Math.abs(sample) >= AUDIBLE_PEAK);
    } catch {
      // An audio frame that is not valid Opus cannot be heard.
      stream.undecryptable += 1;
    }
  }

  const stream = {
    userId,
    sound: [] as Sound[],
    unencrypted: 0,
    undecryptable: 0,
    get beganAtMs(): number {
      return first.atMs;
    },
    continuesWith: (packet: HeardPacket) => packet.ssrc === ssrc,
    take(frame: FrameToHear): void {
      if (decode && decoder === undefined) waiting.push(frame);
      else judge(frame);
    },
    lost: () => (received === 0 ? 0 : Math.max(0, highest + 1 - received)),
    /** Forgets heard audio. The Opus decoder stays, because it keeps state between frames. */
    clear(): void {
      Object.assign(stream, { sound: [], unencrypted: 0, undecryptable: 0 });
      received = 0;
      last = { sequence: 0, timestamp: 0 };
      highest = 0;
      isFresh = true;
    },
    close(): void {
      isClosed = true;
      decoder?.free();
      decoder = undefined;
    },
  };
  if (decode) void prepare();
  return stream;
}

export class Hearing {
  readonly #decode: boolean;
  readonly #callbacks = new Set<(frame: FrameToHear) => void>();
  #streams: SpeakerStream[] = [];
  #packets: HeardPacket[] = [];
  #closed = false;

  /** If `decode` is false, the listener only times and counts packets, and records no audio. */
  constructor(decode: boolean) {
    this.#decode = decode;
  }

  frame(frame: FrameToHear): void {
    this.#streamFor(frame.packet).take(frame);
  }

  heard(within: TimeSpan = EVER): Heard {
    return summarize(this.#packets, this.#streams, within);
  }

  clear(): void {
    this.#packets = [];
    const latest = new Map(this.#streams.map((stream) => [stream.userId, stream]));
    for (const stream of this.#streams) if (latest.get(stream.userId) !== stream) stream.close();
    this.#streams = [...latest.values()];
    for (const stream of this.#streams) stream.clear();
  }

  onFrame(callback: (frame: FrameToHear) => void): () => void {
    this.#callbacks.add(callback);
    return () => this.#callbacks.delete(callback);
  }

  close(): void {
    this.#closed = true;
    for (const stream of this.#streams) stream.close();
  }

  #streamFor(packet: HeardPacket): SpeakerStream {
    const latest = this.#streams.findLast((stream) => stream.userId === packet.userId);
    if (latest?.continuesWith(packet)) return latest;
    // A new SSRC (stream id) starts a new stream with an unrelated clock, so the time of arrival places the new stream.
    const stream = createSpeakerStream(packet, this.#decode, (heard) => this.#tell(heard));
    this.#streams.push(stream);
    return stream;
  }

  #tell(heard: FrameToHear): void {
    if (this.#closed) return;
    this.#packets.push(heard.packet);
    for (const callback of this.#callbacks) callback(heard);
  }
}

const EVER: TimeSpan = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

const isWithin = ({ fromMs, toMs }: TimeSpan, { atMs }: { readonly atMs: number }) => atMs >= fromMs && atMs <= toMs;

export type Heard = ReturnType<typeof summarize>;

/** The audio that a listener received since joining or since the last `clear()`. */
function summarize(all: readonly HeardPacket[], streams: readonly SpeakerStream[], within: TimeSpan) {
  const packets = all.filter((packet) => isWithin(within, packet));
  const pcm = mix(streams, within);
  const audible = packets.filter((packet) => packet.audible);
  const total = (count: (stream: SpeakerStream) => number) => streams.reduce((sum, stream) => sum + count(stream), 0);
  const unencryptedFrames = total((stream) => stream.unencrypted);
  const undecryptableFrames = total((stream) => stream.undecryptable);
  const isInTheClear = unencryptedFrames > 0 || audible.some((packet) => !packet.encrypted);
  return {
    packets,
    /** The heard audio as 48 kHz mono samples. RTP timestamps place the frames; gaps between frames are silent. */
    pcm,
    /** The length of the heard audio in seconds, without silence frames at either end. */
    seconds: pcm.length / SAMPLE_RATE_HZ,
    /**
     * True if the listener heard something, and every frame was encrypted end to end and could be decrypted. Silence
     * frames, and frames before the listener had a key, do not count.
     */
    endToEndEncrypted: audible.length > 0 && !isInTheClear && undecryptableFrames === 0,
    /** True after an audible unencrypted frame, or any unencrypted frame in a call that requires encryption. */
    isInTheClear,
    /** Number of unencrypted frames in calls that require end-to-end encryption: nobody hears these frames. */
    unencryptedFrames,
    undecryptableFrames,
    lostPackets: total((stream) => stream.lost()),
    firstAudibleAtMs: audible[0]?.atMs,
  };
}

function mix(streams: readonly SpeakerStream[], within: TimeSpan): Float32Array {
  const voices = streams.flatMap(({ userId, beganAtMs, sound: all }) => {
    const sound = all.filter((frame) => isWithin(within, frame));
    return sound.length > 0 ? [{ userId, beganAtMs, sound }] : [];
  });
  const beganAtMs = Math.min(...voices.map((stream) => stream.beganAtMs));
  const endOf = new Map<string, number>();
  const pieces = voices.flatMap((stream) => {
    const wallClock = Math.round(((stream.beganAtMs - beganAtMs) * SAMPLE_RATE_HZ) / 1_000);
    // After a reconnect, a speaker's new stream starts after the old stream's end, so that the two never overlap.
    const origin = Math.max(wallClock, endOf.get(stream.userId) ?? 0);
    const placed = stream.sound.map(({ offset, pcm }) => ({ start: origin + offset, pcm }));
    endOf.set(stream.userId, Math.max(...placed.map(({ start, pcm }) => start + pcm.length)));
    return placed;
  });
  if (pieces.length === 0) return new Float32Array(0);
  let begin = Number.POSITIVE_INFINITY;
  let end = 0;
  for (const { start, pcm } of pieces) {
    begin = Math.min(begin, start);
    end = Math.max(end, start + pcm.length);
  }
  const mixed = new Float32Array(end - begin);
  for (const { start, pcm } of pieces) {
    for (let index = 0; index < pcm.length; index += 1) {
      const at = start - begin + index;
      mixed[at] = (mixed[at] ?? 0) + (pcm[index] ?? 0);
    }
  }
  return mixed;
}

const QUIET_MS = 300;
/** Without silence frames, a gap shorter than this may be a stall of a busy machine, not the end of an utterance. */
const STALLED_MS = 1_000;

/** An utterance ends after `quietMs` of quiet: by default, QUIET_MS with silence frames and STALLED_MS without. */
export function waitForUtterance(
  hearing: Hearing,
  { quietMs, ...wait }: Deadline & { quietMs?: number },
): Promise<Heard> {
  let audible = false;
  let soundAtMs = 0;
  let quiet: NodeJS.Timeout | undefined;
  let nothingLeft: NodeJS.Immediate | undefined;
  const stopTimer = () => {
    clearTimeout(quiet);
    clearImmediate(nothingLeft);
  };
  const consider = (packet: HeardPacket, sinceMs: number, done: () => void) => {
    audible ||= packet.audible;
    if (!audible) return;
    const nowMs = performance.now();
    if (!packet.silence) soundAtMs = nowMs - sinceMs;
    stopTimer();
    // After a stall, Node runs due timers before it reads arrived packets, so `setImmediate` waits until Node has read them.
    const passed = () => {
      nothingLeft = setImmediate(done);
    };
    const endsAtMs = soundAtMs + (quietMs ?? (packet.silence ? QUIET_MS : STALLED_MS));
    quiet = setTimeout(passed, Math.max(0, endsAtMs - nowMs));
  };
  return onPackets(hearing, wait, consider)
    .then(() => hearing.heard())
    .finally(stopTimer);
}

export function waitForAudible(hearing: Hearing, packets: number, wait: Deadline): Promise<void> {
  let left = packets;
  return onPackets(hearing, wait, (packet, _sinceMs, done) => {
    if (packet.audible) left -= 1;
    if (left <= 0) done();
  });
}

/** Calls `consider` for past and future packets until `done` is called. `sinceMs` is the time since the packet arrived. */
function onPackets(
  hearing: Hearing,
  wait: Deadline,
  consider: (packet: HeardPacket, sinceMs: number, done: () => void) => void,
): Promise<void> {
  return waitWithin(
    wait,
    (timeoutMs) => new Error(waitedInVain(hearing.heard(), timeoutMs)),
    (resolve) => {
      const nowMs = performance.now();
      for (const packet of hearing.heard().packets) consider(packet, nowMs - packet.atMs, resolve);
      return hearing.onFrame(({ packet }) => consider(packet, 0, resolve));
    },
  );
}

function waitedInVain({ packets, unencryptedFrames, undecryptableFrames, firstAudibleAtMs }: Heard, timeoutMs: number) {
  const outcome = firstAudibleAtMs === undefined ? 'Nothing was heard' : 'What was heard did not end the wait';
  return `${outcome} within ${timeoutMs} ms: ${packets.length} packets, ${unencryptedFrames} not encrypted, ${undecryptableFrames} not decryptable`;
}

/** The difference of two counters of `bits` bits that wrap around, as the value nearest to zero. */
function signed(difference: number, bits: number): number {
  const size = 2 ** bits;
  const wrapped = ((difference % size) + size) % size;
  return wrapped >= size / 2 ? wrapped - size : wrapped;
}
