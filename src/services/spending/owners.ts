import type { Logger } from 'pino';
import { withDeadline } from '../time/timers.ts';

export interface ApplicationOwners {
  /** The user id of the application's owner, or of its team's owner. */
  readonly owner: string;
  /** User ids of the application's team, without members whose role is read-only. */
  readonly team: readonly string[];
}

interface OwnersOptions {
  readonly configured: readonly string[];
  readonly fetchOwners: () => Promise<ApplicationOwners>;
  readonly log: Logger;
}

/** How long Discord's answer is cached: someone removed from a team should soon lose the owner's rights. */
const CACHE_MS = 10 * 60_000;
/** How long to wait before the next attempt, if Discord could not name the application's owner. */
const RETRY_MS = 30_000;
const DEADLINE_MS = 2_000;

export function createOwners({ configured, fetchOwners, log }: OwnersOptions) {
  let known: Promise<ApplicationOwners | undefined> = Promise.resolve(undefined);
  let staleAtMs = Number.NEGATIVE_INFINITY;
  /** Languages of owners for messages to them. Kept in memory only, because they are personal data. */
  const locales = new Map<string, string>();

  async function refresh(last: ApplicationOwners | undefined): Promise<ApplicationOwners | undefined> {
    try {
      const found = await withDeadline(fetchOwners(), { timeoutMs: DEADLINE_MS, what: 'Asking Discord for the owner' });
      staleAtMs = Date.now() + CACHE_MS;
      return found;
    } catch (error) {
      staleAtMs = Date.now() + RETRY_MS;
      log.warn({ err: error }, 'Could not fetch the application’s owner: using Discord’s last answer');
      return last;
    }
  }

  function application(): Promise<ApplicationOwners | undefined> {
    if (Date.now() >= staleAtMs) {
      staleAtMs = Number.POSITIVE_INFINITY;
      known = known.then(refresh);
    }
    return known;
  }

  async function isNamed(userId: string): Promise<boolean> {
    const { owner, team = [] } = (await application()) ?? {};
    return owner === userId || team.includes(userId);
  }

  return {
    /** Tells if a user owns the bot, by Discord's last answer if Discord is unreachable. Remembers an owner's `locale` for messages. */
    async isOwner(userId: string, locale?: string): Promise<boolean> {
      const isOne = configured.includes(userId) || (await isNamed(userId));
      if (isOne && locale !== undefined) locales.set(userId, locale);
      return isOne;
    },
    /** Recipients of the bot's messages to its owner. May be empty if Discord is unreachable. */
    async contacts() {
      const owner = configured.length > 0 ? undefined : (await application())?.owner;
      const userIds = owner === undefined ? configured : [owner];
      return userIds.map((userId) => ({ userId, locale: locales.get(userId) }));
    },
  };
}

export type Owners = ReturnType<typeof createOwners>;
