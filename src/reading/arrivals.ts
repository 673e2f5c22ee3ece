/** A member who joined a voice channel or left it. */
export interface Moved {
  readonly kind: 'joined' | 'left';
  readonly userId: string;
  readonly name: string;
  readonly channelId: string;
  readonly guildLocale: string;
}

/**
 * Members are announced together once nobody has come or gone for so long. Who is back by then had a connection problem and has
 * not left.
 */
const SETTLED_MS = 2_000;

/** Members joining and leaving in one server; `onSettled` is told who joined, or left, the same channel. */
export function createArrivals(onSettled: (kind: Moved['kind'], moves: readonly Moved[]) => void) {
  const pending = new Map<string, Moved>();
  let timer: NodeJS.Timeout | undefined;

  function settle(): void {
    const moves = [...pending.values()];
    pending.clear();
    // The bot may have changed the channel in between.
    for (const [first, ...others] of Map.groupBy(moves, ({ kind, channelId }) => `${kind} ${channelId}`).values()) {
      if (first) onSettled(first.kind, [first, ...others]);
    }
  }

  return {
    /** Joining and leaving again, or the reverse, cancel each other. */
    add(move: Moved): void {
      const before = pending.get(move.userId);
      const isBack = before !== undefined && before.kind !== move.kind && before.channelId === move.channelId;
      if (isBack) pending.delete(move.userId);
      else pending.set(move.userId, move);
      clearTimeout(timer);
      timer = setTimeout(settle, SETTLED_MS).unref();
    },
    /** Idempotent. */
    close(): void {
      clearTimeout(timer);
      pending.clear();
    },
  };
}

export type Arrivals = ReturnType<typeof createArrivals>;
