import type { Logger } from 'pino';
import { withDeadline } from './deadline.ts';

/** Who answers for the bot. */
export interface Owners {
  /** Whether a user is one of its owners. Discord being out of reach, only those it named before and the settings count. */
  isOwner(userId: string): Promise<boolean>;
  /** Whom to write to: those of the settings, else the application's owner. May be empty when Discord is out of reach. */
  contacts(): Promise<readonly string[]>;
}

/** What Discord says about the application's owners. */
export interface ApplicationOwners {
  /** The owner, or the owner of its team. */
  readonly owner: string;
  /** Members of the team who may do more than read. */
  readonly team: readonly string[];
}

interface OwnersOptions {
  /** OWNER_IDS. */
  readonly configured: readonly string[];
  readonly fetchOwners: () => Promise<ApplicationOwners>;
  readonly log: Logger;
  readonly now?: () => number;
}

/** Teams change rarely, and somebody who was taken out of one should not see figures for long. */
const CACHE_MS = 10 * 60_000;
/** After a failure; a command has 3 seconds in all. */
const RETRY_MS = 30_000;
const DEADLINE_MS = 2_000;

export function createOwners({ configured, fetchOwners, log, now = Date.now }: OwnersOptions): Owners {
  let known: ApplicationOwners | undefined;
  let staleAtMs = Number.NEGATIVE_INFINITY;
  let fetching: Promise<void> | undefined;

  async function refresh(): Promise<void> {
    try {
      known = await withDeadline(fetchOwners(), { timeoutMs: DEADLINE_MS, what: 'Asking Discord for the owner' });
      staleAtMs = now() + CACHE_MS;
    } catch (error) {
      staleAtMs = now() + RETRY_MS;
      log.warn({ err: error }, 'Discord does not say who owns the application');
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

  return {
    async isOwner(userId) {
      if (configured.includes(userId)) return true;
      const found = await application();
      return found !== undefined && (found.owner === userId || found.team.includes(userId));
    },
    async contacts() {
      if (configured.length > 0) return configured;
      const found = await application();
      return found ? [found.owner] : [];
    },
  };
}
