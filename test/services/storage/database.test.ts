import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OperatorError } from '../../../src/errors/operator-error.ts';
import { MIGRATIONS, openDatabase } from '../../../src/services/storage/database.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-database-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const FIRST = 'CREATE TABLE notes (words TEXT NOT NULL) STRICT';
const SECOND = "ALTER TABLE notes ADD COLUMN language TEXT NOT NULL DEFAULT 'en'";
const THIRD = "UPDATE notes SET language = 'de' WHERE words = 'hallo'";
const BROKEN = 'ALTER TABLE no_such_table ADD COLUMN x TEXT';

/** Opens the file with these migrations, looks, and closes it. */
function opened<Result>(migrations: readonly string[], look: (database: DatabaseSync) => Result): Result {
  const database = openDatabase(join(folder, 'test.sqlite'), { migrations });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

const insert = (database: DatabaseSync) => database.exec("INSERT INTO notes (words) VALUES ('hallo')");
const notes = (database: DatabaseSync) =>
  database
    .prepare('SELECT * FROM notes')
    .all()
    .map((row) => ({ ...row }));

it('an older file is upgraded over several versions, with what was in it, and only once', () => {
  opened([FIRST], insert);
  expect(opened([FIRST, SECOND, THIRD], notes)).toEqual([{ words: 'hallo', language: 'de' }]);
  expect(opened([FIRST, SECOND, THIRD], notes)).toEqual([{ words: 'hallo', language: 'de' }]);
});

it('what an earlier version deleted and left in the file is gone at the next start, which nothing keeps from opening it', () => {
  opened([FIRST], (database) => {
    database.exec('PRAGMA secure_delete = OFF; PRAGMA application_id = 0');
    for (let n = 0; n < 200; n++) database.exec(`INSERT INTO notes (words) VALUES ('Zaphodbeeble ${n}')`);
    insert(database);
    database.exec("DELETE FROM notes WHERE words LIKE 'Z%'");
  });
  const content = () => readFileSync(join(folder, 'test.sqlite'), 'latin1');
  expect(content()).toContain('Zaphodbeeble');
  const reader = new DatabaseSync(join(folder, 'test.sqlite'));
  reader.exec('BEGIN; SELECT * FROM notes');
  const remains: unknown[] = [];
  openDatabase(join(folder, 'test.sqlite'), { migrations: [FIRST], onRemains: (error) => remains.push(error) }).close();
  expect(remains).toHaveLength(1);
  reader.close();
  expect(opened([FIRST], notes)).toEqual([{ words: 'hallo' }]);
  expect(content()).not.toContain('Zaphodbeeble');
});

it('an upgrade that fails half-way leaves the file as it was, for the version that wrote it', () => {
  opened([FIRST], insert);
  expect(() => opened([FIRST, SECOND, BROKEN], notes)).toThrow(/no_such_table/);
  expect(opened([FIRST], notes)).toEqual([{ words: 'hallo' }]);
});

it('a file of the next version is used as it is, and is of that version still when it comes back', () => {
  opened([FIRST, SECOND], insert);
  opened([FIRST], insert);
  expect(opened([FIRST, SECOND], notes)).toEqual([
    { words: 'hallo', language: 'en' },
    { words: 'hallo', language: 'en' },
  ]);
});

it('a file from a version further on is left alone', () => {
  opened([FIRST, SECOND, THIRD], insert);
  expect(() => opened([FIRST], notes)).toThrow(/newer version of Crier \(schema 3, this one reads up to 2\)/);
  expect(opened([FIRST, SECOND, THIRD], notes)).toHaveLength(1);
});

it('each version of the tables only adds to the one before, which can use them, too', () => {
  for (const version of MIGRATIONS.keys()) {
    const [before, after] = [version, version + 1].map((count) => {
      const database = openDatabase(':memory:', { migrations: MIGRATIONS.slice(0, count) });
      const columns = database
        .prepare(
          `SELECT t.name AS "table", c.name, c.type, c."notnull", c.dflt_value AS preset, c.pk
           FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY 1, c.cid`,
        )
        .all()
        .map((row) => ({ ...row }));
      database.close();
      return columns;
    });
    expect(after).toEqual(expect.arrayContaining(before ?? []));
    const tables = new Set(before?.map(({ table }) => table));
    const added = after?.filter((column) => !before?.some((old) => isDeepStrictEqual(old, column))) ?? [];
    const required = added.filter(({ table, notnull, preset }) => tables.has(table) && notnull && preset === null);
    expect(required, 'columns that the version before would have to fill').toEqual([]);
  }
});

it('a file that is no database is named, with what to do, and left as it is', () => {
  const file = join(folder, 'test.sqlite');
  writeFileSync(file, 'rubbish '.repeat(999));
  expect(() => openDatabase(file)).toThrow(OperatorError);
  expect(() => openDatabase(file)).toThrow(
    `${file} is damaged, or is no database of Crier's (file is not a database): move it away, and the bot starts with empty settings; or put a backup in its place`,
  );
  expect(readFileSync(file, 'utf8')).toBe('rubbish '.repeat(999));
  expect(readdirSync(folder)).toEqual(['test.sqlite']);
});

it('a file that cannot be opened is named, with what it must be', () => {
  const file = join(folder, 'test.sqlite');
  mkdirSync(file);
  expect(() => openDatabase(file)).toThrow(`${file} cannot be used (unable to open database file): this account must`);
});
