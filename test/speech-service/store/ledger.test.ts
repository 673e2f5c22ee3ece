import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Database,
  lockDataDir,
  openLedgerDatabase,
  SCHEMA_VERSION,
} from '../../../src/speech-service/store/database.ts';
import { createKeyStore, type KeyStore } from '../../../src/speech-service/store/keys.ts';
import { createLedger } from '../../../src/speech-service/store/ledger.ts';
import { audit } from '../audit.ts';
import { instantEngine, runningService, temporaryFolder } from '../running-service.ts';

const HELLO = { input: 'Hello', voice: 'aria', model: 'gpro' };

describe('credits', () => {
  test('are exact under 200 concurrent requests, never below zero, and failures are refunded', async () => {
    let calls = 0;
    const service = await runningService({
      startingCredits: 500,
      engine: instantEngine({
        before: async () => {
          await new Promise((resolve) => setImmediate(resolve));
          if (++calls % 3 === 0) throw new Error('every third one fails');
        },
      }),
    });
    const replies = await Promise.all(Array.from({ length: 200 }, () => service.speak(HELLO)));
    const good = replies.filter((reply) => reply.status === 200);
    const { balance, topUps, settled, open } = audit(service.dataDir);
    expect(replies.every((reply) => [200, 402, 500].includes(reply.status))).toBe(true);
    expect(replies.some((reply) => reply.status === 402)).toBe(true);
    expect(replies.some((reply) => reply.status === 500)).toBe(true);
    expect(settled).toBe(good.length * 5);
    expect(open).toBe(0);
    expect(balance).toBe(topUps - settled);
    expect(balance).toBe(service.ledger.account().creditsLeft);
    expect(Math.min(...good.map((reply) => reply.body.credits_remaining))).toBeGreaterThanOrEqual(0);
  });

  test('are exact when all 200 succeed', async () => {
    const service = await runningService({ startingCredits: 1_000, engine: instantEngine() });
    const replies = await Promise.all(Array.from({ length: 200 }, () => service.speak(HELLO)));
    expect(replies.map((reply) => reply.status)).toEqual(Array(200).fill(200));
    expect(audit(service.dataDir)).toMatchObject({ balance: 0, settled: 1_000, open: 0 });
    expect((await service.speak(HELLO)).status).toBe(402);
  });

  test('are given back when the client goes away before the answer', async () => {
    const reached = Promise.withResolvers<void>();
    const service = await runningService({
      startingCredits: 100,
      engine: instantEngine({
        before: (signal) => {
          reached.resolve();
          return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
        },
      }),
    });
    const leaving = new AbortController();
    const answer = fetch(`${service.url}/api/v1/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.key}` },
      body: JSON.stringify(HELLO),
      signal: leaving.signal,
    });
    await reached.promise;
    expect(service.ledger.account().creditsLeft).toBe(95);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => service.ledger.charges(1)[0]?.state).toBe('refunded');
    expect(service.ledger.account().creditsLeft).toBe(100);
  });

  test('can be topped up by whole positive amounts only', async () => {
    const service = await runningService({ engine: instantEngine(), startingCredits: 0 });
    for (const amount of [0, -1, 0.5, Number.NaN, 1e13])
      expect(() => service.ledger.topUp(amount, 'x')).toThrow(RangeError);
    expect(service.ledger.topUp(10, 'x')).toBe(10);
    expect(service.ledger.lastTopUp()).toMatchObject({ type: 'topup', amount: 10 });
  });

  test('start with enough that a day at the full rate does not end in 402', async () => {
    const service = await runningService({ engine: instantEngine() });
    expect(service.ledger.account().creditsLeft).toBeGreaterThan(24 * 60 * 60 * 1_000);
  });

  test('survive a restart, and the starting credits are given once', async () => {
    const dataDir = await temporaryFolder();
    const first = await runningService({ dataDir, engine: instantEngine(), startingCredits: 50 });
    await first.speak(HELLO);
    const userId = first.ledger.account().userId;
    await first.close();
    const second = await runningService({ dataDir, engine: instantEngine(), startingCredits: 50 });
    expect(second.ledger.account()).toMatchObject({ creditsLeft: 45, userId });
    expect(second.apiKey).toBeUndefined();
  });
});

