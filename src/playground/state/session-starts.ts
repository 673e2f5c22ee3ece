import type { Clock } from './manual-clock.ts';

/** How often a bot may open gateway sessions: https://discord.com/developers/docs/events/gateway#session-start-limit-object */
export interface SessionStarts {
  readonly total: number;
  /** Sessions that may begin within 5 s, one for each shard id modulo this number. */
  readonly maxConcurrency: number;
  readonly remaining: number;
  readonly resetAfterMs: number;
  /** Counts an IDENTIFY; false when none was left. */
  take(): boolean;
}

/** "1000 IDENTIFY calls … in a 24-hour period": https://discord.com/developers/docs/events/gateway#identifying */
const USUAL_TOTAL = 1_000;
const PERIOD_MS = 86_400_000;

export function createSessionStarts(
  clock: Clock,
  { total = USUAL_TOTAL, maxConcurrency = 1 }: { readonly total?: number; readonly maxConcurrency?: number } = {},
): SessionStarts {
  let used = 0;
  let endsAtMs = 0;
  const usedNow = () => (clock.now() < endsAtMs ? used : 0);
  return {
    total,
    maxConcurrency,
    get remaining() {
      return total - usedNow();
    },
    get resetAfterMs() {
      return Math.max(0, endsAtMs - clock.now());
    },
    take() {
      if (clock.now() >= endsAtMs) {
        used = 0;
        endsAtMs = clock.now() + PERIOD_MS;
      }
      if (used >= total) return false;
      used += 1;
      return true;
    },
  };
}
