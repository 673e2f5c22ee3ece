import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { inspectDatabase, openDatabase } from '../../../src/services/storage/database.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

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
