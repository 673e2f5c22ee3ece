import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cpuOfMs, residentMb } from '../../bench/machine.ts';
import type { Cell, Cluster } from './cluster.ts';
import { type Room, type Talk, talk } from './rooms.ts';

export const ROOMS_A_CELL = 3;
const IDLE_MS = 2_000;
const SPEAKING_MS = 8_000;
/** The time after which the bot has joined and its code is compiled. */
const WARM_AFTER_MS = 4_000;

export const serversOf = (cluster: Cluster, { index }: Cell) =>
  cluster.servers.filter((server) => cluster.cellOf(server) === index);

export const openRooms = (cluster: Cluster): Room[] =>
  cluster.cells.flatMap((cell) =>
    serversOf(cluster, cell)
      .slice(0, ROOMS_A_CELL)
      .map((server, at): Room => {
        const member = server.newMember(`member-${cell.index}-${at}`);
        return { cell: cell.index, server, member, isResting: false };
      }),
  );

/** Measures idle cells, then cells that speak. The rooms go on until the signal. */
export async function beginQuietly(cluster: Cluster, rooms: readonly Room[], seen: Talk, until: AbortSignal) {
  const idle = await taken(cluster, IDLE_MS);
  const talks = Promise.all(rooms.map((room) => talk(room, seen, until)));
  await sleep(WARM_AFTER_MS);
  const before = { transactions: await transactions(cluster), texts: seen.texts.length };
  const speaking = await taken(cluster, SPEAKING_MS);
  const made = (await transactions(cluster)) - before.transactions;
  // Renewals of leases in the same time are counted, too.
  const transactionsAText = made / Math.max(1, seen.texts.length - before.texts);
  return { quiet: { idle, speaking, transactionsAText }, talks };
}

/** The resources of each cell in this time: its share of a core, 0 to 1, and its memory in the end. */
async function taken({ cells }: Cluster, ms: number) {
  const before = cells.map(({ bot }) => cpuOfMs(bot.pid));
  await sleep(ms);
  return cells.map(({ bot }, at) => ({
    cpu: (cpuOfMs(bot.pid) - (before[at] ?? 0)) / ms,
    residentMb: residentMb(bot.pid),
  }));
}

async function transactions({ storeUrl }: Cluster): Promise<number> {
  const client = new pg.Client({ connectionString: storeUrl });
  await client.connect();
  const { rows } = await client.query(
    'SELECT xact_commit + xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
  );
  await client.end();
  return Number(rows[0].count);
}
