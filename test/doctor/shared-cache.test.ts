import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { checkSharedCache } from '../../src/doctor/shared-cache.ts';
import { freePort, isValkeyMissing, startValkey, type ValkeyServer } from '../services/storage/valkey-server.ts';

const { signal } = new AbortController();

test('the doctor names a cache that does not answer, and not its password: the bot runs without it', async () => {
  const finding = await checkSharedCache('redis://:secret-word@127.0.0.1:1', true, signal);
  expect(finding).toMatchObject({
    verdict: 'attention',
    found: expect.stringMatching(/^127\.0\.0\.1:1: .*ECONNREFUSED/),
  });
  expect(JSON.stringify(finding)).not.toContain('secret-word');
});

test('the doctor says that the local voice uses no shared cache', async () => {
  expect(await checkSharedCache('redis://127.0.0.1:1', false, signal)).toMatchObject({
    verdict: 'attention',
    found: '127.0.0.1:1, which is not used',
  });
});

describe.skipIf(isValkeyMissing)('the doctor on a Valkey', () => {
  let server: ValkeyServer;
  beforeAll(async () => {
    server = await startValkey();
  });
  afterAll(() => server.stop());

  const check = (url = server.url) => checkSharedCache(url, true, signal);

  test('says its version, and leaves nothing there', async () => {
    expect(await check()).toMatchObject({
      verdict: 'good',
      found: expect.stringMatching(/^(Valkey|Redis) \d+\.\d+\.\d+ at 127\.0\.0\.1:\d+$/),
    });
    expect(await server.ask('dbsize')).toBe(0);
  });

  test('finds a wrong password, and repeats none', async () => {
    const finding = await check(server.url.replace(/:[^:@]*@/, ':wrong-word@'));
    expect(finding).toMatchObject({ verdict: 'attention', found: expect.stringMatching(/WRONGPASS|NOAUTH/) });
    expect(JSON.stringify(finding)).not.toMatch(/wrong-word|cache-secret/);
  });

  test('finds a server without a limit, one that makes no room, and one that speaks no TLS', async () => {
    await server.ask('config', 'set', 'maxmemory', '0');
    expect(await check()).toMatchObject({ found: expect.stringMatching(/without a limit of memory$/) });
    await server.ask('config', 'set', 'maxmemory', '64mb', 'maxmemory-policy', 'noeviction');
    expect(await check()).toMatchObject({ found: expect.stringMatching(/which makes no room$/) });
    await server.ask('config', 'set', 'maxmemory-policy', 'allkeys-lru');
    expect(await check(server.url.replace('redis:', 'rediss:'))).toMatchObject({ verdict: 'attention' });
  });

  test('connects with TLS to one whose certificate NODE_EXTRA_CA_CERTS knows, and says how where it is unknown', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'crier-cache-tls-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    // Not the loopback Discord's, which other tests of this process may trust.
    const { private: key, cert } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
      keyType: 'ec',
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      ],
    });
    const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
    const port = await freePort();
    const certificate = ['tls-cert-file', files.cert, 'tls-key-file', files.key, 'tls-ca-cert-file', files.cert];
    await server.ask('config', 'set', ...certificate, 'tls-auth-clients', 'no', 'tls-port', port);
    const url = new URL(server.url.replace('redis:', 'rediss:'));
    url.port = String(port);
    const unknown = await check(url.href);
    expect(unknown).toMatchObject({ verdict: 'attention', found: expect.stringContaining('NODE_EXTRA_CA_CERTS') });
    expect(JSON.stringify(unknown)).not.toContain('cache-secret');
    // Node reads it at its start alone.
    const script = `
      import { checkSharedCache } from ${JSON.stringify(import.meta.resolve('../../src/doctor/shared-cache.ts'))};
      import { openCacheServer } from ${JSON.stringify(import.meta.resolve('../../src/services/storage/cache-server.ts'))};
      const { verdict } = await checkSharedCache(process.env.URL, true, new AbortController().signal);
      const cache = openCacheServer(process.env.URL);
      await new Promise((resolve, reject) => cache.once('ready', resolve).once('error', reject));
      await cache.set('crier:sound:test', 'kept', 'PX', 60_000);
      console.log(verdict, await cache.get('crier:sound:test'));
      cache.disconnect();`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
      env: { ...process.env, URL: url.href, NODE_EXTRA_CA_CERTS: files.cert },
    });
    expect(stdout.trim()).toBe('good kept');
    expect(await server.stored('crier:sound:test')).toEqual(Buffer.from('kept'));
    await server.ask('del', 'crier:sound:test');
  });
});
