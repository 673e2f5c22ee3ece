import { createSchedule, createScheduleEntry, type ScheduleEntry } from './packet-pacing.ts';

/** After working off due turns for this long, sockets are served before the remaining ones. */
const MAX_STRETCH_MS = 5;

/** A subscriber with a turn every 20 ms. */
export interface Ticking {
  /** One turn. False: no more turns until start() is called again. */
  tick(nowMs: number, lateMs: number): boolean;
  /** Whether the data for the next turn exist already: only then may it be slightly early. */
  hasNext?(): boolean;
  /** Reads the data of the coming turn shortly before it, to fetch them into the cache. The result is meaningless. */
  warm?(): number;
  /** tick() threw. This subscriber's turns have stopped; the others' continue. */
  failed(error: unknown): void;
}

interface TickHandle {
  /** Gives the first turn before it returns, unless the last one was less than 20 ms ago. Idempotent. */
  start(): void;
  stop(): void;
}

/** The one clock that paces every server's packets. */
export interface PacketClock {
  add(ticking: Ticking): TickHandle;
  /** The number of running subscribers. */
  readonly size: number;
}

interface ClockEntry extends ScheduleEntry {
  ticking: Ticking;
}

/**
 * Provides the timers; all other logic is the schedule's. Times are performance.now(). `mayTick` is asked before each turn:
 * once it says no, there are no more, even where the process stood still meanwhile.
 */
export function createClock(
  time: {
    now(): number;
    /** Calls back once after at least `delayMs`. */
    setTimer(callback: () => void, delayMs: number): unknown;
    clearTimer(timer: unknown): void;
  } = systemTime,
  mayTick: () => boolean = () => true,
): PacketClock {
  let isServing = false;
  let timer: unknown;
  let timerAtMs = Number.POSITIVE_INFINITY;

  const schedule = createSchedule<ClockEntry>({
    hasNext: ({ ticking }) => ticking.hasNext?.() ?? true,
    warm: ({ ticking }) => ticking.warm?.() ?? 0,
    turn(entry, nowMs, lateMs) {
      try {
        if (!mayTick() || !entry.ticking.tick(nowMs, lateMs)) schedule.remove(entry);
      } catch (error) {
        schedule.remove(entry);
        entry.ticking.failed(error);
      }
    },
  });

  /** One timer at a time, for the earliest turn. */
  function setTimer(): void {
    const nextMs = schedule.nextMs() ?? Number.POSITIVE_INFINITY;
    if (nextMs === timerAtMs) return;
    if (timer !== undefined) time.clearTimer(timer);
    timer = undefined;
    timerAtMs = nextMs;
    if (nextMs !== Number.POSITIVE_INFINITY) timer = time.setTimer(onTimer, Math.max(0, nextMs - time.now()));
  }

  function onTimer(): void {
    timer = undefined;
    timerAtMs = Number.POSITIVE_INFINITY;
    serve();
  }

  function serve(): void {
    if (isServing) return;
    isServing = true;
    try {
      const stretchEnd = time.now() + MAX_STRETCH_MS;
      for (let nowMs = time.now(); nowMs <= stretchEnd && schedule.serveNext(nowMs); ) nowMs = time.now();
    } finally {
      isServing = false;
      setTimer();
    }
  }

  return {
    add(ticking) {
      const entry: ClockEntry = Object.assign(createScheduleEntry(), { ticking });
      return {
        start() {
          if (entry.isActive) return;
          schedule.add(entry, time.now());
          if (!isServing) setTimer();
        },
        stop: () => schedule.remove(entry),
      };
    },
    get size() {
      return schedule.size;
    },
  };
}

const systemTime = {
  now: () => performance.now(),
  setTimer(callback: () => void, delayMs: number): NodeJS.Timeout | NodeJS.Immediate {
    return delayMs <= 0 ? setImmediate(callback) : setTimeout(callback, Math.ceil(delayMs));
  },
  clearTimer(timer: unknown): void {
    clearTimeout(timer as NodeJS.Timeout);
    clearImmediate(timer as NodeJS.Immediate);
  },
};
