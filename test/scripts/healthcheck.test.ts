import { spawnSync } from 'node:child_process';
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeCheckout } from './checkout.ts';

function check(heartbeat?: { pid: number | string; ageS: number }) {
  const checkout = makeCheckout();
  if (heartbeat !== undefined) {
    checkout.write('store/heartbeat', `${heartbeat.pid}\n`);
    const at = Date.now() / 1000 - heartbeat.ageS;
    utimesSync(join(checkout.folder, 'store', 'heartbeat'), at, at);
  }
  return checkout.run('healthcheck.mjs', { env: { DATA_DIR: join(checkout.folder, 'store') } });
}

describe('the health check of the image', () => {
  test('is content with a fresh heartbeat of a process that lives', () => {
    expect(check({ pid: process.pid, ageS: 20 })).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  const gone = spawnSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).stdout.trim();
  test.each([
    ['is older than a minute: the event loop hangs', process.pid, 75, /^the last heartbeat is 7[5-9] s old$/m],
    ['is of a process that is gone', gone, 1, `process ${gone} is gone`],
    ['holds no number of a process', 'crier', 1, ''],
    ['is that of a process group', '-1', 1, ''],
  ])('fails on a heartbeat that %s', (_, pid, ageS, words) => {
    const { status, stderr } = check({ pid, ageS });
    expect(status).toBe(1);
    expect(stderr).toMatch(words);
  });
});
