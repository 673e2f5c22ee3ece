import { causeOf, DeliveryError, UserError } from '../../errors/user-errors.ts';
import { wasRemoved } from '../queue/queue-item.ts';
import type { Speaker } from './admission.ts';

interface CooldownLimit {
  readonly uses: number;
  readonly perMs: number;
}

/** Expired counters are deleted when there are more counters than this, and then at each doubling. */
const MAX_REMEMBERED = 10_000;

interface Uses {
  readonly atMs: readonly number[];
  /** When the latest use stops counting toward the limit, so that the counter of uses can be deleted. */
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
    /** Counts a use and returns 0, or returns the milliseconds until the next use is allowed. */
    take(key: string, limit: CooldownLimit): number {
      const wait = waitMs(key, limit);
      if (wait > 0) return wait;
      uses.set(key, { atMs: [...recent(key, limit), now()], untilMs: now() + limit.perMs });
      forgetOver();
      return 0;
    },
    /** Takes back the latest use that was counted at the time `untilMs` or earlier. */
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

/** Limits how often a member's texts are spoken in one server or outside of servers, however they were requested. */
export function createTextCooldown(now: () => number = () => performance.now()) {
  const pauses = createCooldowns(now);
  const texts = createCooldowns(now);

  /** Admins are exempt from the cooldown, but not from the limit per ten seconds. */
  function limitsOf([guildId, { userId, isAdmin }, { cooldownSeconds, textsInTenSeconds }]: Of) {
    const key = `${guildId} ${userId}`;
    const ofAll = { of: texts, key, limit: { uses: textsInTenSeconds, perMs: TEN_SECONDS_MS } };
    if (isAdmin || cooldownSeconds === 0) return [ofAll];
    return [{ of: pauses, key, limit: { uses: 1, perMs: cooldownSeconds * 1000 } }, ofAll];
  }

  function waitMs(...who: Of): number {
    return Math.max(...limitsOf(who).map(({ of, key, limit }) => of.waitMs(key, limit)));
  }

  return {
    waitMs,
    /**
     * Counts a text. The returned function must be called with the failure if the text fails. A text refused at no cost
     * does not count any more. A text that failed at no cost starts no cooldown, but counts for the limit per ten
     * seconds, because the speech service was asked.
     */
    count(...who: Of): (failure: unknown) => void {
      for (const { of, key, limit } of limitsOf(who)) of.take(key, limit);
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
