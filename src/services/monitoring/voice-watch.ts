import type { Metrics } from './metrics.ts';

interface VoiceWatchOptions {
  readonly metrics: Pick<Metrics, 'joinEnded'>;
  readonly now?: () => number;
}

/** Ends of joins that tell of Discord or of this machine. A member who changes their mind, or removes the bot, is none. */
const FAILURES: ReadonlySet<string> = new Set([
  'timeout',
  'refused',
  'encryption',
  'no-route',
  'gateway-unavailable',
  'failed',
]);
/** In one server it may be a permission. */
const SERVERS = 3;
/** Nobody asks for a join to find out. */
const HOLDS_FOR_MS = 10 * 60_000;

/** Whether voice channels can be joined, by the joins of members' requests. */
export function createVoiceWatch({ metrics, now = () => performance.now() }: VoiceWatchOptions) {
  /** Servers of which no join succeeded since the last success anywhere. */
  const failing = new Set<string>();
  let failedAtMs = Number.NEGATIVE_INFINITY;

  function forgetOld(): void {
    if (now() - failedAtMs > HOLDS_FOR_MS) failing.clear();
  }

  return {
    joinEnded({ guildId, outcome }: { readonly guildId: string; readonly outcome: string }): void {
      metrics.joinEnded(outcome);
      if (outcome === 'joined') failing.clear();
      if (!FAILURES.has(outcome)) return;
      failing.add(guildId);
      failedAtMs = now();
    },
    /** A join has failed, and none has succeeded since: nothing should be bought before the next one has. */
    isInDoubt: () => {
      forgetOld();
      return failing.size > 0;
    },
    problem: () => {
      forgetOld();
      return failing.size < SERVERS ? undefined : `no voice channel could be joined lately, in ${failing.size} servers`;
    },
  };
}
