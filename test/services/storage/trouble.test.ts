import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { StoreError } from '../../../src/errors/user-errors.ts';
import { createServerRules } from '../../../src/services/servers/admission.ts';
import { createSettings } from '../../../src/services/servers/server-settings.ts';
import { openDatabase, sqlOf } from '../../../src/services/storage/database.ts';
import { createStore } from '../../../src/services/storage/store.ts';
import { silentLog as log, writtenLog } from '../../silent-log.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { spendingOver } from '../spending/open-spending.ts';

const PAGE_BYTES = 4096;
const ALICE = { guildId: '10', userId: 'alice' };
const A_TEXT = { ...ALICE, characters: 10, model: 'gpro', toFollow: [] };
/** More than fits into the pages there are. */
const LONG = 'x'.repeat(20_000);

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder();
  file = join(folder, 'crier.sqlite');
});

const notes = z.object({ words: z.string() });

async function open() {
  const database = openDatabase(file, log);
  const sql = sqlOf(database);
  const store = createStore({ sql, log });
  const spending = await spendingOver(sql);
  const table = store.table('notes', notes);
  await table.set('a', { words: 'kept' });
  await (await spending.reserve(A_TEXT)).settle({ creditsUsed: 10 });
  const used = async () => (await spending.overview(ALICE)).member.today.credits;
  return {
    ...{ database, store, table, spending, used },
    async close() {
      await spending.close();
      await store.close();
    },
  };
}

/** Makes the trouble; the returned function takes it away. */
type Trouble = (database: DatabaseSync) => () => void;

function switched(on: string, off: string): Trouble {
  return (database) => {
    database.exec(on);
    return () => database.exec(off);
  };
}

const TROUBLES: Readonly<Record<string, readonly [problem: string, Trouble]>> = {
  'a locked file': [
    'another program holds its file',
    () => {
      const other = new DatabaseSync(file);
      other.exec('BEGIN EXCLUSIVE');
      return () => {
        other.exec('ROLLBACK');
        other.close();
      };
    },
  ],
  // The lowest that it takes is the number of pages there are.
  'a full disk': ['the disk is full', switched('PRAGMA max_page_count = 1', 'PRAGMA max_page_count = 1000000')],
  'a file that is read-only': [
    'its file is read-only, or was found damaged at the start',
    switched('PRAGMA query_only = ON', 'PRAGMA query_only = OFF'),
  ],
};

describe.each(Object.entries(TROUBLES))('%s', (name, [problem, begin]) => {
  it('refuses changes, shows what is stored, lets nothing be paid for, and leaves all whole', async () => {
    const opened = await open();
    const { store, table, spending, used } = opened;
    const underWay = await spending.reserve(A_TEXT);
    const end = begin(opened.database);
    let settled: Promise<void> | undefined;
    const refusal: unknown = await table.set('a', { words: LONG }).catch((reason: unknown) => reason);
    expect(refusal).toBeInstanceOf(StoreError);
    expect(await table.get('a')).toEqual({ words: 'kept' });
    expect(await used()).toBe(20);
    if (name === 'a full disk') {
      expect((refusal as Error).cause).toMatchObject({ message: 'database or disk is full' });
      // A row fits into a page that is there, and is counted then.
      const many = Array.from({ length: 500 }, (_, index) => ({ ...A_TEXT, userId: `member ${index}` }));
      const refused = (await Promise.allSettled(many.map(spending.reserve))).filter(
        (attempt) => attempt.status === 'rejected' && attempt.reason instanceof StoreError,
      );
      expect(refused.length).toBeGreaterThan(100);
    } else {
      await expect(spending.reserve(A_TEXT)).rejects.toThrow(StoreError);
      settled = underWay.settle({ creditsUsed: 3 });
      expect(await used()).toBe(20);
      expect(await store.problem()).toBe(problem);
    }

    end();
    expect(await store.problem()).toBeUndefined();
    await table.set('a', { words: 'changed' });
    expect(await table.get('a')).toEqual({ words: 'changed' });
    await settled;
    if (name !== 'a full disk') expect(await used()).toBe(13);
    expect(opened.database.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    await opened.close();
  });
});

it('a locked file holds the event loop, and with it the sound of all servers, up for 20 ms at most', () => {
  const database = openDatabase(file, log);
  expect(database.prepare('PRAGMA busy_timeout').get()).toEqual({ timeout: 20 });
  database.close();
});

/** Writes garbage over the root page of a table. */
function damage(table: string): void {
  const database = new DatabaseSync(file);
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(table);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0x5a), 0, PAGE_BYTES, (Number(row?.rootpage) - 1) * PAGE_BYTES);
  closeSync(descriptor);
}

it('a damaged database opens, says what to do, and is only read: nothing of what is left is overwritten', async () => {
  await (await open()).close();
  damage('spending_days');
  const { log: damageLog, lines } = writtenLog('warn');
  const sql = sqlOf(openDatabase(file, damageLog));
  const store = createStore({ sql, log });
  expect(JSON.stringify(lines)).toMatch(/is damaged.*put a backup in its place/);
  const table = store.table('notes', notes);
  expect(await table.get('a')).toEqual({ words: 'kept' });
  await expect(table.set('a', { words: 'changed' })).rejects.toThrow(StoreError);
  expect(await store.problem()).toContain('damaged');

  const spending = await spendingOver(sql);
  await expect(spending.reserve(A_TEXT)).rejects.toThrow(StoreError);
  await expect(spending.overview(ALICE)).rejects.toThrow(StoreError);
  await spending.close();
  await store.close();
});

it('a damaged database holds restrictions that cannot be read: nobody is admitted without them', async () => {
  await (await open()).close();
  damage('entries');
  const store = createStore({ sql: sqlOf(openDatabase(file, log)), log });
  const rules = createServerRules(createSettings(store), log);
  await expect(rules.of('10')).rejects.toThrow(StoreError);
  await store.close();
});

it('a database of this version opens while another program writes into it and while nothing can be written', async () => {
  await (await open()).close();
  const other = new DatabaseSync(file);
  other.exec('BEGIN EXCLUSIVE');
  const database = openDatabase(file, log);
  expect(database.prepare('SELECT key FROM entries').all()).toEqual([{ key: 'a' }]);
  database.close();
  other.close();
});
