import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSharedCache } from '../../src/doctor/shared-cache.ts';
import { isValkeyMissing, startValkey, type ValkeyServer } from '../services/storage/valkey-server.ts';

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
});
