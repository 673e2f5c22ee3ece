import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { StoreError } from '../../../../src/errors/user-errors.ts';
import { openPool, openPostgres, prepareDatabase } from '../../../../src/services/storage/postgres/connections.ts';
import { createRecords, createStore, type Store } from '../../../../src/services/storage/store.ts';
import { silentLog as log, writtenLog } from '../../../silent-log.ts';
import { keepsTheContract } from '../store-contract.ts';
import { isPostgresMissing } from './postgres-server.ts';
import { sharePostgres } from './shared-server.ts';
import { startStallingProxy } from './stalling-proxy.ts';

const note = z.object({ words: z.string() });

describe.skipIf(isPostgresMissing)('the store in PostgreSQL', () => {
  const postgres = sharePostgres();

  /** As another process has it: with connections of its own. */
  async function openAt(url: string): Promise<Store> {
    await prepareDatabase(url);
    const store = createStore({ sql: openPostgres({ url, holder: 1, log }), log });
    postgres.closeLater(store.close);
    return store;
  }
  const open = () => openAt(postgres.url);

  describe('like any store', () => keepsTheContract(open));

  it('shares values and changes between processes: none undoes that of another', async () => {
    const schema = z.object({ count: z.number().optional() });
    const cells = await Promise.all(
      Array.from({ length: 4 }, async () =>
        createRecords<{ count?: number | undefined }>((await open()).table('counts', schema), {}),
      ),
    );
    const change = (cell: (typeof cells)[number]) => cell.change('a', ({ count = 0 }) => ({ count: count + 1 }));
    await Promise.all(cells.flatMap((cell) => [change(cell), change(cell), change(cell)]));
    for (const cell of cells) expect(await cell.get('a')).toEqual({ count: 12 });
  });

  it('opens a few connections for changes, however many come at once', async () => {
    const counts = (await open()).table('counts', z.object({}));
    let most = 0;
    const watching = openPool({ url: postgres.server.url, log, connections: 8 });
    const look = async () => {
      const { rows } = await watching.query(
        `SELECT count(*)::int AS open FROM pg_stat_activity WHERE datname = '${new URL(postgres.url).pathname.slice(1)}'`,
      );
      most = Math.max(most, rows[0]?.open);
    };
    await Promise.all(Array.from({ length: 20 }, (_, at) => counts.inTurn(`key ${at}`, look)));
    await watching.end();
    expect(most).toBeGreaterThan(0);
    // Those of the pool, and those of the changes.
    expect(most).toBeLessThanOrEqual(8 + 4);
  });

  it('makes the tables once where several processes start at once', async () => {
    const url = await postgres.server.createDatabase();
    const [store] = await Promise.all([openAt(url), openAt(url), openAt(url)]);
    expect(await store.problem()).toBeUndefined();
  });

  it('refuses a database that another version has written', async () => {
    const pool = openPool({ url: postgres.url, log, connections: 2 });
    await pool.query('UPDATE crier.schema_version SET version = 999').finally(() => pool.end());
    await expect(prepareDatabase(postgres.url)).rejects.toThrow(/another version of Crier \(schema 999/);
  });

  it('says what is wrong with an address, and nothing of the password in it', async () => {
    const url = 'postgres://crier:secret-word@127.0.0.1:1/nothing';
    const error: unknown = await prepareDatabase(url).catch((reason: unknown) => reason);
    expect(String(error)).toContain('PostgreSQL cannot be reached');
    const written = writtenLog('info');
    written.log.error({ err: error }, 'x');
    expect(JSON.stringify(written.lines)).not.toContain('secret-word');
  });

  describe('while PostgreSQL is in trouble', () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
      await store.table('notes', note).set('a', { words: 'kept' });
    });

    it('rejects at its deadline when it stands still, and works again afterwards', async () => {
      const notes = store.table('notes', note);
      postgres.server.pause();
      const attempts = [
        notes.get('a'),
        notes.set('b', { words: 'x' }),
        notes.delete('c'),
        notes.keys(),
        createRecords(store.table('counts', z.object({})), {}).change('a', () => ({})),
      ];
      const outcomes = await Promise.allSettled(attempts).finally(postgres.server.resume);
      expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason instanceof StoreError)).toEqual(
        attempts.map(() => true),
      );
      await expect.poll(() => notes.get('a').catch(() => undefined)).toEqual({ words: 'kept' });
      await expect.poll(store.problem).toBeUndefined();
    });

    it.each(['BEGIN', 'pg_advisory_xact_lock'])(
      'leaves no connection behind where one stands still at %s',
      async (text) => {
        const proxy = await startStallingProxy(postgres.url, text);
        const through = createStore({ sql: openPostgres({ url: proxy.url, holder: 1, log }), log });
        postgres.closeLater(through.close);
        const changing = createRecords(through.table('counts', z.object({})), {}).change('a', () => ({}));
        await expect(changing).rejects.toThrow(StoreError);
        expect(proxy.hasStalled()).toBe(true);
        // The one that everything else uses.
        await expect.poll(proxy.connections).toBe(1);
      },
    );

    it('says so when it is gone, does not end the process, and works once it is back', async () => {
      const notes = store.table('notes', note);
      await postgres.server.kill();
      await expect(notes.get('a')).rejects.toThrow(StoreError);
      await expect(notes.keys()).rejects.toThrow(StoreError);
      expect(await store.problem()).toBe('PostgreSQL cannot be reached');
      await postgres.server.start();
      await expect.poll(() => notes.get('a').catch(() => undefined)).toEqual({ words: 'kept' });
    });
  });
});
