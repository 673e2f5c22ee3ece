import type { Logger } from 'pino';
import { withDeadline } from '../time/deadline.ts';

export interface ApplicationOwners {
  /** The owner, or the owner of its team. */
  readonly owner: string;
  /** Members of the team who may do more than read. */
  readonly team: readonly string[];
}

interface OwnersOptions {
  readonly configured: readonly string[];
  readonly fetchOwners: () => Promise<ApplicationOwners>;
  readonly log: Logger;
  readonly now?: () => number;
}

/** Teams change rarely, and a member taken out of one should not see figures for long. */
const CACHE_MS = 10 * 60_000;
/** After a failure; a command has 3 seconds in all. */
const RETRY_MS = 30_000;
const DEADLINE_MS = 2_000;

export function createOwners({ configured, fetchOwners, log, now = Date.now }: OwnersOptions) {
  let known: ApplicationOwners | undefined;
  let staleAtMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;
  /** In memory only: it is about people. */
  const locales = new Map<string, string>();

  async function refresh(): Promise<void> {
    try {
      known = await withDeadline(fetchOwners(), { timeoutMs: DEADLINE_MS, what: 'Asking Discord for the owner' });
      staleAtMs = now() + CACHE_MS;
    } catch (error) {
      staleAtMs = now() + RETRY_MS;
      log.warn({ err: error }, 'Could not fetch the application’s owner');
    }
  }

  async function application(): Promise<ApplicationOwners | undefined> {
    if (now() >= staleAtMs) {
      fetching ??= refresh().finally(() => {
        fetching = undefined;
      });
      await fetching;
    }
    return known;
  }

  async function owns(userId: string): Promise<boolean> {
    if (configured.includes(userId)) return true;
    const found = await application();
    return found !== undefined && (found.owner === userId || found.team.includes(userId));
  }

  return {
    /**
     * If Discord is out of reach, only those it named before and the settings count. The locale in which owners use Discord is
     * remembered for messages to them: Discord sends it with interactions only.
     */
    async isOwner(userId: string, locale?: string): Promise<boolean> {
      const isOne = await owns(userId);
      if (isOne && locale !== undefined) locales.set(userId, locale);
      return isOne;
    },
    /** The recipients of messages: those of the settings, else the application's owner. May be empty without Discord. */
    async contacts() {
      const owner = configured.length > 0 ? undefined : (await application())?.owner;
      const userIds = owner === undefined ? configured : [owner];
      return userIds.map((userId) => ({ userId, locale: locales.get(userId) }));
    },
  };
}

export type Owners = ReturnType<typeof createOwners>;
