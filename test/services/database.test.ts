import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../src/services/database.ts';

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
  const database = openDatabase(join(folder, 'test.sqlite'), migrations);
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

it('an upgrade that fails half-way leaves the file as it was, for the version that wrote it', () => {
  opened([FIRST], insert);
  expect(() => opened([FIRST, SECOND, BROKEN], notes)).toThrow(/no_such_table/);
  expect(opened([FIRST], notes)).toEqual([{ words: 'hallo' }]);
});

it('a file from a newer version is left alone', () => {
  opened([FIRST, SECOND], insert);
  expect(() => opened([FIRST], notes)).toThrow(/newer version of Crier \(schema 2, this one knows 1\)/);
  expect(opened([FIRST, SECOND], notes)).toHaveLength(1);
});
