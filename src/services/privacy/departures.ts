import type { Logger } from 'pino';
import * as z from 'zod';
import type { Store } from '../storage/store.ts';
import { KEPT_AFTER_LEAVING_DAYS, KEPT_AFTER_LEAVING_MS } from '../storage/store.ts';

interface DeparturesOptions {
  readonly store: Store;
  /** The bot's servers, including those with an outage; undefined before Discord has listed them. */
  readonly present: () => ReadonlySet<string> | undefined;
  /** True for servers of this process; other processes of the bot handle the rest. */
  readonly concerns: (guildId: string) => boolean;
  readonly keptServers: () => Promise<Iterable<string>>;
  readonly forget: (guildId: string) => Promise<void>;
  readonly log: Logger;
}

const DAY_MS = 24 * 60 * 60_000;

/** Stores when the bot left servers, and deletes their data unless the bot is invited again in time. */
export function createDepartures({ store, present, concerns, keptServers, forget, log }: DeparturesOptions) {
  const marks = store.table('departures', z.object({ leftAtMs: z.number() }));
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let last: Promise<void> = Promise.resolve();

  /** Runs `work` in turn, or a server's data could be deleted while its return is still being recorded. */
  function inTurn(what: string, work: () => Promise<void>): Promise<void> {
    last = last.then(async () => {
      if (closed) return;
      // The error is only logged, because the daily check finds the server and tries again.
      await work().catch((error: unknown) => log.warn({ err: error }, `Could not ${what}: retrying within a day`));
    });
    return last;
  }

  async function deleteDue(here: ReadonlySet<string>): Promise<void> {
    for (const guildId of (await marks.keys()).filter(concerns)) {
      if (here.has(guildId)) {
        await marks.delete(guildId);
        continue;
      }
      const mark = await marks.get(guildId);
      // The present time replaces an unreadable time: deleting data too late is better than too early.
      if (!mark) await marks.set(guildId, { leftAtMs: Date.now() });
      if (!mark || Date.now() < mark.leftAtMs + KEPT_AFTER_LEAVING_MS) continue;
      await forget(guildId);
      await marks.delete(guildId);
      log.info({ guildId }, `Deleted the data of a server left ${KEPT_AFTER_LEAVING_DAYS} days ago`);
    }
  }

  /** Records the departure from servers that removed the bot while the bot or the store was down. */
  async function markUnnoticed(here: ReadonlySet<string>): Promise<void> {
    const marked = new Set(await marks.keys());
    for (const guildId of new Set(await keptServers())) {
      if (!concerns(guildId) || here.has(guildId) || marked.has(guildId)) continue;
      await marks.set(guildId, { leftAtMs: Date.now() });
      log.info({ guildId }, `Removed from a server: deleting its data in ${KEPT_AFTER_LEAVING_DAYS} days`);
    }
  }

  /** Deletes the data of servers that the bot left long enough ago, and records unnoticed departures. Never rejects. */
  const sweep = () =>
    inTurn('delete left servers’ data', async () => {
      const here = present();
      if (!here) return;
      await deleteDue(here);
      await markUnnoticed(here);
    });

  return {
    /** Records that the bot was removed from a server. Must not be called for an outage. Never rejects. */
    left: (guildId: string) =>
      inTurn('record leaving a server', async () => {
        if (!present()?.has(guildId)) await marks.set(guildId, { leftAtMs: Date.now() });
      }),
    returned: (guildId: string) => inTurn('record rejoining a server', () => marks.delete(guildId)),
    sweep,
    start() {
      timer ??= setInterval(() => void sweep(), DAY_MS).unref();
      return sweep();
    },
    async close() {
      closed = true;
      clearInterval(timer);
      await last;
    },
  };
}
