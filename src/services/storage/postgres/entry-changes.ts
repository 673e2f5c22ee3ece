import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { abortable } from '../../time/timers.ts';
import { connect } from './connections.ts';
import { ENTRIES_CHANNEL } from './schema.ts';

interface EntryChangesOptions {
  readonly url: string;
  readonly log: Logger;
  readonly onChanged: (table: string, key: string) => void;
  /** Called if the bot may have missed changes of stored values: any value read before may be outdated. */
  readonly onMissed: () => void;
  /** How often the connection to PostgreSQL is tested; also the longest pause before a new connection. */
  readonly everyMs: number;
}

/** Without a connection to PostgreSQL, changes are not reported, so cached values count as outdated each time this interval ends. */
const MISSED_EVERY_MS = 30_000;

/** Reports committed changes by any process, including this one. Reconnects to PostgreSQL until the returned function is called. */
export function followEntryChanges({ url, log, onChanged, onMissed, everyMs }: EntryChangesOptions) {
  const closing = new AbortController();
  const { signal } = closing;
  const whileMissing = setInterval(onMissed, Math.min(MISSED_EVERY_MS, everyMs * 3)).unref();

  async function follow(client: pg.Client): Promise<never> {
    client.on('notification', ({ payload = '' }) => {
      const colon = payload.indexOf(':');
      onChanged(payload.slice(0, colon), payload.slice(colon + 1));
    });
    await abortable(client.query(`LISTEN ${ENTRIES_CHANNEL}`), signal);
    // Stored values may have changed before this connection listened for changes, so cached values count as outdated.
    onMissed();
    for (;;) {
      await abortable(client.query('SELECT 1'), signal);
      whileMissing.refresh();
      await sleep(everyMs, undefined, { signal });
    }
  }

  async function run(): Promise<void> {
    let isTold = false;
    while (!signal.aborted) {
      let client: pg.Client | undefined;
      try {
        client = await connect(url);
        const ended = new Promise<never>((_, reject) => {
          client?.once('end', () => reject(new Error('The connection ended')));
        });
        isTold = false;
        await Promise.race([follow(client), ended]);
      } catch (error) {
        if (signal.aborted) break;
        if (!isTold) log.warn({ err: error }, 'No live database updates: other processes’ changes arrive late');
        isTold = true;
        await sleep(Math.min(1_000, everyMs), undefined, { signal }).catch(() => undefined);
      } finally {
        // The end of the connection is not awaited: closing a dead connection to PostgreSQL may take long.
        void client?.end();
      }
    }
  }

  const running = run();
  return async (): Promise<void> => {
    clearInterval(whileMissing);
    closing.abort();
    await running;
  };
}
