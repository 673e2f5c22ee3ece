import type { Logger } from 'pino';
import * as z from 'zod';
import type { Store } from '../storage/store.ts';
import { KEPT_AFTER_LEAVING_DAYS, KEPT_AFTER_LEAVING_MS } from '../storage/store.ts';

interface DeparturesOptions {
  readonly store: Store;
  /** The bot's servers, including those with an outage; undefined before Discord has listed them. */
  readonly present: () => ReadonlySet<string> | undefined;
  /** Whether it is this process that would have a server: those of others are not left. Default: it has all. */
  readonly concerns?: (guildId: string) => boolean;
  readonly keptServers: () => Promise<Iterable<string>>;
  readonly forget: (guildId: string) => Promise<void>;
  readonly log: Logger;
  readonly now?: () => number;
}

const DAY_MS = 24 * 60 * 60_000;

/** Remembers the servers that the bot has left, and deletes their data unless the bot is invited again in time. */
export function createDepartures({
  store,
  present,
  concerns = () => true,
  keptServers,
  forget,
  log,
  now = Date.now,
}: DeparturesOptions) {
  const marks = store.table('departures', z.object({ leftAtMs: z.number() }));
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let last: Promise<void> = Promise.resolve();

  /** Events are handled one after another: a return during a sweep must not be handled too late. */
  function inTurn(what: string, work: () => Promise<void>): Promise<void> {
    last = last.then(async () => {
      if (closed) return;
      // The next sweep repeats it.
      await work().catch((error: unknown) => log.warn({ err: error }, `Could not ${what}: tried again within a day`));
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
      // An unreadable time counts from now: rather too late than too early.
      if (!mark) await marks.set(guildId, { leftAtMs: now() });
      if (!mark || now() < mark.leftAtMs + KEPT_AFTER_LEAVING_MS) continue;
      await forget(guildId);
      await marks.delete(guildId);
      log.info({ guildId }, `Deleted the data of a server left ${KEPT_AFTER_LEAVING_DAYS} days ago`);
    }
  }

  /** Servers that removed the bot while it was not running, or while the store did not answer. */
  async function markUnnoticed(here: ReadonlySet<string>): Promise<void> {
    const marked = new Set(await marks.keys());
    for (const guildId of new Set(await keptServers())) {
      if (!concerns(guildId) || here.has(guildId) || marked.has(guildId)) continue;
      await marks.set(guildId, { leftAtMs: now() });
      log.info({ guildId }, `Removed from this server: its data is deleted in ${KEPT_AFTER_LEAVING_DAYS} days`);
    }
  }

  /** Deletes expired data, and marks servers that the bot has left unnoticed. Never rejects. */
  const sweep = () =>
    inTurn('delete what is kept of servers that were left', async () => {
      const here = present();
      if (!here) return;
      await deleteDue(here);
      await markUnnoticed(here);
    });

  return {
    /** The bot was removed from a server; an outage is no removal. Never rejects. */
    left: (guildId: string) =>
      inTurn('remember that a server was left', async () => {
        if (!present()?.has(guildId)) await marks.set(guildId, { leftAtMs: now() });
      }),
    returned: (guildId: string) => inTurn('remember that a server was joined again', () => marks.delete(guildId)),
    sweep,
    start() {
      timer ??= setInterval(() => void sweep(), DAY_MS).unref();
      return sweep();
    },
    /** Resolves when the last write has ended. Idempotent. */
    async close() {
      closed = true;
      clearInterval(timer);
      await last;
    },
  };
}
