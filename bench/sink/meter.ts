import { createHistogram } from 'node:perf_hooks';

const FRAME_MS = 20;
/** A frame is on time when it arrives within this much of its time. */
const ON_TIME_MS = 10;
/** Further behind than this the sender has skipped frames: they are missed, and the count starts from there. */
const SKIPPED_MS = 60;

/** The packets that reached the sink between begin() and the reading. */
export interface Arrivals {
  speakers: number;
  received: number;
  /** Sequence numbers that never came: lost on the way, not by the sender. */
  lost: number;
  /** Received more than 10 ms after their time. */
  late: number;
  /** Turns in which a speaker sent nothing. */
  missed: number;
  /** Received on time, of all that were due. */
  onTimeShare: number;
  gapP99Ms: number;
}

interface Track {
  sequence: number;
  atMs: number;
  /** When frame 0 would have been due: the earliest any frame was, counted back. */
  originMs: number;
  slot: number;
}

/** Times packets against each speaker's own unbroken 20 ms. Costs a map look-up and no allocation a packet. */
export function createMeter() {
  const tracks = new Map<string, Track>();
  /** In microseconds: a histogram takes whole numbers. */
  const gaps = createHistogram();
  let isOn = false;
  let counts = { received: 0, lost: 0, late: 0, missed: 0 };
  let sinceMs = 0;

  function onFirst(userId: string, sequence: number, nowMs: number): void {
    tracks.set(userId, { sequence, atMs: nowMs, originMs: nowMs, slot: 0 });
    counts.received += 1;
  }

  return {
    begin(nowMs: number): void {
      tracks.clear();
      gaps.reset();
      counts = { received: 0, lost: 0, late: 0, missed: 0 };
      sinceMs = nowMs;
      isOn = true;
    },
    packet(userId: string, sequence: number, nowMs: number): void {
      if (!isOn) return;
      const track = tracks.get(userId);
      if (!track) {
        onFirst(userId, sequence, nowMs);
        return;
      }
      const step = (sequence - track.sequence) & 0xffff;
      // Nothing is reordered on loopback; a step back is a new stream.
      if (step === 0 || step > 0x8000) {
        onFirst(userId, sequence, nowMs);
        return;
      }
      counts.received += 1;
      counts.lost += step - 1;
      gaps.record(Math.max(1, Math.round((nowMs - track.atMs) * 1_000)));
      track.sequence = sequence;
      track.atMs = nowMs;
      track.slot += step;
      const lateMs = nowMs - (track.originMs + track.slot * FRAME_MS);
      if (lateMs < 0) {
        track.originMs += lateMs;
      } else if (lateMs > SKIPPED_MS) {
        const skipped = Math.round(lateMs / FRAME_MS);
        counts.missed += skipped;
        track.originMs += skipped * FRAME_MS;
      } else if (lateMs > ON_TIME_MS) {
        counts.late += 1;
      }
    },
    /** `speakers`: how many there should be; those never heard have missed everything. */
    end(nowMs: number, speakers: number): Arrivals {
      isOn = false;
      const framesEach = Math.floor((nowMs - sinceMs) / FRAME_MS);
      let { missed } = counts;
      missed += Math.max(0, speakers - tracks.size) * framesEach;
      // A speaker that fell silent sends no packet by which it could be noticed.
      for (const { atMs } of tracks.values()) missed += Math.max(0, Math.floor((nowMs - atMs) / FRAME_MS) - 1);
      const due = counts.received + counts.lost + missed;
      return {
        speakers: tracks.size,
        received: counts.received,
        lost: counts.lost,
        late: counts.late,
        missed,
        onTimeShare: due === 0 ? 0 : (counts.received - counts.late) / due,
        gapP99Ms: gaps.percentile(99) / 1_000,
      };
    },
  };
}