describe('the store', () => {
  test('is readable by its owner only', async () => {
    const dataDir = join(await temporaryFolder(), 'new');
    const service = await runningService({ dataDir, engine: instantEngine() });
    await service.speak(HELLO);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    for (const name of ['', '-wal', '-shm']) {
      const file = join(dataDir, `speech-service.sqlite${name}`);
      expect(existsSync(file)).toBe(true);
      expect(statSync(file).mode & 0o777, name).toBe(0o600);
    }
  });

  test('holds no key that could be used, only hashes', async () => {
    const service = await runningService({ engine: instantEngine(), apiKey: 'a-key-from-the-environment' });
    const { secret } = service.keys.create('other');
    await service.close();
    const file = readFileSync(join(service.dataDir, 'speech-service.sqlite'), 'latin1');
    expect(file).not.toContain(secret);
    expect(file).not.toContain('a-key-from-the-environment');
  });

  test('has a schema version, and refuses another one', async () => {
    const dataDir = await temporaryFolder();
    const db = openLedgerDatabase(dataDir);
    expect(db.sqlite.prepare('PRAGMA user_version').get()).toEqual({ user_version: SCHEMA_VERSION });
    db.sqlite.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
    db.close();
    expect(() => openLedgerDatabase(dataDir)).toThrow(/another version/);
  });

  test('belongs to one running service', async () => {
    const service = await runningService({ engine: instantEngine() });
    expect(() => lockDataDir(service.dataDir)).toThrow(/already running/);
    await service.close();
    lockDataDir(service.dataDir).release();
  });

  test('rolls a transaction back as a whole', async () => {
    const db = openLedgerDatabase(await temporaryFolder());
    const clock = { now: () => new Date() };
    const keys = createKeyStore(db, clock);
    const ledger = createLedger(db, { ...clock, startingCredits: 10 });
    const { key } = keys.create('k');
    const reserve = () => ledger.reserve({ requestId: 'same', keyId: key.id, amount: 4, model: 'm', voice: 'v' });
    expect(reserve()).toBe(true);
    expect(reserve).toThrow(/already/);
    expect(ledger.account().creditsLeft).toBe(6);
    ledger.refund('same');
    ledger.refund('same');
    expect(ledger.account().creditsLeft).toBe(10);
    expect(() => ledger.settle('same')).toThrow(/no open reservation/);
    db.close();
  });
});

describe('a key given by the environment', () => {
  test('is valid, replaces the one given before, and is valid again after it was revoked', async () => {
    const dataDir = await temporaryFolder();
    const start = (apiKey: string) => runningService({ dataDir, apiKey, engine: instantEngine() });
    const status = async (service: Awaited<ReturnType<typeof start>>, key: string) =>
      (await service.call('GET', '/api/v1/models', { key })).status;
    const first = await start('key-one');
    expect(first.apiKey).toBeUndefined();
    expect(await status(first, 'key-one')).toBe(200);
    await first.close();
    const second = await start('key-two');
    expect(await status(second, 'key-one')).toBe(401);
    expect(await status(second, 'key-two')).toBe(200);
    expect(second.keys.list()).toHaveLength(1);
    second.keys.revoke(second.keys.list()[0]?.id ?? '');
    expect(await status(second, 'key-two')).toBe(401);
    await second.close();
    const third = await start('key-two');
    expect(await status(third, 'key-two')).toBe(200);
  });

  test.each([
    ['was made in the dashboard', (keys: KeyStore) => keys.create('laptop').secret],
    [
      'was given, used and revoked before',
      (keys: KeyStore, db: Database) => {
        keys.adopt('earlier');
        const { id = '' } = keys.find('earlier') ?? {};
        const ledger = createLedger(db, { now: () => new Date(), startingCredits: 10 });
        ledger.reserve({ requestId: 'r', keyId: id, amount: 1, model: 'm', voice: 'v' });
        keys.revoke(id);
        return 'earlier';
      },
    ],
  ])('ends the one given before, also when it %s, and back again', async (_how, made) => {
    const db = openLedgerDatabase(await temporaryFolder());
    onTestFinished(() => db.close());
    const keys = createKeyStore(db, { now: () => new Date() });
    const secret = made(keys, db);
    const valid = () => ['key-one', secret].filter((one) => keys.find(one)?.origin === 'environment');
    keys.adopt('key-one');
    keys.adopt(secret);
    expect(keys.find('key-one')).toBeUndefined();
    expect(valid()).toEqual([secret]);
    keys.adopt('key-one');
    expect(keys.find(secret)).toBeUndefined();
    expect(valid()).toEqual(['key-one']);
  });
});
