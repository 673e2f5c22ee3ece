import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createServerRules } from '../../../../src/services/servers/server-rules.ts';
import { createSettings } from '../../../../src/services/servers/server-settings.ts';
import { openPool, prepareDatabase } from '../../../../src/services/storage/postgres/connections.ts';
import { followEntryChanges } from '../../../../src/services/storage/postgres/entry-changes.ts';
import { openPostgresStore } from '../../../../src/services/storage/postgres/postgres-store.ts';
import { isPostgresMissing, type PostgresServer, startPostgres } from './postgres-server.ts';
import { startStallingProxy } from './stalling-proxy.ts';

const log = pino({ level: 'silent' });

describe.skipIf(isPostgresMissing)('what another process changes', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  let url: string;
  const closers: (() => unknown)[] = [];
  beforeEach(async () => {
    url = await server.createDatabase();
    await prepareDatabase(url);
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  function openProcess(everyMs = 200) {
    const pool = openPool({ url, log });
    const store = openPostgresStore({ url, pool, log });
    const book = createServerRules(createSettings(store), log);
    const seen: string[] = [];
    let missed = 0;
    const changes = followEntryChanges({
      ...{ url, log, everyMs },
      onChanged(table, key) {
        seen.push(`${table} ${key}`);
        if (table === 'server-settings') book.changedElsewhere(key);
      },
      onMissed() {
        missed += 1;
        book.changedElsewhere();
      },
    });
    closers.push(
      () => pool.end(),
      () => store.close(),
      () => changes.close(),
    );
    return { ...book, store, seen, missed: () => missed };
  }

  it('holds here within a second: a mute, and its end', async () => {
    const [one, other] = [openProcess(), openProcess()];
    await expect.poll(() => other.missed(), { timeout: 5_000 }).toBe(1);
    await other.rules.of('10');
    for (const mutedMembers of [['7'], undefined]) {
      await one.settings.change('10', () => ({ mutedMembers }));
      await expect.poll(() => other.rules.known('10').mutedMembers, { timeout: 1_000 }).toEqual(mutedMembers);
    }
  });

  it('is told by its table and its whole key, but for what concerns no other process', async () => {
    const { store, seen, missed } = openProcess();
    await expect.poll(missed, { timeout: 5_000 }).toBe(1);
    await store.check();
    await store.table('member-settings', z.string()).set('7 everywhere:x', 'words');
    await store.table('member-settings', z.string()).delete('7 everywhere:x');
    await expect.poll(() => seen).toEqual(['member-settings 7 everywhere:x', 'member-settings 7 everywhere:x']);
  });

  it('is read anew after the connection was lost, and again and again while there is none', async () => {
    const [one, other] = [openProcess(), openProcess()];
    await expect.poll(() => other.missed(), { timeout: 5_000 }).toBe(1);
    await other.rules.of('10');
    await server.kill();
    await expect.poll(() => other.missed(), { timeout: 5_000 }).toBeGreaterThan(2);
    await server.start();
    await expect
      .poll(() => one.settings.change('10', () => ({ mutedMembers: ['7'] })).then(Boolean, () => false), {
        timeout: 10_000,
      })
      .toBe(true);
    await expect.poll(() => other.rules.known('10').mutedMembers, { timeout: 5_000 }).toEqual(['7']);
  });

  it('is read anew where a connection stands still that has not ended', async () => {
    const { missed } = openProcess();
    await expect.poll(missed, { timeout: 5_000 }).toBe(1);
    server.pause();
    try {
      await expect.poll(missed, { timeout: 5_000 }).toBeGreaterThan(2);
    } finally {
      server.resume();
    }
  });

  it('is listened for over another connection when the server stands still as this one begins', async () => {
    const proxy = await startStallingProxy(url, 'LISTEN');
    let missed = 0;
    const changes = followEntryChanges({
      ...{ url: proxy.url, log, onChanged: () => undefined, everyMs: 10_000 },
      onMissed() {
        missed += 1;
      },
    });
    closers.push(() => changes.close());
    await expect.poll(() => missed, { timeout: 6_000 }).toBe(1);
    expect(proxy.hasStalled()).toBe(true);
  });
});
