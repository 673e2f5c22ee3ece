import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDataFolder } from '../../../src/services/storage/data-folder.ts';
import { lockFolder } from '../../../src/services/storage/folder-lock.ts';

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'crier-lock-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

describe('the lock of the data folder', () => {
  it('is for one bot at a time', () => {
    const lock = lockFolder(openDataFolder(path));
    expect(() => lockFolder(openDataFolder(path))).toThrow(
      /^another Crier is running with the data in .*: end that one/,
    );
    lock.release();
    lock.release();
    lockFolder(openDataFolder(path)).release();
  });

  it('ends with the process, also with one that is killed', () => {
    const at = (file: string) => new URL(`../../../src/services/storage/${file}`, import.meta.url).href;
    const script = `
      import { openDataFolder } from '${at('data-folder.ts')}';
      import { lockFolder } from '${at('folder-lock.ts')}';
      lockFolder(openDataFolder(${JSON.stringify(path)}));
      process.kill(process.pid, 'SIGKILL');`;
    const { signal, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 20_000 });
    expect(signal, String(stderr)).toBe('SIGKILL');
    lockFolder(openDataFolder(path)).release();
  });
});
