/** Somebody who came into a voice channel or left it. */
export interface Moved {
  readonly kind: 'joined' | 'left';
  readonly userId: string;
  readonly name: string;
  readonly channelId: string;
  readonly guildLocale: string;
}

type Who = Omit<Moved, 'kind'>;

/** The coming and going in one server, until it is certain enough to be told. */
export interface Arrivals {
  joined(who: Who): void;
  left(who: Who): void;
  /** Idempotent. */
  close(): void;
}

interface ArrivalsOptions {
  /** Told of those who came, or left, within a moment of each other and in the same channel. */
  readonly onSettled: (kind: Moved['kind'], moves: readonly Moved[]) => void;
}

/** Those who come within this time are told together. */
const TOGETHER_MS = 1_000;
/** Who is back within this time had a hiccup and has not left. */
const HOP_MS = 2_000;

/** Who comes and leaves again, or leaves and comes again, before it was told, has done neither. */
export function createArrivals({ onSettled }: ArrivalsOptions): Arrivals {
  const pending = new Map<string, Moved>();
  const timers: Record<Moved['kind'], NodeJS.Timeout | undefined> = { joined: undefined, left: undefined };
  const waitMs = { joined: TOGETHER_MS, left: HOP_MS + TOGETHER_MS };
  /** When each of those who left did so. */
  const leftAtMs = new Map<string, number>();

  function add(move: Moved): void {
    const before = pending.get(move.userId);
    const undoes = before && before.kind !== move.kind && before.channelId === move.channelId;
    if (undoes) {
      pending.delete(move.userId);
      leftAtMs.delete(move.userId);
      return;
    }
    pending.set(move.userId, move);
    if (move.kind === 'left') leftAtMs.set(move.userId, performance.now());
    start(move.kind);
  }

  function start(kind: Moved['kind'], afterMs = waitMs[kind]): void {
    timers[kind] ??= setTimeout(() => settle(kind), afterMs).unref();
  }

  function settle(kind: Moved['kind']): void {
    timers[kind] = undefined;
    const now = performance.now();
    const isDue = ({ userId }: Moved) => kind === 'joined' || now - (leftAtMs.get(userId) ?? 0) >= HOP_MS;
    const all = [...pending.values()].filter((move) => move.kind === kind);
    const due = all.filter(isDue);
    for (const { userId } of due) {
      pending.delete(userId);
      leftAtMs.delete(userId);
    }
    if (due.length < all.length) start(kind, HOP_MS);
    // The bot may have moved in between.
    for (const moves of Map.groupBy(due, ({ channelId }) => channelId).values()) onSettled(kind, moves);
  }

  return {
    joined: (who) => add({ ...who, kind: 'joined' }),
    left: (who) => add({ ...who, kind: 'left' }),
    close() {
      clearTimeout(timers.joined);
      clearTimeout(timers.left);
      pending.clear();
      leftAtMs.clear();
    },
  };
}
