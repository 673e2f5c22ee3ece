/** A member who joined a voice channel or left it. */
export interface Moved {
  readonly kind: 'joined' | 'left';
  readonly userId: string;
  readonly name: string;
  readonly channelId: string;
  readonly guildLocale: string;
}

type Who = Omit<Moved, 'kind'>;

/** Members joining and leaving in one server, held back until they are certain enough to be announced. */
export interface Arrivals {
  joined(who: Who): void;
  left(who: Who): void;
  /** Idempotent. */
  close(): void;
}

interface ArrivalsOptions {
  /** Called with the members who joined, or left, the same channel within a short time. */
  readonly onSettled: (kind: Moved['kind'], moves: readonly Moved[]) => void;
}

/** Members who join, or leave, within this time are announced together. */
const TOGETHER_MS = 1_000;
/** A member who is back within this time had a connection problem and has not left. */
const HOP_MS = 2_000;
const LEAST_AGE_MS = { joined: 0, left: HOP_MS };

/** Joining and leaving again, or the reverse, before the announcement cancel each other. */
export function createArrivals({ onSettled }: ArrivalsOptions): Arrivals {
  const pending = new Map<string, { readonly move: Moved; readonly atMs: number }>();
  const timers: Record<Moved['kind'], NodeJS.Timeout | undefined> = { joined: undefined, left: undefined };

  function add(move: Moved): void {
    const before = pending.get(move.userId)?.move;
    if (before && before.kind !== move.kind && before.channelId === move.channelId) {
      pending.delete(move.userId);
      return;
    }
    pending.set(move.userId, { move, atMs: performance.now() });
    start(move.kind, LEAST_AGE_MS[move.kind] + TOGETHER_MS);
  }

  function start(kind: Moved['kind'], afterMs: number): void {
    timers[kind] ??= setTimeout(() => settle(kind), afterMs).unref();
  }

  function settle(kind: Moved['kind']): void {
    timers[kind] = undefined;
    const all = [...pending.values()].filter(({ move }) => move.kind === kind);
    const due = all.filter(({ atMs }) => performance.now() - atMs >= LEAST_AGE_MS[kind]).map(({ move }) => move);
    for (const { userId } of due) pending.delete(userId);
    if (due.length < all.length) start(kind, HOP_MS);
    // The bot may have changed the channel in between.
    for (const moves of Map.groupBy(due, ({ channelId }) => channelId).values()) onSettled(kind, moves);
  }

  return {
    joined: (who) => add({ ...who, kind: 'joined' }),
    left: (who) => add({ ...who, kind: 'left' }),
    close() {
      clearTimeout(timers.joined);
      clearTimeout(timers.left);
      pending.clear();
    },
  };
}
