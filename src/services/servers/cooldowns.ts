import { causeOf, DeliveryError, UserError } from '../../errors/user-errors.ts';
import { wasRemoved } from '../queue/queue-item.ts';
import type { Speaker } from './admission.ts';

interface CooldownLimit {
  readonly uses: number;
  readonly perMs: number;
}

/** What is over is forgotten when this many keys are remembered, and then each time they have become twice as many. */
const MAX_REMEMBERED = 10_000;

interface Uses {
  readonly atMs: readonly number[];
  /** When the latest of them no longer counts. Limits differ from key to key. */
  readonly untilMs: number;
}

export function createCooldowns(now: () => number = () => performance.now()) {
  const uses = new Map<string, Uses>();
  let enough = MAX_REMEMBERED;

  function forgetOver(): void {
    if (uses.size <= enough) return;
    for (const [key, { untilMs }] of uses) if (untilMs <= now()) uses.delete(key);
    enough = Math.max(MAX_REMEMBERED, 2 * uses.size);
  }

  const recent = (key: string, { perMs }: CooldownLimit) =>
    (uses.get(key)?.atMs ?? []).filter((atMs) => atMs > now() - perMs);

  function waitMs(key: string, limit: CooldownLimit): number {
    const counted = recent(key, limit);
    const [oldest] = counted;
    return oldest !== undefined && counted.length >= limit.uses ? oldest + limit.perMs - now() : 0;
  }

  return {
    waitMs,
    /** Counts one use, or says in how many milliseconds the next one is free. */
    take(key: string, limit: CooldownLimit): number {
      const wait = waitMs(key, limit);
      if (wait > 0) return wait;
      uses.set(key, { atMs: [...recent(key, limit), now()], untilMs: now() + limit.perMs });
      forgetOver();
      return 0;
    },
    /** The latest use, or the latest one until then, counts no longer: it came to nothing. */
    giveBack(key: string, untilMs = now()): void {
      const counted = uses.get(key);
      const index = counted?.atMs.findLastIndex((atMs) => atMs <= untilMs) ?? -1;
      if (counted && index >= 0) uses.set(key, { ...counted, atMs: counted.atMs.toSpliced(index, 1) });
    },
  };
}

export interface CooldownRules {
  readonly cooldownSeconds: number;
  readonly textsInTenSeconds: number;
}

type Of = [guildId: string | null, speaker: Speaker, rules: CooldownRules];

const TEN_SECONDS_MS = 10_000;

/** How often one member may have a text spoken in a server (or outside of servers), by a command or by a message. */
export function createTextCooldown(now: () => number = () => performance.now()) {
  const pauses = createCooldowns(now);
  const texts = createCooldowns(now);

  /** The pause that the server's admins want, which does not hold for themselves, and the limit that holds for all. */
  function limitsOf([guildId, { userId, isAdmin }, { cooldownSeconds, textsInTenSeconds }]: Of) {
    const key = `${guildId} ${userId}`;
    const ofAll = { of: texts, key, limit: { uses: textsInTenSeconds, perMs: TEN_SECONDS_MS } };
    if (isAdmin || cooldownSeconds === 0) return [ofAll];
    return [{ of: pauses, key, limit: { uses: 1, perMs: cooldownSeconds * 1000 } }, ofAll];
  }

  /** In how many milliseconds the member's next text is welcome. */
  function waitMs(...who: Of): number {
    return Math.max(...limitsOf(who).map(({ of, key, limit }) => of.waitMs(key, limit)));
  }

  return {
    waitMs,
    /** The same, and counts the text where it is welcome now. */
    take(...who: Of): number {
      const wait = waitMs(...who);
      if (wait <= 0) for (const { of, key, limit } of limitsOf(who)) of.take(key, limit);
      return wait;
    },
    /**
     * For the text that was counted just now: takes how it failed. One that was refused for nothing, as for a limit on credits,
     * counts no longer. After one that failed for nothing no pause is kept, but it counts among those in ten seconds: the service
     * was asked, and would be by the next one.
     */
    ifUnspoken(...who: Of): (failure: unknown) => void {
      const countedAtMs = now();
      return (failure) => {
        const isForNothing = failure instanceof DeliveryError && failure.cost.kind === 'none';
        if (!isForNothing || wasRemoved(failure)) return;
        const isRefused = causeOf(failure) instanceof UserError;
        for (const { of, key } of limitsOf(who)) if (isRefused || of === pauses) of.giveBack(key, countedAtMs);
      };
    },
  };
}
