import { PACKET_MS } from '../clips/clip.ts';

/** The wheel's slots are a millisecond wide and reach further ahead than anything is ever due. */
const SLOTS = 64;
/** Later than this by a stall, missed turns are dropped and the rest continues in step; sooner, they are caught up. */
const RESYNC_AFTER_MS = 60;
/** Catching up, no entry's turns are closer together than this: listeners' buffers take two packets at half the distance. */
const MIN_SPACING_MS = 10;
/** Up to so many share one millisecond: a wake-up, with nothing in the caches, costs more than several turns. */
const GATHERED = 16;
/** Beyond that, a newcomer moves to a quieter phase when its own holds this many more entries than the quietest. */
const CROWDED_BY = 4;
/** It moves to its phase by turns that come at most this much early. */
const MAX_SHIFT_MS = 8;

/** So many entries' memory is fetched at once: as much as a core keeps asking for without waiting. */
const WARMED_AT_ONCE = 8;
/** Of one that never had a turn. Whole numbers only: others would each be an object of their own in memory. */
const NEVER_MS = -1_000_000;

/** One that wants a turn every 20 ms. Times are whole ms of the schedule's clock. Only the schedule writes to it. */
export interface ScheduleEntry {
  /** When the next turn should be, by the entry's own unbroken count of 20 ms. */
  dueMs: number;
  /** When the last turn was. */
  lastMs: number;
  isActive: boolean;
  phase: number;
  shiftMs: number;
  /** The millisecond for which it waits; -1 while it waits for none. */
  tick: number;
}

export function createScheduleEntry(): ScheduleEntry {
  return { dueMs: 0, lastMs: NEVER_MS, isActive: false, phase: 0, shiftMs: 0, tick: -1 };
}

/** Those that wait for one millisecond, or for one 64 ms later. Whoever waits for another one by now is passed over. */
interface Slot<T> {
  waiting: (T | undefined)[];
  count: number;
}

/** Whose turn it is and when. Pure: it knows no timers; time is what it is told. */
interface Schedule<T extends ScheduleEntry> {
  /** Starts turns: the first before it returns, or 20 ms after the entry's last one when that is later. */
  add(entry: T, nowMs: number): void;
  remove(entry: T): void;
  /**
   * Gives the turns of the earliest millisecond in which any are due by `nowMs`; false when none are.
   * Entries may be added and removed meanwhile.
   */
  serveNext(nowMs: number): boolean;
  /** When advance() is wanted next; undefined when nobody waits. */
  nextMs(): number | undefined;
  readonly size: number;
}

/**
 * A timing wheel: adding, removing and each turn cost the same whether one entry waits or thousands, and nothing is
 * allocated. With thousands the time goes into memory that is not in any cache: those of one millisecond stand side by
 * side, and a turn touches its own entry alone. `turn` is told how late it comes.
 */
export function createSchedule<T extends ScheduleEntry>(hooks: {
  turn(entry: T, nowMs: number, lateMs: number): void;
  /** Whether the entry would have something for its next turn already; it comes early only then. Default: it has. */
  hasNext?(entry: T): boolean;
  /** Reads what the entry's turn is going to read. What comes of it means nothing. */
  warm?(entry: T): number;
}): Schedule<T> {
  const slots: Slot<T>[] = Array.from({ length: SLOTS }, () => ({ waiting: [], count: 0 }));
  /** Takes the place of the slot that is being served. */
  let spare: Slot<T> = { waiting: [], count: 0 };
  const phaseLoad: number[] = new Array(PACKET_MS).fill(0);
  /** All milliseconds up to this one have been served. */
  let servedTick = 0;
  let size = 0;
  /** Of no use, but what is not used may not be read. */
  let warmth = 0;

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

  /** The same as far as `last`; what is passed over on the way counts as served. */
  function nextTickUntil(last: number): number | undefined {
    while (servedTick < last) {
      const tick = nextTick();
      if (tick !== undefined && tick <= last) return tick;
      servedTick = tick === undefined ? Math.min(servedTick + SLOTS, last) : last;
    }
    return undefined;
  }

  /** One after the other they would each wait for memory; read for nothing but that, they wait together. */
  function warm({ waiting, count }: Slot<T>, from: number): void {
    const until = Math.min(from + WARMED_AT_ONCE, count);
    for (let i = from; i < until; i++) warmth = (warmth + (hooks.warm?.(waiting[i] as T) ?? 0)) & 1;
  }

  const phaseBefore = (phase: number, ms: number) => (phase - ms + PACKET_MS) % PACKET_MS;

  /** The nearest phase, going back from `own`, in which there is company and room. */
  function companyOf(own: number): number | undefined {
    for (let back = 0; back < PACKET_MS; back++) {
      const load = phaseLoad[phaseBefore(own, back)] as number;
      if (load > 0 && load < GATHERED) return phaseBefore(own, back);
    }
    return undefined;
  }

  /** `own`, or the phase with the fewest entries when that has many fewer. */
  function quieterThan(own: number): number {
    let best = own;
    for (let back = 1; back < PACKET_MS; back++) {
      const phase = phaseBefore(own, back);
      if ((phaseLoad[phase] as number) < (phaseLoad[best] as number)) best = phase;
    }
    return (phaseLoad[own] as number) - (phaseLoad[best] as number) >= CROWDED_BY ? best : own;
  }

  /** Where the entry's turns fall within 20 ms, and by how much it should come earlier to fall there. */
  function choosePhase(entry: T): void {
    const own = entry.dueMs % PACKET_MS;
    entry.phase = companyOf(own) ?? quieterThan(own);
    entry.shiftMs = phaseBefore(own, entry.phase);
    phaseLoad[entry.phase] = (phaseLoad[entry.phase] as number) + 1;
  }

  function serve(entry: T, nowMs: number): void {
    const lateMs = nowMs - entry.dueMs;
    if (lateMs > RESYNC_AFTER_MS) {
      // In steps of 20 ms: after a stall everybody keeps the phase they had, instead of all coming at once.
      entry.dueMs += Math.ceil(lateMs / PACKET_MS) * PACKET_MS;
      wait(entry, entry.dueMs);
      return;
    }
    const early = entry.shiftMs > 0 && (hooks.hasNext?.(entry) ?? true) ? Math.min(entry.shiftMs, MAX_SHIFT_MS) : 0;
    entry.shiftMs -= early;
    entry.dueMs += PACKET_MS - early;
    entry.lastMs = Math.ceil(nowMs);
    wait(entry, Math.max(entry.dueMs, entry.lastMs + MIN_SPACING_MS));
    hooks.turn(entry, nowMs, lateMs);
  }

  return {
    add(entry, nowMs) {
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
    remove(entry) {
      if (!entry.isActive) return;
      entry.isActive = false;
      entry.tick = -1;
      size -= 1;
      phaseLoad[entry.phase] = (phaseLoad[entry.phase] as number) - 1;
    },
    serveNext(nowMs) {
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
        // After a stall there may be later ones among them.
        else if (entry.tick > tick && slotOf(entry.tick) === spare) put(entry, spare);
      }
      served.count = 0;
      spare = served;
      return true;
    },
    // Nobody within reach means that the wheel is behind the time, after a stall: at once, then, to catch up.
    nextMs: () => (size === 0 ? undefined : (nextTick() ?? servedTick + 1)),
    get size() {
      return size;
    },
  };
}
