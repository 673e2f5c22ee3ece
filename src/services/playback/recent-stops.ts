/** A text is looked up, its voice and its words, for no longer before it is in the queue. */
const KEPT_MS = 60_000;

export interface Stop {
  /** performance.now() when it was asked for. */
  readonly askedAtMs: number;
  readonly byUserId: string;
  /** Of everybody's texts; otherwise of their own alone. */
  readonly isOfAll: boolean;
}

/** The stops of a short while ago: each also ends what was asked for before it, and is in no queue yet. */
export function createRecentStops() {
  let stops: readonly Stop[] = [];
  return {
    add(stop: Stop): void {
      stops = [...stops.filter(({ askedAtMs }) => askedAtMs > stop.askedAtMs - KEPT_MS), stop];
    },
    /** The one that ends what this member asked for at that time. */
    after: (atMs: number, userId: string): Stop | undefined =>
      stops.find(({ askedAtMs, byUserId, isOfAll }) => askedAtMs > atMs && (isOfAll || byUserId === userId)),
  };
}
