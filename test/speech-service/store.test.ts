import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createKeyStore, createLedger } from '../../src/speech-service/store/account.ts';
import { lockDataDir, openLedgerDatabase } from '../../src/speech-service/store/database.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { audit } from './audit.ts';
import { HELLO, instantEngine, runningService } from './running-service.ts';

async function openStore() {
  const db = openLedgerDatabase(temporaryFolder());
  onTestFinished(() => db.close());
  let nowMs = Date.UTC(2026, 0, 1, 12);
  const clock = { now: () => new Date(nowMs) };
  return {
    db,
    keys: () => createKeyStore(db, clock),
    ledger: createLedger(db, { ...clock, startingCredits: 10 }),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

describe('credits', () => {
  test('are exact under 200 concurrent requests, never below zero, and failures are refunded', async () => {
    let calls = 0;
    const before = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      if (++calls % 3 === 0) throw new Error('every third one fails');
    };
    const service = await runningService({ startingCredits: 500, engine: instantEngine({ before }) });
    const replies = await Promise.all(Array.from({ length: 200 }, () => service.speak(HELLO)));
    const good = replies.filter(({ status }) => status === 200);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 402, 500]));
    const { balance, topUps, settled, open } = audit(service.dataDir);
    expect({ settled, open }).toEqual({ settled: good.length * 5, open: 0 });
    expect([topUps - settled, service.ledger.account().creditsLeft]).toEqual([balance, balance]);
    expect(Math.min(...good.map(({ body }) => body.credits_remaining))).toBeGreaterThanOrEqual(0);
  });

  test('are given back when the client goes away before the answer', async () => {
    const reached = Promise.withResolvers<void>();
    const before = (signal: AbortSignal) => {
      reached.resolve();
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    const service = await runningService({ startingCredits: 100, engine: instantEngine({ before }) });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${service.key}` };
    const order = { method: 'POST', headers, body: JSON.stringify(HELLO), signal: leaving.signal };
    const answer = fetch(`${service.url}/api/v1/speech`, order);
    await reached.promise;
    expect(service.ledger.account().creditsLeft).toBe(95);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => service.ledger.charges(1)[0]?.state).toBe('refunded');
    expect(service.ledger.account().creditsLeft).toBe(100);
  });

  test('can be topped up by whole positive amounts only', async () => {
    const { ledger } = await openStore();
    for (const amount of [0, -1, 0.5, Number.NaN, 1e13]) expect(() => ledger.topUp(amount, 'x')).toThrow(RangeError);
    expect(ledger.topUp(10, 'x')).toBe(20);
    expect(ledger.lastTopUp()).toMatchObject({ type: 'topup', amount: 10 });
  });

  test('start with enough that a day at the full rate does not end in 402, survive a restart and are given once', async () => {
    const dataDir = temporaryFolder();
    const first = await runningService({ dataDir, engine: instantEngine() });
    const { creditsLeft, userId } = first.ledger.account();
    expect(creditsLeft).toBeGreaterThan(24 * 60 * 60 * 1_000);
    await first.speak(HELLO);
    await first.close();
    const second = await runningService({ dataDir, engine: instantEngine() });
    expect(second.ledger.account()).toMatchObject({ creditsLeft: creditsLeft - 5, userId });
    expect(second.apiKey).toBeUndefined();
  });

  test('are reserved, settled and given back once', async () => {
    const { ledger } = await openStore();
    const reserve = () => ledger.reserve({ requestId: 'same', keyId: null, amount: 4, model: 'm', voice: 'v' });
    expect(reserve()).toBe(true);
    expect(reserve).toThrow(/already/);
    expect(ledger.account().creditsLeft).toBe(6);
    for (let i = 0; i < 3; i += 1) ledger.close('same', 'refunded');
    expect(ledger.account().creditsLeft).toBe(10);
    expect(() => ledger.settle('same')).toThrow(/no open reservation/);
    // Another engine speaks it, and breaks off: it may have been billed.
    expect(reserve()).toBe(true);
    expect(ledger.settle('same')).toBe(6);
    ledger.close('same', 'lost');
    ledger.close('same', 'refunded');
    expect(ledger.charges(1)).toMatchObject([{ state: 'lost', amount: 4 }]);
    expect(ledger.account().creditsLeft).toBe(6);
  });

  test('are counted by day, without refunds', async () => {
    const { ledger, pass } = await openStore();
    const spend = (requestId: string) => ledger.reserve({ requestId, keyId: null, amount: 1, model: 'm', voice: 'v' });
    spend('old');
    pass(2 * 24 * 60 * 60_000);
    for (const requestId of ['a', 'b', 'refunded']) spend(requestId);
    ledger.close('refunded', 'refunded');
    pass(13 * 60 * 60_000);
    spend('c');
    const days = [
      { day: '2026-01-04', requests: 1, amount: 1 },
      { day: '2026-01-03', requests: 2, amount: 2 },
    ];
    expect(ledger.usageByDay(3)).toEqual(days);
    expect(ledger.usageByDay(4)).toEqual([...days, { day: '2026-01-01', requests: 1, amount: 1 }]);
    // A request whose first engine failed is spoken by another one, at another price.
    ledger.reserve({ requestId: 'refunded', keyId: null, amount: 5, model: 'm', voice: 'v' });
    expect(ledger.usageByDay(3)).toEqual([days[0], { day: '2026-01-03', requests: 3, amount: 7 }]);
  });

  test('are counted by day without holding up the audio of others, also with many charges', async () => {
    const { db, ledger } = await openStore();
    db.sqlite.exec(
      `WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
       INSERT INTO charges (request_id, state, amount, model, voice, created_at)
       SELECT i, 'settled', 1, 'm', 'v', '2026-01-01T10:00:00.000Z' FROM n`,
    );
    const tookMs = Array.from({ length: 5 }, () => {
      const startedAtMs = performance.now();
      expect(ledger.usageByDay(14)).toEqual([{ day: '2026-01-01', requests: 100_000, amount: 100_000 }]);
      return performance.now() - startedAtMs;
    });
    expect(Math.min(...tookMs)).toBeLessThan(5);
  });
});

describe('the store', () => {
  test('is readable by its owner only, and holds hashes of keys alone', async () => {
    const dataDir = join(temporaryFolder(), 'new');
    const service = await runningService({ dataDir, engine: instantEngine(), apiKey: 'a-key-from-the-environment' });
    const { secret } = service.keys.create('other');
    await service.speak(HELLO);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    for (const name of ['', '-wal', '-shm']) {
      const file = join(dataDir, `speech-service.sqlite${name}`);
      expect(existsSync(file)).toBe(true);
      expect(statSync(file).mode & 0o777, name).toBe(0o600);
    }
    await service.close();
    const file = readFileSync(join(dataDir, 'speech-service.sqlite'), 'latin1');
    expect(file).not.toContain(secret);
    expect(file).not.toContain('a-key-from-the-environment');
  });

  test('refuses one of another version', async () => {
    const dataDir = temporaryFolder();
    const db = openLedgerDatabase(dataDir);
    db.sqlite.exec('PRAGMA user_version = 999');
    db.close();
    expect(() => openLedgerDatabase(dataDir)).toThrow(/another version/);
  });

  test('of a release without the usage of each day gets it', async () => {
    const dataDir = temporaryFolder();
    const earlier = openLedgerDatabase(dataDir);
    const clock = { now: () => new Date(Date.UTC(2026, 0, 1)), startingCredits: 10 };
    const order = { requestId: 'earlier', keyId: null, amount: 4, model: 'm', voice: 'v' };
    createLedger(earlier, clock).reserve(order);
    earlier.sqlite.exec('DROP TRIGGER usage_charged; DROP TRIGGER usage_corrected; DROP TABLE usage');
    earlier.close();
    const db = openLedgerDatabase(dataDir);
    onTestFinished(() => db.close());
    const ledger = createLedger(db, clock);
    expect(ledger.usageByDay(1)).toEqual([{ day: '2026-01-01', requests: 1, amount: 4 }]);
    ledger.close('earlier', 'refunded');
    expect(ledger.usageByDay(1)).toEqual([]);
  });

  test('belongs to one running service', async () => {
    const service = await runningService({ engine: instantEngine() });
    expect(() => lockDataDir(service.dataDir)).toThrow(/already running/);
    await service.close();
    lockDataDir(service.dataDir).release();
  });
});

describe('a key', () => {
  test('tells its latest use, with a precision of a minute', async () => {
    const { keys: openKeys, pass } = await openStore();
    const keys = openKeys();
    const { secret } = keys.create('mine');
    const used = (laterMs: number) => {
      pass(laterMs);
      const key = keys.find(secret);
      if (key) keys.touch(key);
      return openKeys().list()[0]?.lastUsedAt;
    };
    expect(openKeys().list()[0]?.lastUsedAt).toBe(null);
    expect([used(0), used(40_000), used(40_000)]).toEqual([
      '2026-01-01T12:00:00.000Z',
      '2026-01-01T12:00:00.000Z',
      '2026-01-01T12:01:20.000Z',
    ]);
  });

  test('of the environment is valid, ends the one given before, and is valid again after it was revoked', async () => {
    const { keys: openKeys, ledger } = await openStore();
    const keys = openKeys();
    const laptop = keys.create('laptop').secret;
    const valid = () => ['key-one', 'key-two', laptop].filter((secret) => keys.find(secret));
    keys.adopt('key-one');
    const { id = '' } = keys.find('key-one') ?? {};
    ledger.reserve({ requestId: 'r', keyId: id, amount: 1, model: 'm', voice: 'v' });
    keys.adopt('key-two');
    expect(valid()).toEqual(['key-two', laptop]);
    keys.adopt('key-one');
    expect(valid()).toEqual(['key-one', laptop]);
    keys.revoke(id);
    expect(valid()).toEqual([laptop]);
    keys.adopt('key-one');
    // One that was made on the dashboard, too.
    keys.adopt(laptop);
    expect(valid()).toEqual([laptop]);
    keys.adopt('key-one');
    expect(valid()).toEqual(['key-one']);
  });
});
