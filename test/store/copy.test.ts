import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { openCellLease } from '../../src/services/cells/cell-lease.ts';
import { createOptOuts } from '../../src/services/servers/opt-outs.ts';
import { createSettings } from '../../src/services/servers/server-settings.ts';
import { openPostgresLedger } from '../../src/services/spending/postgres-ledger.ts';
import { openDataFolder } from '../../src/services/storage/data-folder.ts';
import { openDatabase } from '../../src/services/storage/database.ts';
import { lockFolder } from '../../src/services/storage/folder-lock.ts';
import { openPool, prepareDatabase } from '../../src/services/storage/postgres/connections.ts';
import { openPostgresStore } from '../../src/services/storage/postgres/postgres-store.ts';
import { openSqliteStore } from '../../src/services/storage/store.ts';
import { createServerDictionaries } from '../../src/services/text/server-dictionaries.ts';
import { createMemberSettings } from '../../src/services/voices/member-settings.ts';
import { copyStore } from '../../src/store/copy.ts';
import { TABLES } from '../../src/store/source.ts';
import { programEnv } from '../program-environment.ts';
import { isPostgresMissing, type PostgresServer, startPostgres } from '../services/storage/postgres/postgres-server.ts';
import { SAMPLE } from '../services/storage/sample.ts';

const log = pino({ level: 'silent' });
const NEWEST = join(import.meta.dirname, '../services/storage/stores/0.1.0.sql');
const note = z.object({ words: z.string() });
const HOUR_MS = 3_600_000;

it('nothing in SQLite is left out of a copy to PostgreSQL', () => {
  const database = openDatabase(':memory:');
  onTestFinished(() => database.close());
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  expect(TABLES.map(({ name }) => name).sort()).toEqual(tables.map(({ name }) => String(name)).sort());
  for (const { name, columns, read = '' } of TABLES) {
    const present = database.prepare(`SELECT name FROM pragma_table_info('${name}')`).all();
    const missing = present.filter(
      (column) => !(String(column.name) in columns) && !read.includes(String(column.name)),
    );
    expect(missing, name).toEqual([]);
  }
});

