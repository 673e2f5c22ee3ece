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

  test('fails when the event loop has written nothing for more than a minute', () => {
    const { status, stderr } = check({ pid: process.pid, ageS: 75 });
    expect(status).toBe(1);
    expect(stderr).toMatch(/^the last heartbeat is 7[5-9] s old$/m);
  });

  test('fails when the process is gone, however fresh its last heartbeat', () => {
    const gone = spawnSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).stdout.trim();
    const { status, stderr } = check({ pid: gone, ageS: 1 });
    expect(status).toBe(1);
    expect(stderr).toContain(`process ${gone} is gone`);
  });

  test.each(['', 'crier', '-1'])('fails on a heartbeat that holds %j', (pid) => {
    expect(check({ pid, ageS: 1 }).status).toBe(1);
  });
});
