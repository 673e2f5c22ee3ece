import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { openCellLease } from '../../src/services/cells/cell-lease.ts';
import { createSettings } from '../../src/services/servers/server-settings.ts';
import { createLedger } from '../../src/services/spending/ledger.ts';
import { openDataFolder } from '../../src/services/storage/data-folder.ts';
import { openDatabase, sqlOf } from '../../src/services/storage/database.ts';
import { openPool, openPostgres, prepareDatabase } from '../../src/services/storage/postgres/connections.ts';
import { createStore } from '../../src/services/storage/store.ts';
import { copyStore } from '../../src/store/copy.ts';
import { runProgram } from '../program-environment.ts';
import { createDatabase, isPostgresMissing } from '../services/storage/postgres/postgres-server.ts';
import { silentLog as log } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const note = z.object({ words: z.string() });
const HOUR_MS = 3_600_000;
const GUILD = '100000000000000001';
const SPENT = {
  guildId: GUILD,
  userId: '200000000000000002',
  day: '2026-01-31',
  millicredits: 5_000,
  keptUntil: '9999-12-31',
};

describe.skipIf(isPostgresMissing)('the copy of a store from SQLite to PostgreSQL', () => {
  let from: string;
  let to: string;
  beforeEach(async () => {
    from = temporaryFolder();
    to = await createDatabase();
    await fill();
  });

  /** More values than are written at once, some with an end, and a day of credits with an open reservation. */
  async function fill(): Promise<void> {
    const sql = sqlOf(openDatabase(openDataFolder(from).privateFile('crier.sqlite'), log));
    const store = createStore({ sql, log });
    await createSettings(store).change(GUILD, () => ({ queueLimit: 5 }));
    const notes = store.table('notes', note);
    for (let index = 0; index < 1_100; index += 1) {
      await notes.set(`${index}`, { words: `it's \u0000 ${index} 💬` }, index % 2 === 0 ? { ttlMs: HOUR_MS } : {});
    }
    const ledger = createLedger(sql);
    await ledger.reserve(1, SPENT, []);
    await ledger.settle(1, 4_000);
    await ledger.reserve(2, SPENT, []);
    await ledger.countCached(SPENT);
    await ledger.keepRate('local', { characters: 120, credits: 4 });
    await store.close();
  }

  function target() {
    const pool = openPool({ url: to, log, connections: 2 });
    onTestFinished(() => pool.end());
    return pool;
  }

  /** The lease of a bot's process on the target. */
  async function leaseOf(name: string) {
    const { signal } = new AbortController();
    return openCellLease({ pool: target(), name, shards: undefined, signal, log, onLost: () => undefined });
  }

  it('has everything: what is stored with its end, figures and what was under way', async () => {
    const copied = await copyStore(from, to);
    expect(copied.get('entries')).toBe(1_101);
    const lease = await leaseOf('a test');
    const sql = openPostgres({ url: to, holder: lease.id, log });
    const [store, ledger] = [createStore({ sql, log }), createLedger(sql)];
    onTestFinished(async () => {
      await lease.close();
      await store.close();
    });
    expect(await createSettings(store).get(GUILD)).toEqual({ queueLimit: 5 });
    expect(await store.table('notes', note).get('4')).toEqual({ words: "it's \u0000 4 💬" });
    const ending = "SELECT count(*)::int FROM crier.entries WHERE namespace = 'notes' AND expires_at > 0";
    expect((await target().query(ending)).rows).toEqual([{ count: 550 }]);
    const { day } = SPENT;
    expect(await ledger.used(SPENT, day, day)).toEqual({ millicredits: 9_000, cached: 1 });
    expect((await ledger.prices()).get('local')).toBe(4 / 120);
    expect(await ledger.recover()).toEqual({ released: 1, lost: 0 });
  });

  it('refuses a target that has data or a bot, a bot that runs, and a folder without data', async () => {
    await copyStore(from, to);
    await expect(copyStore(from, to)).rejects.toThrow('has data of a bot (entries): copy into an empty database');
    to = await createDatabase();
    await prepareDatabase(to);
    const lease = await leaseOf('host 1');
    await expect(copyStore(from, to)).rejects.toThrow('a bot uses the database of STORE_URL (host 1)');
    await lease.close();
    const lock = openDataFolder(from).lock();
    await expect(copyStore(from, to)).rejects.toThrow(/another Crier is running .+: end that one first/);
    lock.release();
    await expect(copyStore(join(from, 'nothing'), to)).rejects.toThrow('has no data of a bot');
  });

  it('is a command that says what it did, and no password', async () => {
    const main = join(import.meta.dirname, '../../src/store/main.ts');
    const run = (STORE_URL: string, ...args: string[]) =>
      runProgram([main, ...args], { cwd: from, env: { DATA_DIR: from, STORE_URL } });
    const refused = async (url: string, code: number, stderr: RegExp, ...args: string[]) =>
      expect(await run(url, ...args)).toMatchObject({ code, stderr: expect.stringMatching(stderr) });
    const done = await run(to.replace('crier@', 'crier:secret-word@'), 'copy');
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toMatch(/Copied: entries \d+, spending_days \d+/);
    expect(done.stdout).not.toContain('secret-word');
    expect(done.stdout).toContain(`${join(from, 'crier.sqlite')} is as it was`);
    await refused(to, 1, /^the database of STORE_URL has data of a bot[^\n]*\n$/, 'copy');
    const nobody = 'postgres://crier:secret-word@127.0.0.1:1/crier';
    await refused(nobody, 1, /^the database of STORE_URL cannot be used \(.+\): .+ owner STORE_URL names\n$/, 'copy');
    await refused('mysql://x/y', 1, /^STORE_URL must be postgres:/, 'copy');
    await refused(to, 2, /Usage:/, 'move');
  });
});
