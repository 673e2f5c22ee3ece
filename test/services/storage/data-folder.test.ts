import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { openDataFolder } from '../../../src/services/storage/data-folder.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let parent: string;
beforeEach(() => {
  parent = temporaryFolder();
});

const modeOf = (path: string) => statSync(path).mode & 0o777;

it('makes the folder for its owner alone', () => {
  const { path } = openDataFolder(join(parent, 'deep', 'data'));
  expect(modeOf(path)).toBe(0o700);
});

it('keeps a secret the same from its first use on, readable by its owner alone', () => {
  const made = openDataFolder(parent).secret('key', 'local_');
  expect(made).toMatch(/^local_[0-9a-f]{48}$/);
  expect(openDataFolder(parent).secret('key', 'local_')).toBe(made);
  expect(modeOf(join(parent, 'key'))).toBe(0o600);
  expect(existsSync(join(parent, 'key.new'))).toBe(false);
});

it('closes a secret to others that was copied here open, from a backup say', () => {
  writeFileSync(join(parent, 'key'), 'local_from-the-backup\n');
  chmodSync(join(parent, 'key'), 0o644);
  expect(openDataFolder(parent).secret('key', 'local_')).toBe('local_from-the-backup');
  expect(modeOf(join(parent, 'key'))).toBe(0o600);
});

it('names the setting when the folder cannot be one, and a file in it that cannot be used', () => {
  const file = join(parent, 'file');
  writeFileSync(file, '');
  expect(() => openDataFolder(file)).toThrow(`DATA_DIR is a file, not a folder: ${file}: it must be a folder`);
  expect(() => openDataFolder(join(file, 'deep', 'data'))).toThrow(`DATA_DIR lies below a file: ${file}: it must be`);
  mkdirSync(join(parent, 'crier.sqlite'));
  expect(() => openDataFolder(parent).privateFile('crier.sqlite')).toThrow(
    /crier\.sqlite cannot be used \(EISDIR\): it/,
  );
});

// Node's own recursive mkdir does not return there.
it.runIf(existsSync('/proc'))('names the setting where no folder can be made, not even by root', () => {
  expect(() => openDataFolder('/proc/foo')).toThrow(/^DATA_DIR cannot be created: \/proc\/foo \(ENOENT\): it must be/);
});

it('is locked by one bot at a time', () => {
  const lock = openDataFolder(parent).lock();
  expect(() => openDataFolder(parent).lock()).toThrow(/^another Crier is running with the data in .*: end that one/);
  lock.release();
  lock.release();
  openDataFolder(parent).lock().release();
});
