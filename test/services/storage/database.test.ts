import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { OperatorError } from '../../../src/errors/operator-error.ts';
import { inspectDatabase, openDatabase } from '../../../src/services/storage/database.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-database-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('a new file gets its tables, and one that has them is used as it is', () => {
  const file = join(folder, 'test.sqlite');
  const first = openDatabase(file);
  first.exec("INSERT INTO entries (namespace, key, value) VALUES ('notes', 'a', '1')");
  first.close();
  const second = openDatabase(file);
  expect(second.prepare('SELECT key FROM entries').all()).toEqual([{ key: 'a' }]);
  second.close();
});

it('a file of another version is refused in words, and left as it is', () => {
  const file = join(folder, 'test.sqlite');
  const other = openDatabase(file);
  other.exec('PRAGMA user_version = 7');
  other.close();
  for (const look of [openDatabase, inspectDatabase]) {
    expect(() => look(file)).toThrow(/another version of Crier \(schema 7, this one reads 2\): install that version/);
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
