import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createOptOuts } from '../../../src/services/servers/opt-outs.ts';
import { createSettings } from '../../../src/services/servers/server-settings.ts';
import { openSqliteLedger } from '../../../src/services/spending/spending-ledger.ts';
import { inspectDatabase, MIGRATIONS, openDatabase } from '../../../src/services/storage/database.ts';
import { openSqliteStore } from '../../../src/services/storage/store.ts';
import { createServerDictionaries } from '../../../src/services/text/server-dictionaries.ts';
import { createMemberSettings } from '../../../src/services/voices/member-settings.ts';
import { SAMPLE } from './sample.ts';

const log = pino({ level: 'silent' });
const FOLDER = join(import.meta.dirname, 'stores');
/** By version; see CONTRIBUTING.md for how they are made. */
const STORES = readdirSync(FOLDER).sort(new Intl.Collator('en', { numeric: true }).compare);

const load = (path: string, name: string) => {
  const database = new DatabaseSync(path);
  database.exec(readFileSync(join(FOLDER, name), 'utf8'));
  database.close();
};

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-stores-'));
  path = join(folder, 'crier.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function expectEverything(): Promise<void> {
  const { guildId, userId } = SAMPLE;
  const store = openSqliteStore({ path, log });
  const { ledger, close } = openSqliteLedger(path);
  try {
    expect(await createSettings(store).get(guildId)).toEqual(SAMPLE.settings);
    expect(await createServerDictionaries(store, log).entries(guildId)).toEqual(SAMPLE.dictionary);
    const members = createMemberSettings(store);
    for (const place of [guildId, undefined]) expect(await members.get({ userId, guildId: place })).toEqual(SAMPLE.own);
    expect(await createOptOuts(store).has(userId)).toBe(true);
    for (const [table, [key, value]] of Object.entries(SAMPLE.notices)) {
      expect(await store.table(table, z.unknown()).get(key), table).toEqual(value);
    }
    const { day, millicredits, model } = SAMPLE.spent;
    expect(await ledger.used({ guildId, userId }, day, day)).toEqual({
      millicredits: SAMPLE.billedMillicredits + millicredits,
      cached: 1,
    });
    expect((await ledger.rates()).get(model)).toMatchObject(SAMPLE.rate);
    expect(await ledger.recover()).toEqual({ released: 0, lost: 1 });
  } finally {
    close();
    await store.close();
  }
  expect(inspectDatabase(path)).toEqual(new Map());
}

describe.each(STORES)('the store of %s', (name) => {
  it('loses nothing', async () => {
    load(path, name);
    await expectEverything();
  });
});

it('the newest store is read by this version also when the next one has upgraded it', async () => {
  load(path, STORES.at(-1) ?? '');
  const next = openDatabase(path, {
    migrations: [
      ...MIGRATIONS,
      "CREATE TABLE later (x TEXT) STRICT; ALTER TABLE entries ADD COLUMN later TEXT NOT NULL DEFAULT 'x'",
    ],
  });
  next.close();
  await expectEverything();
});

it('from one store to the next the tables are one version further at most', () => {
  const versions = STORES.map((name) =>
    Number(/user_version = (\d+)/.exec(readFileSync(join(FOLDER, name), 'utf8'))?.[1]),
  );
  for (const [index, version] of versions.entries()) {
    expect(version - (versions[index - 1] ?? version)).toBeLessThanOrEqual(1);
  }
  expect(MIGRATIONS.length - (versions.at(-1) ?? 0)).toBeLessThanOrEqual(1);
});
