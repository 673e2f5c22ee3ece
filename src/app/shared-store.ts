import { hostname } from 'node:os';
import { ShardClientUtil } from 'discord.js';
import { openCellLease } from '../services/cells/cell-lease.ts';
import { createIdentifyTurns } from '../services/cells/identify-turns.ts';
import { createForgottenMembers, createLeftPlaces, type Ownership } from '../services/cells/ownership.ts';
import { openPool, openPostgres, passwordsOf, prepareDatabase } from '../services/storage/postgres/connections.ts';
import { followEntryChanges } from '../services/storage/postgres/entry-changes.ts';
import { createStore } from '../services/storage/store.ts';
import type { Startup } from './startup.ts';

/** An idle connection for change notifications may be dead without notice, so it is tested. */
const PROBE_EVERY_MS = 10_000;

/** By table, reloads what this process has in memory of it: one key, or everything. */
type Reloads = Readonly<Record<string, (key?: string) => unknown>>;

export type StorageBackend = Awaited<ReturnType<typeof openSharedStore>>;

/** Opens the PostgreSQL database and takes the lease: this process's exclusive right to speak for its Discord shards. */
export async function openSharedStore(
  { config, log, conceal, closeLater, stopping, onLeaseLost, metrics }: Startup,
  url: string,
) {
  for (const password of passwordsOf(url)) conceal(password);
  await prepareDatabase(url);
  // The lease has its own connection to PostgreSQL, so that slow queries do not delay the lease's renewal.
  const leasePool = openPool({ url, log, connections: 1 });
  closeLater('the connection for the lease', () => leasePool.end());
  const lease = await openCellLease({
    pool: leasePool,
    name: `${hostname()}, process ${process.pid}`,
    shards: config.shards,
    onLost: onLeaseLost,
    signal: stopping,
    log,
  });
  closeLater('the lease on the shards', lease.close, { keepsData: true });
  log.info({ leaseId: lease.id, shards: config.shards ?? 'all' }, 'Leased these shards: no other process can run them');
  const sql = openPostgres({ url, holder: lease.id, log });
  const store = createStore({ sql, log, onFailure: metrics.storeFailed });
  closeLater('the store', store.close, { keepsData: true });
  const forgotten = createForgottenMembers(store, log);
  const { shards } = config;
  function owns(guildId?: string): boolean {
    if (!shards || guildId === undefined) return lease.holds();
    const shard = ShardClientUtil.shardIdForGuildId(guildId, shards.count);
    return lease.holds() && shard >= shards.first && shard <= shards.last;
  }
  const ownership: Ownership = {
    owns,
    isShared: true,
    takeIdentifyTurn: createIdentifyTurns({ url, log }),
    forgotten,
    ending: lease.ending,
    ...createLeftPlaces(store, owns),
  };
  return {
    sql,
    store,
    ownership,
    /** Reloads what another process changes in the store, because this process may have it in memory. */
    followChanges(reloads: Reloads): void {
      const all: Reloads = { ...reloads, 'forgotten-members': forgotten.changedElsewhere };
      const close = followEntryChanges({
        url,
        log,
        everyMs: PROBE_EVERY_MS,
        onChanged: (table, key) => void all[table]?.(key),
        onMissed() {
          for (const reload of Object.values(all)) reload();
        },
      });
      closeLater('the notifications by other processes', close);
    },
  };
}
