import { PACKET_MS } from '../clips/clip.ts';

/** Sending due packets pauses after 5 ms, so that the event loop can serve sockets. */
const MAX_STRETCH_MS = 5;

/** A player that gets a turn of the packet clock every 20 ms. */
export interface Ticking {
  /** Takes one turn of the packet clock. Returns false to stop the turns until start() is called again. */
  tick(nowMs: number, lateMs: number): boolean;
  /**
   * True if the packet after the coming one exists already. Only then may the player's next turn come slightly early: a
   * missing packet would be a gap in the speech.
   */
  hasNext(): boolean;
  /**
   * Reads the data of the coming packet shortly before its turn, to fetch them into the CPU cache. The result is
   * meaningless.
   */
  warm(): number;
  /** Called after tick() threw. This player's turns have stopped; all others continue. */
  failed(error: unknown): void;
}

export type PacketClock = ReturnType<typeof createClock>;

/**
 * Paces every server's packets. The clock has the timers; createSchedule() decides the turns. Times are
 * performance.now(). `mayTick` is asked before each turn, even if the process stood still meanwhile: if it returns
 * false, the player's turns stop.
 */
export function createClock(
  time: {
    now(): number;
    setTimer(callback: () => void, delayMs: number): unknown;
    clearTimer(timer: unknown): void;
  } = systemTime,
  mayTick: () => boolean = () => true,
) {
  let isServing = false;
  let timer: unknown;
  let timerAtMs = Number.POSITIVE_INFINITY;

  const schedule = createSchedule<ScheduleEntry & { ticking: Ticking }>({
    hasNext: ({ ticking }) => ticking.hasNext(),
    warm: ({ ticking }) => ticking.warm(),
    turn(entry, nowMs, lateMs) {
      try {
        if (!mayTick() || !entry.ticking.tick(nowMs, lateMs)) schedule.remove(entry);
      } catch (error) {
        schedule.remove(entry);
        entry.ticking.failed(error);
      }
    },
  });

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
    add(ticking: Ticking) {
      const entry = Object.assign(createScheduleEntry(), { ticking });
      return {
        /** Takes the player's first turn before returning, unless its last turn was less than 20 ms ago. Idempotent. */
        start(): void {
          if (entry.isActive) return;
          schedule.add(entry, time.now());
          if (!isServing) setTimer();
        },
        stop: () => schedule.remove(entry),
      };
    },
    get size(): number {
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

/** The timing wheel has a slot for each millisecond and reaches further ahead than any player's next turn. */
const SLOTS = 64;
/**
 * The maximum delay of a turn that is caught up. After a longer stall, missed turns are dropped and later turns keep
 * their rhythm of 20 ms.
 */
const RESYNC_AFTER_MS = 60;
/**
 * After a stall, a player catches up with packets at least 10 ms apart: listeners' buffers take two packets at half the
 * distance.
 */
const MIN_SPACING_MS = 10;
/** Up to 16 players share a millisecond for their turns: a wake-up with cold caches costs more than several turns. */
const GATHERED = 16;
/**
 * Each player has a turn in the same millisecond of every 20 ms period. A new player moves to the emptiest millisecond
 * if its own has at least this many more players. It does so only if no millisecond has both players and room for more.
 */
const CROWDED_BY = 4;
/** A player moves to another millisecond of the 20 ms period by taking turns early, each by up to 8 ms. */
const MAX_SHIFT_MS = 8;

/** The memory of 8 players is fetched together: a CPU core keeps about that many requests in flight. */
const WARMED_AT_ONCE = 8;
/**
 * Stands for the time of a player's last turn if there was none. All times are whole numbers, because V8 would store
 * other numbers as separate objects.
 */
const NEVER_MS = -1_000_000;

/**
 * A player with a turn of the packet clock every 20 ms. Times are whole milliseconds of the schedule's clock. Only the
 * schedule writes to an entry.
 */
export interface ScheduleEntry {
  /** The time of the player's next turn. Counts on in steps of 20 ms. */
  dueMs: number;
  lastMs: number;
  isActive: boolean;
  phase: number;
  shiftMs: number;
  /** The millisecond that the player is queued for; -1 if the player is not queued. */
  tick: number;
}

export function createScheduleEntry(): ScheduleEntry {
  return { dueMs: 0, lastMs: NEVER_MS, isActive: false, phase: 0, shiftMs: 0, tick: -1 };
}

/**
 * Players queued for one millisecond of the timing wheel, or for 64 ms later. Players that are queued elsewhere by now
 * are skipped.
 */
interface Slot<T> {
  waiting: (T | undefined)[];
  count: number;
}

/**
 * Decides the players' turns. Pure: it has no timers, and the time is an argument. A timing wheel: adding, removing and
 * each turn cost the same with one player or thousands, and nothing is allocated. With thousands, cache misses take
 * most of the time. Players of one millisecond are stored side by side, and a turn touches only its own player. `turn`
 * gets the delay of the turn.
 */
export function createSchedule<T extends ScheduleEntry>(hooks: {
  turn(entry: T, nowMs: number, lateMs: number): void;
  hasNext(entry: T): boolean;
  warm(entry: T): number;
}) {
  const slots: Slot<T>[] = Array.from({ length: SLOTS }, () => ({ waiting: [], count: 0 }));
  /** The empty slot of the timing wheel that replaces the slot being served. */
  let spare: Slot<T> = { waiting: [], count: 0 };
  const phaseLoad: number[] = new Array(PACKET_MS).fill(0);
  /** The last millisecond of the timing wheel whose turns were all taken. */
  let servedTick = 0;
  let size = 0;
  /** Collects the results of warm(), which only reads memory: V8 may drop reads whose result is unused. */
  let prefetchSink = 0;

  const slotOf = (tick: number) => slots[tick % SLOTS] as Slot<T>;

  function put(entry: T, slot: Slot<T>): void {
    slot.waiting[slot.count] = entry;
    slot.count += 1;
  }

  function wait(entry: T, forMs: number): void {
    entry.tick = Math.max(forMs, servedTick + 1);
    put(entry, slotOf(entry.tick));
  }

  function isWaitedFor(tick: number): boolean {
    const { waiting, count } = slotOf(tick);
    for (let i = 0; i < count; i++) if (waiting[i]?.tick === tick) return true;
    return false;
  }

  function nextTick(): number | undefined {
    for (let tick = servedTick + 1; tick <= servedTick + SLOTS; tick++) if (isWaitedFor(tick)) return tick;
    return undefined;
  }

  /** The next millisecond up to `last` in which players have turns. Milliseconds without turns count as served. */
  function nextTickUntil(last: number): number | undefined {
    while (servedTick < last) {
      const tick = nextTick();
      if (tick !== undefined && tick <= last) return tick;
      servedTick = tick === undefined ? Math.min(servedTick + SLOTS, last) : last;
    }
    return undefined;
  }

  /**
   * Reads the data of several players together, so that the reads wait for memory at the same time instead of one after
   * the other.
   */
  function warm({ waiting, count }: Slot<T>, from: number): void {
    const until = Math.min(from + WARMED_AT_ONCE, count);
    for (let i = from; i < until; i++) prefetchSink = (prefetchSink + hooks.warm(waiting[i] as T)) & 1;
  }

  const phaseBefore = (phase: number, ms: number) => (phase - ms + PACKET_MS) % PACKET_MS;

  /**
   * Finds a millisecond of the 20 ms period that already has players and room for more, for a player whose turns now
   * come at millisecond `own`. Searches backward from there, because turns can only be moved to an earlier time.
   */
  function companyOf(own: number): number | undefined {
    for (let back = 0; back < PACKET_MS; back++) {
      const load = phaseLoad[phaseBefore(own, back)] as number;
      if (load > 0 && load < GATHERED) return phaseBefore(own, back);
    }
    return undefined;
  }

  /**
   * The millisecond of the 20 ms period with the fewest players, for a player whose turns now come at millisecond
   * `own`. Stays at `own` unless the other millisecond has at least CROWDED_BY fewer players.
   */
  function quieterThan(own: number): number {
    let best = own;
    for (let back = 1; back < PACKET_MS; back++) {
      const phase = phaseBefore(own, back);
      if ((phaseLoad[phase] as number) < (phaseLoad[best] as number)) best = phase;
    }
    return (phaseLoad[own] as number) - (phaseLoad[best] as number) >= CROWDED_BY ? best : own;
  }

  /**
   * Chooses at which millisecond of each 20 ms period a player sends its packets: players that send in the same
   * millisecond share one wake-up. Its next packets leave a little earlier until they reach that millisecond.
   */
  function choosePhase(entry: T): void {
    const own = entry.dueMs % PACKET_MS;
    entry.phase = companyOf(own) ?? quieterThan(own);
    entry.shiftMs = phaseBefore(own, entry.phase);
    phaseLoad[entry.phase] = (phaseLoad[entry.phase] as number) + 1;
  }

  function serve(entry: T, nowMs: number): void {
    const lateMs = nowMs - entry.dueMs;
    if (lateMs > RESYNC_AFTER_MS) {
      // A late player moves on in steps of 20 ms: after a stall all players keep their places in the 20 ms period
      // instead of coming at once.
      entry.dueMs += Math.ceil(lateMs / PACKET_MS) * PACKET_MS;
      wait(entry, entry.dueMs);
      return;
    }
    const early = entry.shiftMs > 0 && hooks.hasNext(entry) ? Math.min(entry.shiftMs, MAX_SHIFT_MS) : 0;
    entry.shiftMs -= early;
    entry.dueMs += PACKET_MS - early;
    entry.lastMs = Math.ceil(nowMs);
    wait(entry, Math.max(entry.dueMs, entry.lastMs + MIN_SPACING_MS));
    hooks.turn(entry, nowMs, lateMs);
  }

  return {
    /**
     * Starts a player's turns. The first turn comes before add() returns, or 20 ms after the player's last turn if
     * later.
     */
    add(entry: T, nowMs: number): void {
      if (entry.isActive) return;
      if (size === 0) servedTick = Math.floor(nowMs);
      entry.isActive = true;
      const isDue = nowMs >= entry.lastMs + PACKET_MS;
      entry.dueMs = isDue ? Math.ceil(nowMs) : entry.lastMs + PACKET_MS;
      size += 1;
      choosePhase(entry);
      if (isDue) serve(entry, nowMs);
      else wait(entry, entry.dueMs);
    },
    remove(entry: T): void {
      if (!entry.isActive) return;
      entry.isActive = false;
      entry.tick = -1;
      size -= 1;
      phaseLoad[entry.phase] = (phaseLoad[entry.phase] as number) - 1;
    },
    /**
     * Takes the turns of the earliest millisecond in which any are due by `nowMs`; false if none are due. Players may
     * be added and removed meanwhile.
     */
    serveNext(nowMs: number): boolean {
      const tick = nextTickUntil(Math.floor(nowMs));
      if (tick === undefined) return false;
      servedTick = tick;
      const served = slotOf(tick);
      slots[tick % SLOTS] = spare;
      for (let i = 0; i < served.count; i++) {
        if (i % WARMED_AT_ONCE === 0) warm(served, i);
        const entry = served.waiting[i] as T;
        served.waiting[i] = undefined;
        if (entry.tick === tick) serve(entry, nowMs);
        // After a stall, a slot of the timing wheel may also hold players for a later millisecond.
        else if (entry.tick > tick && slotOf(entry.tick) === spare) put(entry, spare);
      }
      served.count = 0;
      spare = served;
      return true;
    },
    /**
     * The time of the next turn. After a stall no player may be within the timing wheel's reach: the next millisecond
     * is returned, and the wheel catches up.
     */
    nextMs: (): number | undefined => (size === 0 ? undefined : (nextTick() ?? servedTick + 1)),
    get size(): number {
      return size;
    },
  };
}
