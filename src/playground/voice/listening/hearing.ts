import type { Heard, HeardPacket, TimeSpan } from '../types.ts';
import { createStream, type FrameToHear, SAMPLE_RATE_HZ, type SpeakerStream } from './speaker-stream.ts';

/** Collects the audio that one listener receives from all speakers. */
export interface Hearing {
  frame(frame: FrameToHear): void;
  heard(within?: TimeSpan): Heard;
  clear(): void;
  onPacket(callback: (packet: HeardPacket) => void): () => void;
  /** The same, with what it holds. */
  onFrame(callback: (frame: FrameToHear) => void): () => void;
  close(): void;
}

/** `decode` false: only times and counts. */
export function createHearing(decode: boolean): Hearing {
  const callbacks = new Set<(frame: FrameToHear) => void>();
  let streams: SpeakerStream[] = [];
  let packets: HeardPacket[] = [];
  let closed = false;

  function streamFor(frame: FrameToHear): SpeakerStream {
    const latest = streams.findLast((stream) => stream.userId === frame.packet.userId);
    if (latest?.continuesWith(frame.packet)) return latest;
    // A new SSRC is a new stream: the old one's clock says nothing about it, so wall-clock time places it.
    const stream = createStream(frame.packet, decode, (heard) => {
      if (closed) return;
      packets.push(heard.packet);
      for (const callback of callbacks) callback(heard);
    });
    streams.push(stream);
    return stream;
  }

  function watch(callback: (frame: FrameToHear) => void): () => void {
    callbacks.add(callback);
    return () => callbacks.delete(callback);
  }

  return {
    frame: (frame) => streamFor(frame).take(frame),
    heard: (within = EVER) => summarize(packets, streams, within),
    clear() {
      packets = [];
      // A stream keeps its decoder, which has state between frames; streams of absent speakers are deleted.
      const latest = new Map(streams.map((stream) => [stream.userId, stream]));
      for (const stream of streams) if (latest.get(stream.userId) !== stream) stream.close();
      streams = [...latest.values()];
      for (const stream of streams) stream.clear();
    },
    onPacket: (callback) => watch(({ packet }) => callback(packet)),
    onFrame: watch,
    close() {
      closed = true;
      for (const stream of streams) stream.close();
    },
  };
}

const EVER: TimeSpan = { fromMs: Number.NEGATIVE_INFINITY, toMs: Number.POSITIVE_INFINITY };

const isWithin = ({ fromMs, toMs }: TimeSpan, { atMs }: { readonly atMs: number }) => atMs >= fromMs && atMs <= toMs;

function summarize(all: readonly HeardPacket[], streams: readonly SpeakerStream[], within: TimeSpan): Heard {
  const packets = all.filter((packet) => isWithin(within, packet));
  const pcm = mix(streams, within);
  const audible = packets.filter((packet) => packet.audible);
  const total = (count: (stream: SpeakerStream) => number) => streams.reduce((sum, stream) => sum + count(stream), 0);
  const unencryptedFrames = total((stream) => stream.unencrypted);
  const undecryptableFrames = total((stream) => stream.undecryptable);
  const isInTheClear = unencryptedFrames > 0 || audible.some((packet) => !packet.encrypted);
  const first = audible[0];
  const last = audible.at(-1);
  return {
    packets,
    pcm,
    seconds: pcm.length / SAMPLE_RATE_HZ,
    endToEndEncrypted: audible.length > 0 && !isInTheClear && undecryptableFrames === 0,
    isInTheClear,
    unencryptedFrames,
    undecryptableFrames,
    lostPackets: total((stream) => stream.lost()),
    firstAudibleAtMs: first?.atMs,
    lastAudibleAtMs: last?.atMs,
  };
}

/** All speakers on one timeline, from the first sample of sound to the last. */
function mix(streams: readonly SpeakerStream[], within: TimeSpan): Float32Array {
  const voices = streams.flatMap(({ userId, beganAtMs, sound: all }) => {
    const sound = all.filter((frame) => isWithin(within, frame));
    return sound.length > 0 ? [{ userId, beganAtMs, sound }] : [];
  });
  const beganAtMs = Math.min(...voices.map((stream) => stream.beganAtMs));
  const endOf = new Map<string, number>();
  const pieces = voices.flatMap((stream) => {
    const wallClock = Math.round(((stream.beganAtMs - beganAtMs) * SAMPLE_RATE_HZ) / 1_000);
    // A speaker's next stream (after a reconnect) never runs into the one before.
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

interface Wait {
  timeoutMs: number;
  signal?: AbortSignal;
}

const QUIET_MS = 300;
/** Senders that stop speaking send frames of silence; a shorter gap without them may be a stall of a busy machine. */
const STALLED_MS = 1_000;

/**
 * Resolves with the heard audio after something audible and then silence only, or, for longer than a stall, no packet;
 * where `quietMs` is given, it holds for both.
 */
export function waitForUtterance(hearing: Hearing, { quietMs, ...wait }: Wait & { quietMs?: number }): Promise<Heard> {
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
    // After a stall Node runs due timers before it reads the datagrams of the meantime: those are read first.
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

/** Resolves once `packets` audible ones were heard. */
export function waitForAudible(hearing: Hearing, packets: number, wait: Wait): Promise<void> {
  let left = packets;
  return onPackets(hearing, wait, (packet, _sinceMs, done) => {
    if (packet.audible) left -= 1;
    if (left <= 0) done();
  });
}

/** Shows `consider` every packet, past (with its age) and coming, until it calls `done` or the wait ends. */
function onPackets(
  hearing: Hearing,
  { timeoutMs, signal }: Wait,
  consider: (packet: HeardPacket, sinceMs: number, done: () => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      stop();
      clearTimeout(deadline);
      signal?.removeEventListener('abort', aborted);
      finish();
    };
    const done = () => settle(resolve);
    const aborted = () => settle(() => reject(signal?.reason));
    const deadline = setTimeout(
      () => settle(() => reject(new Error(waitedInVain(hearing.heard(), timeoutMs)))),
      timeoutMs,
    );
    const stop = hearing.onPacket((packet) => consider(packet, 0, done));
    const nowMs = performance.now();
    for (const packet of hearing.heard().packets) consider(packet, nowMs - packet.atMs, done);
    signal?.addEventListener('abort', aborted);
    if (signal?.aborted) aborted();
  });
}

function waitedInVain({ packets, unencryptedFrames, undecryptableFrames, firstAudibleAtMs }: Heard, timeoutMs: number) {
  const outcome = firstAudibleAtMs === undefined ? 'Nothing was heard' : 'What was heard did not end the wait';
  return `${outcome} within ${timeoutMs} ms: ${packets.length} packets, ${unencryptedFrames} not encrypted, ${undecryptableFrames} not decryptable`;
}
