import type { Hub } from '../state/hub.ts';
import type { GatewaySession } from './sessions.ts';

/** One session in 5 s for each shard id modulo `max_concurrency`: https://discord.com/developers/docs/events/gateway#sharding-max-concurrency */
const IDENTIFY_INTERVAL_MS = 5_000;

/** The newest session of each bucket, and when it was asked for. */
export interface IdentifyLimits {
  isTooSoon(shardId: number): boolean;
  note(session: GatewaySession): void;
}

interface IdentifyLimitsOptions {
  readonly strict: boolean;
  /** For how long at most an IDENTIFY has waited for this process to look at it, since it was asked last. */
  readonly lagMs: () => number;
}

/** Not strictly, a bot started anew may identify at once: a session that has ended takes no place in its bucket. */
export function createIdentifyLimits(hub: Hub, { strict, lagMs }: IdentifyLimitsOptions): IdentifyLimits {
  const newest = new Map<number, { readonly atMs: number; readonly session: GatewaySession }>();
  const bucketOf = (shardId: number) => shardId % hub.sessionStarts.maxConcurrency;
  return {
    isTooSoon(shardId) {
      const last = newest.get(bucketOf(shardId));
      if (!last || hub.clock.now() - last.atMs >= IDENTIFY_INTERVAL_MS) return false;
      return strict || last.session.socket !== undefined;
    },
    note(session) {
      newest.set(bucketOf(session.shard[0]), { atMs: hub.clock.now() - lagMs(), session });
    },
  };
}