describe.skipIf(isPostgresMissing)('the copy of a store from SQLite to PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  let from: string;
  let to: string;
  beforeEach(async () => {
    from = mkdtempSync(join(tmpdir(), 'crier-copy-'));
    to = await server.createDatabase();
    const path = openDataFolder(from).privateFile('crier.sqlite');
    const database = new DatabaseSync(path);
    database.exec(readFileSync(NEWEST, 'utf8'));
    database.close();
    openDatabase(path).close();
  });
  afterEach(() => rmSync(from, { recursive: true, force: true }));

  /** Many more, some with an end. */
  async function fill(count: number): Promise<void> {
    const store = openSqliteStore({ path: join(from, 'crier.sqlite'), log });
    const notes = store.table('notes', note);
    for (let index = 0; index < count; index += 1) {
      await notes.set(`${index}`, { words: `it's \u0000 ${index} 💬` }, index % 2 === 0 ? { ttlMs: HOUR_MS } : {});
    }
    await store.close();
  }

  async function ask(query: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: to });
    await client.connect();
    try {
      const { rows } = await client.query<unknown[]>({ text: query, rowMode: 'array' });
      return rows[0]?.[0];
    } finally {
      await client.end();
    }
  }

  it('has everything: settings, dictionaries, members, notices, figures and what was under way', async () => {
    await fill(10);
    const copied = await copyStore({ from, to });
    expect(copied.get('spending_days')).toBeGreaterThan(0);
    const pool = openPool({ url: to, log });
    const store = openPostgresStore({ url: to, pool, log });
    const { signal } = new AbortController();
    const lease = await openCellLease({
      ...{ pool, name: 'a test', shards: undefined, signal, log },
      onLost: () => undefined,
    });
    const { ledger, close } = openPostgresLedger({ pool, cellId: lease.id, log });
    onTestFinished(async () => {
      await close();
      await lease.close();
      await store.close();
      await pool.end();
    });
    const { guildId, userId } = SAMPLE;
    expect(await createSettings(store).get(guildId)).toEqual(SAMPLE.settings);
    expect(await createServerDictionaries(store, log).entries(guildId)).toEqual(SAMPLE.dictionary);
    const members = createMemberSettings(store);
    for (const place of [guildId, undefined]) expect(await members.get({ userId, guildId: place })).toEqual(SAMPLE.own);
    expect(await createOptOuts(store).has(userId)).toBe(true);
    for (const [table, [key, value]] of Object.entries(SAMPLE.notices)) {
      expect(await store.table(table, z.unknown()).get(key), table).toEqual(value);
    }
    expect(await store.table('notes', note).get('4')).toEqual({ words: "it's \u0000 4 💬" });
    const ends = "SELECT count(*)::int FROM crier.entries WHERE key LIKE 'notes:%' AND expires_at IS NOT NULL";
    expect(await ask(ends)).toBe(5);
    const { day, millicredits, model } = SAMPLE.spent;
    expect(await ledger.used({ guildId, userId }, day, day)).toEqual({
      millicredits: SAMPLE.billedMillicredits + millicredits,
      cached: 1,
    });
    expect((await ledger.rates()).get(model)).toMatchObject(SAMPLE.rate);
    expect(await ledger.recover()).toEqual({ released: 0, lost: 1 });
  });

  it('goes on where it was interrupted', async () => {
    await fill(2_500);
    const stopping = new AbortController();
    const first: number[] = [];
    const interrupted = copyStore({
      ...{ from, to, signal: stopping.signal },
      onProgress(table, rows) {
        if (table === 'entries') first.push(rows);
        if (rows === 2_000) stopping.abort(new Error('Stopped'));
      },
    });
    await expect(interrupted).rejects.toThrow('Stopped');
    expect(await ask('SELECT count(*)::int FROM crier.entries')).toBe(1_000);
    const second: number[] = [];
    const copied = await copyStore({ from, to, onProgress: (table, rows) => table === 'entries' && second.push(rows) });
    expect([first, second[0]]).toEqual([[1_000, 2_000], 2_000]);
    expect(await ask('SELECT count(*)::int FROM crier.entries')).toBe(copied.get('entries'));
  });

  it('does not go on when the data has changed since', async () => {
    await fill(1_100);
    const stopping = new AbortController();
    const onProgress = (_: string, rows: number) => void (rows > 1_000 && stopping.abort(new Error('Stopped')));
    await expect(copyStore({ from, to, signal: stopping.signal, onProgress })).rejects.toThrow('Stopped');
    const store = openSqliteStore({ path: join(from, 'crier.sqlite'), log });
    await store.table('notes', note).set('1', { words: 'changed' });
    await store.close();
    await expect(copyStore({ from, to })).rejects.toThrow('the data has changed since: empty it first');
  });

  it('refuses a target that has data or a bot, a bot that runs, and a folder without data', async () => {
    await copyStore({ from, to });
    await expect(copyStore({ from, to })).rejects.toThrow('has data of a bot (entries): copy into an empty database');
    to = await server.createDatabase();
    await prepareDatabase(to);
    const pool = openPool({ url: to, log });
    const { signal } = new AbortController();
    const lease = await openCellLease({
      ...{ pool, name: 'host 1', shards: undefined, signal, log },
      onLost: () => undefined,
    });
    await expect(copyStore({ from, to })).rejects.toThrow('a bot uses the database of --to (host 1)');
    await lease.close();
    await pool.end();
    const lock = lockFolder(openDataFolder(from));
    await expect(copyStore({ from, to })).rejects.toThrow(
      /another Crier is running .+: end that one first, then copy$/,
    );
    lock.release();
    await expect(copyStore({ from: join(from, 'nothing'), to })).rejects.toThrow('has no data of a bot');
  });

  it('notices a row that is not as it was', async () => {
    await fill(20);
    await prepareDatabase(to);
    await ask(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.key = 'notes:7' THEN NEW.value := replace(NEW.value, '7', '8'); END IF; RETURN NEW; END $$`);
    await ask('CREATE TRIGGER spoil BEFORE INSERT ON crier.entries FOR EACH ROW EXECUTE FUNCTION spoil()');
    await expect(copyStore({ from, to })).rejects.toThrow('the copy differs from its source (entries)');
  });

  it('is a command that says what it did, and no password', async () => {
    const runWith = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
      const main = join(import.meta.dirname, '../../src/store/main.ts');
      const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
        cwd: from,
        env: { ...programEnv, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [stdout, stderr, [status]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close'),
      ]);
      return { status: status as number | null, stdout, stderr };
    };
    const run = (...args: string[]) => runWith({}, ...args);
    const done = await run('copy', '--from', `sqlite:${from}`, '--to', to.replace('crier@', 'crier:secret-word@'));
    expect(done).toMatchObject({ status: 0, stderr: '' });
    expect(done.stdout).toMatch(/Copied and compared, row by row: entries \d+, spending_days \d+/);
    expect(done.stdout).not.toContain('secret-word');
    expect(done.stdout).toContain(`${join(from, 'crier.sqlite')} is as it was`);
    // Named as they were given: the option, or the setting.
    const nobody = 'postgres://crier:secret-word@127.0.0.1:1/crier';
    const refused = async (attempt: ReturnType<typeof run>) => (await attempt).stderr;
    const unreachable = (name: string) =>
      expect.stringMatching(
        new RegExp(`^the database of ${name} cannot be used \\(.+\\): .+ with a database whose owner ${name} names\n$`),
      );
    expect(await refused(run('copy', '--from', `sqlite:${from}`, '--to', nobody))).toEqual(unreachable('--to'));
    const inSetting = runWith({ STORE_URL: nobody }, 'copy', '--from', `sqlite:${from}`);
    expect(await refused(inSetting)).toEqual(unreachable('STORE_URL'));
    expect(await refused(runWith({ STORE_URL: 'mysql://x/y' }, 'copy'))).toMatch(/^STORE_URL must be postgres:/);
    expect(await run('copy', '--from', `sqlite:${from}`, '--to', to)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^the database of --to has data of a bot[^\n]*\n$/),
    });
    expect(await run('copy', '--to', 'mysql://x/y')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/^--to must be postgres:[\s\S]+Usage:/),
    });
    expect(await run('move', '--to', to)).toMatchObject({ status: 2 });
    // It may name another folder, and another database.
    writeFileSync(join(from, '.env'), Buffer.from('DATA_DIR=elsewhere\n', 'utf16le'));
    expect(await run('copy', '--to', to)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^\.env is in UTF-16: save it as UTF-8/),
    });
    expect((await run('copy', '--from', `sqlite:${from}`, '--to', to)).stderr).toMatch(
      /^the database of --to has data/,
    );
  });
});
