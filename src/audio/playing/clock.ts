import { PACKET_MS } from '../clips/clip.ts';

/** Sending due packets pauses after 5 ms, so that the event loop can serve sockets. */
const MAX_STRETCH_MS = 5;

/** A player that may send a packet every 20 ms. */
export interface Ticking {
  /** Sends a packet if there is one. Returns false if the player needs no further turns until start() is called. */
  tick(nowMs: number, lateMs: number): boolean;
  /** False if the packet after tick()'s packet is still being made. The clock then does not call the next tick() early. */
  hasNext(): boolean;
  /** Reads the memory that tick() needs into the CPU cache. The returned number only keeps V8 from dropping the reads. */
  warm(): number;
  /** Called after tick() threw. This player gets no more turns; all others continue. */
  failed(error: unknown): void;
}

export type PacketClock = ReturnType<typeof createClock>;

/** Paces all servers' packets. If `mayTick` returns false, the player gets no more turns until start(). */
export function createClock(mayTick: () => boolean = () => true) {
  let isServing = false;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  let timerAtMs = Number.POSITIVE_INFINITY;

  const schedule = createSchedule((entry, nowMs, lateMs) => {
    try {
      if (!mayTick() || !entry.ticking.tick(nowMs, lateMs)) schedule.remove(entry);
    } catch (error) {
      schedule.remove(entry);
      entry.ticking.failed(error);
    }
  });

  function setTimer(): void {
    const nextMs = schedule.nextMs() ?? Number.POSITIVE_INFINITY;
    if (nextMs === timerAtMs) return;
    clearTimeout(timer);
    clearImmediate(immediate);
    timerAtMs = nextMs;
    if (nextMs === Number.POSITIVE_INFINITY) return;
    const delayMs = nextMs - performance.now();
    if (delayMs <= 0) immediate = setImmediate(onTimer);
    else timer = setTimeout(onTimer, Math.ceil(delayMs));
  }

  function onTimer(): void {
    timerAtMs = Number.POSITIVE_INFINITY;
    serve();
  }

  function serve(): void {
    if (isServing) return;
    isServing = true;
    try {
      const stretchEnd = performance.now() + MAX_STRETCH_MS;
      for (let nowMs = performance.now(); nowMs <= stretchEnd && schedule.serveNext(nowMs); ) nowMs = performance.now();
    } finally {
      isServing = false;
      setTimer();
    }
  }

  return {
    add(ticking: Ticking) {
      const entry = createScheduleEntry(ticking);
      return {
        /** The first turn runs before start() returns, or 20 ms after the player's last turn if that is later. */
        start(): void {
          if (entry.isActive) return;
          schedule.add(entry, performance.now());
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

/** A ring of 64 slots, one per millisecond, holds the waiting players. Without a stall, every next turn is less than 64 ms ahead. */
const SLOTS = 64;
/** Packets that are late by up to 60 ms are caught up. After a longer stall, speech goes on where it stopped, that much later. */
const RESYNC_AFTER_MS = 60;
/** A player that catches up after a stall sends packets at least 10 ms apart: listeners' buffers can take that. */
const MIN_SPACING_MS = 10;
/** Up to 16 players share a millisecond: a wake-up costs more than the packets of several players. */
const GATHERED = 16;
/** If all milliseconds with players are full, a new player moves to the emptiest one only if that has at least 4 players fewer. */
const CROWDED_BY = 4;
/** A player that moves to another millisecond of the 20 ms period sends each packet at most 8 ms early. */
const MAX_SHIFT_MS = 8;

/** The data of 8 players are fetched from memory together: a CPU core keeps about that many requests in flight. */
const WARMED_AT_ONCE = 8;
/** The `lastMs` of a player that has sent no packet: an integer, because V8 would make a separate object for -Infinity. */
const NEVER_MS = -1_000_000;

/**
 * A player's place in the schedule, in whole milliseconds. Only the schedule writes to an entry. `tick` is the
 * millisecond that the player is queued for, or -1.
 */
export function createScheduleEntry(ticking: Ticking) {
  return { ticking, dueMs: 0, lastMs: NEVER_MS, isActive: false, phase: 0, shiftMs: 0, tick: -1 };
}

export type ScheduleEntry = ReturnType<typeof createScheduleEntry>;

/** Players due in the same millisecond, or a multiple of 64 ms apart. Serving a slot skips removed and moved players. */
interface Slot {
  waiting: (ScheduleEntry | undefined)[];
  count: number;
}

/** Players of one millisecond are stored side by side, because cache misses take most of the time. */
export function createSchedule(turn: (entry: ScheduleEntry, nowMs: number, lateMs: number) => void) {
  const slots: Slot[] = Array.from({ length: SLOTS }, () => ({ waiting: [], count: 0 }));
  let spare: Slot = { waiting: [], count: 0 };
  const phaseLoad: number[] = new Array(PACKET_MS).fill(0);
  let servedTick = 0;
  let size = 0;
  /** Collects the results of warm(), which only reads memory: V8 may drop reads whose result is unused. */
  let prefetchSink = 0;

  const slotOf = (tick: number) => slots[tick % SLOTS] as Slot;

  function put(entry: ScheduleEntry, slot: Slot): void {
    slot.waiting[slot.count] = entry;
    slot.count += 1;
  }

  function wait(entry: ScheduleEntry, forMs: number): void {
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

  /** The next millisecond up to `last` in which players send. Milliseconds without players count as served. */
  function nextTickUntil(last: number): number | undefined {
    while (servedTick < last) {
      const tick = nextTick();
      if (tick !== undefined && tick <= last) return tick;
      servedTick = tick === undefined ? Math.min(servedTick + SLOTS, last) : last;
    }
    return undefined;
  }

  /** Reads the data of several players together, so that the reads wait for memory at the same time. */
  function warm({ waiting, count }: Slot, from: number): void {
    const until = Math.min(from + WARMED_AT_ONCE, count);
    for (let i = from; i < until; i++) prefetchSink = (prefetchSink + (waiting[i] as ScheduleEntry).ticking.warm()) & 1;
  }

  const phaseBefore = (phase: number, ms: number) => (phase - ms + PACKET_MS) % PACKET_MS;

  /** The nearest millisecond at or before `own` that has players and room: a player can send early, but not late. */
  function companyOf(own: number): number | undefined {
    for (let back = 0; back < PACKET_MS; back++) {
      const load = phaseLoad[phaseBefore(own, back)] as number;
      if (load > 0 && load < GATHERED) return phaseBefore(own, back);
    }
    return undefined;
  }

  function quieterThan(own: number): number {
    let best = own;
    for (let back = 1; back < PACKET_MS; back++) {
      const phase = phaseBefore(own, back);
      if ((phaseLoad[phase] as number) < (phaseLoad[best] as number)) best = phase;
    }
    return (phaseLoad[own] as number) - (phaseLoad[best] as number) >= CROWDED_BY ? best : own;
  }

  /** Players of the same millisecond share a wake-up. A player reaches the chosen millisecond by sending early. */
  function choosePhase(entry: ScheduleEntry): void {
    const own = entry.dueMs % PACKET_MS;
    entry.phase = companyOf(own) ?? quieterThan(own);
    entry.shiftMs = phaseBefore(own, entry.phase);
    phaseLoad[entry.phase] = (phaseLoad[entry.phase] as number) + 1;
  }

  function serve(entry: ScheduleEntry, nowMs: number): void {
    const lateMs = nowMs - entry.dueMs;
    if (lateMs > RESYNC_AFTER_MS) {
      // After a stall, all players keep their places in the 20 ms period instead of sending at once.
      entry.dueMs += Math.ceil(lateMs / PACKET_MS) * PACKET_MS;
      wait(entry, entry.dueMs);
      return;
    }
    const early = entry.shiftMs > 0 && entry.ticking.hasNext() ? Math.min(entry.shiftMs, MAX_SHIFT_MS) : 0;
    entry.shiftMs -= early;
    entry.dueMs += PACKET_MS - early;
    entry.lastMs = Math.ceil(nowMs);
    wait(entry, Math.max(entry.dueMs, entry.lastMs + MIN_SPACING_MS));
    turn(entry, nowMs, lateMs);
  }

  return {
    /** Starts a player: a turn runs before add() returns, or, after a remove(), 20 ms after the turn before that if it is later. */
    add(entry: ScheduleEntry, nowMs: number): void {
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
    remove(entry: ScheduleEntry): void {
      if (!entry.isActive) return;
      entry.isActive = false;
      entry.tick = -1;
      size -= 1;
      phaseLoad[entry.phase] = (phaseLoad[entry.phase] as number) - 1;
    },
    /** Runs the turns of the earliest due millisecond. Returns false if none is due. A turn may add and remove players. */
    serveNext(nowMs: number): boolean {
      const tick = nextTickUntil(Math.floor(nowMs));
      if (tick === undefined) return false;
      servedTick = tick;
      const served = slotOf(tick);
      slots[tick % SLOTS] = spare;
      for (let i = 0; i < served.count; i++) {
        if (i % WARMED_AT_ONCE === 0) warm(served, i);
        const entry = served.waiting[i] as ScheduleEntry;
        served.waiting[i] = undefined;
        if (entry.tick === tick) serve(entry, nowMs);
        // After a stall, the slot may also hold players that are due a multiple of 64 ms later. They stay in the slot.
        else if (entry.tick > tick && slotOf(entry.tick) === spare) put(entry, spare);
      }
      served.count = 0;
      spare = served;
      return true;
    },
    /** The millisecond of the next turn; undefined without players; `servedTick + 1` if the 64 ms after `servedTick` hold no turn. */
    nextMs: (): number | undefined => (size === 0 ? undefined : (nextTick() ?? servedTick + 1)),
    get size(): number {
      return size;
    },
  };
}
