import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createServerRules } from '../../../../src/services/servers/admission.ts';
import { createSettings } from '../../../../src/services/servers/server-settings.ts';
import { openPostgres } from '../../../../src/services/storage/postgres/connections.ts';
import { followEntryChanges } from '../../../../src/services/storage/postgres/entry-changes.ts';
import { createStore } from '../../../../src/services/storage/store.ts';
import { silentLog as log } from '../../../silent-log.ts';
import { isPostgresMissing } from './postgres-server.ts';
import { sharePostgres } from './shared-server.ts';
import { startStallingProxy } from './stalling-proxy.ts';

describe.skipIf(isPostgresMissing)('what another process changes', () => {
  const postgres = sharePostgres();

  /** One that listens. */
  async function openProcess() {
    const store = createStore({ sql: openPostgres({ url: postgres.url, holder: 1, log }), log });
    const book = createServerRules(createSettings(store), log);
    const seen: string[] = [];
    let missed = 0;
    const close = followEntryChanges({
      ...{ url: postgres.url, log, everyMs: 200 },
      onChanged(table, key) {
        seen.push(`${table} ${key}`);
        if (table === 'server-settings') book.changedElsewhere(key);
      },
      onMissed() {
        missed += 1;
        book.changedElsewhere();
      },
    });
    postgres.closeLater(store.close, close);
    await expect.poll(() => missed).toBe(1);
    return { rules: book, store, seen, missed: () => missed };
  }

  it('holds here within a second: a mute, and its end', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    await other.rules.of('10');
    for (const mutedMembers of [['7'], undefined]) {
      await one.rules.change('10', () => ({ mutedMembers }));
      await expect.poll(() => other.rules.known('10').mutedMembers).toEqual(mutedMembers);
    }
  });

  it('is told by its table and its whole key, but for what concerns no other process', async () => {
    const { store, seen } = await openProcess();
    await store.problem();
    await store.table('member-settings', z.string()).set('7 everywhere:x', 'words');
    await store.table('member-settings', z.string()).delete('7 everywhere:x');
    await expect.poll(() => seen).toEqual(['member-settings 7 everywhere:x', 'member-settings 7 everywhere:x']);
  });

  it('is read anew after the connection was lost, and again and again while there is none', async () => {
    const [one, other] = [await openProcess(), await openProcess()];
    await other.rules.of('10');
    await postgres.server.kill();
    await expect.poll(() => other.missed()).toBeGreaterThan(2);
    await postgres.server.start();
    await expect
      .poll(() => one.rules.change('10', () => ({ mutedMembers: ['7'] })).then(Boolean, () => false), {
        timeout: 10_000,
      })
      .toBe(true);
    await expect.poll(() => other.rules.known('10').mutedMembers).toEqual(['7']);
  });

  it('is read anew where a connection stands still that has not ended', async () => {
    const { missed } = await openProcess();
    postgres.server.pause();
    try {
      await expect.poll(missed).toBeGreaterThan(2);
    } finally {
      postgres.server.resume();
    }
  });

  it('is listened for over another connection when the server stands still as this one begins', async () => {
    const proxy = await startStallingProxy(postgres.url, 'LISTEN');
    const onMissed = vi.fn();
    const close = followEntryChanges({ url: proxy.url, log, onChanged: () => undefined, onMissed, everyMs: 10_000 });
    postgres.closeLater(close);
    await expect.poll(() => onMissed.mock.calls.length).toBe(1);
    expect(proxy.hasStalled()).toBe(true);
  });
});
