// Prints the database of the bot as this version writes it: node test/services/storage/write-store.ts
import type { DatabaseSync } from 'node:sqlite';
import { pino } from 'pino';
import * as z from 'zod';
import { createOptOuts } from '../../../src/services/servers/opt-outs.ts';
import { createSettings } from '../../../src/services/servers/server-settings.ts';
import { createSqliteLedger } from '../../../src/services/spending/spending-ledger.ts';
import { createServerDictionaries } from '../../../src/services/text/server-dictionaries.ts';
import { createMemberSettings } from '../../../src/services/voices/member-settings.ts';
import { openMemoryStore } from './memory-store.ts';
import { SAMPLE } from './sample.ts';

const { store, database } = openMemoryStore();
const { guildId, userId, settings, dictionary, own, notices } = SAMPLE;
await createSettings(store).change(guildId, () => settings);
await createServerDictionaries(store, pino({ level: 'silent' })).change(guildId, () => dictionary);
await createMemberSettings(store).change({ userId, guildId }, () => own);
await createMemberSettings(store).change({ userId, guildId: undefined }, () => own);
await createOptOuts(store).set(userId, true);
for (const [table, [key, value]] of Object.entries(notices)) await store.table(table, z.unknown()).set(key, value);

const ledger = createSqliteLedger(database);
const entry = { ...SAMPLE.spent, guildId, userId };
const settled = await ledger.reserve(entry, []);
if (settled.made) await ledger.settle(settled.id, SAMPLE.billedMillicredits);
await ledger.reserve(entry, []);
await ledger.countCached(entry);
await ledger.keepRate(SAMPLE.spent.model, SAMPLE.rate);

process.stdout.write(dump(database));

function dump(source: DatabaseSync): string {
  const quoted = (value: unknown) => (typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value));
  const tables = source
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all();
  const rows = tables.flatMap(({ name }) =>
    source
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .map((row) => `INSERT INTO ${name} (${Object.keys(row)}) VALUES (${Object.values(row).map(quoted).join(', ')});`),
  );
  const version = source.prepare('PRAGMA user_version').get()?.user_version;
  return [...tables.map(({ sql }) => `${sql};`), ...rows, `PRAGMA user_version = ${version};`, ''].join('\n');
}
