import { createHistogram } from 'node:perf_hooks';

const FRAME_MS = 20;
/** A frame is on time if it arrives within this time of its due time. */
const ON_TIME_MS = 10;
/** A sender further behind has skipped frames: they count as missed, and the due times shift. */
const SKIPPED_MS = 60;

/** The packets that reached the sink while the meter ran. */
export interface Arrivals {
  speakers: number;
  received: number;
  /** Missing sequence numbers: packets that were lost on the way. */
  lost: number;
  /** Packets that arrived more than 10 ms after their due time. */
  late: number;
  /** Intervals in which a speaker sent nothing. */
  missed: number;
  /** The packets on time, as a share of all due packets. */
  onTimeShare: number;
  gapP99Ms: number;
}

interface Track {
  sequence: number;
  atMs: number;
  /** The due time of frame 0, computed from the earliest frame. */
  originMs: number;
  slot: number;
}

/** Times packets against each speaker's regular interval of 20 ms. A packet costs a map look-up and no allocation. */
export function startMeter(sinceMs: number) {
  const tracks = new Map<string, Track>();
  /** In microseconds, because histograms take only integers. */
  const gaps = createHistogram();
  const counts = { received: 0, lost: 0, late: 0, missed: 0 };

  return {
    packet(userId: string, sequence: number, nowMs: number): void {
      counts.received += 1;
      const track = tracks.get(userId);
      const step = track ? (sequence - track.sequence) & 0xffff : 0;
      // Packets are never reordered on loopback: a lower sequence number starts a new stream.
      if (!track || step === 0 || step > 0x8000) {
        tracks.set(userId, { sequence, atMs: nowMs, originMs: nowMs, slot: 0 });
        return;
      }
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
    /** `speakers` is the expected number. Speakers that never sent anything missed all frames. */
    end(nowMs: number, speakers: number): Arrivals {
      const framesEach = Math.floor((nowMs - sinceMs) / FRAME_MS);
      let missed = counts.missed + Math.max(0, speakers - tracks.size) * framesEach;
      // A speaker that stopped sending is noticed only here.
      for (const { atMs } of tracks.values()) missed += Math.max(0, Math.floor((nowMs - atMs) / FRAME_MS) - 1);
      const due = counts.received + counts.lost + missed;
      return {
        ...counts,
        speakers: tracks.size,
        missed,
        onTimeShare: due === 0 ? 0 : (counts.received - counts.late) / due,
        gapP99Ms: gaps.percentile(99) / 1_000,
      };
    },
  };
}
