import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Person } from '../../src/playground/world/world.ts';
import { createSettings } from '../../src/services/servers/server-settings.ts';
import { openPostgres } from '../../src/services/storage/postgres/connections.ts';
import { createStore } from '../../src/services/storage/store.ts';
import { STARTING_CREDITS } from '../../src/speech-service/server.ts';
import { silentLog } from '../silent-log.ts';
import { type Cell, type Cluster, type ClusterSize, openCluster } from './cluster.ts';
import { countsOf, ended, MEMBER_LIMIT, raceForLimit } from './limits.ts';
import { beginQuietly, openRooms, ROOMS_A_CELL, serversOf } from './quiet.ts';
import type { Room, Talk } from './rooms.ts';

/** The time after which texts that a trial delayed have an end. Later effects are seen at the end. */
const AFTERMATH_MS = 4_000;
const SETTING_HOLDS_MS = 1_000;
const LAST_TEXTS_TIMEOUT_MS = 120_000;

/** What was seen in all trials, for the report. */
export type Trials = Awaited<ReturnType<typeof runTrials>>;

export async function runTrials(size: ClusterSize) {
  const cluster = await openCluster(size, { SPENDING_PER_MEMBER_PER_DAY: String(MEMBER_LIMIT) });
  const over = new AbortController();
  const database = new pg.Client({ connectionString: cluster.storeUrl });
  // Each crash of PostgreSQL ends the connection.
  database.on('error', () => undefined);
  try {
    const rooms = openRooms(cluster);
    const say = (words: string) => console.error(`${(performance.now() / 1_000).toFixed(0)} s: ${words}`);
    say(`${cluster.cells.length} cells are ready`);
    const seen: Talk = { texts: [], phase: 'quiet', open: new Set() };
    const { quiet, talks } = await beginQuietly(cluster, rooms, seen, over.signal);

    const begin = (phase: string) => {
      seen.phase = phase;
      say(phase);
    };
    begin('a setting changed');
    const settings = await changeSetting(cluster);
    begin('PostgreSQL restarted');
    await cluster.postgres.restart();
    await sleep(AFTERMATH_MS);
    begin('a cell killed, another one paused');
    // In parallel, because both wait for a lease to end.
    const [killedReadyMs, paused] = await Promise.all([
      kill(cluster, cluster.cells[0] as Cell),
      pause(cluster, cluster.cells[1] as Cell, rooms),
    ]);
    await sleep(AFTERMATH_MS);
    begin('rolling restart');
    /** For each cell, the time from its end until it was ready again. */
    const restartsMs: number[] = [];
    for (const cell of cluster.cells) {
      await cluster.end(cell);
      restartsMs.push(await cluster.start(cell));
    }
    await sleep(AFTERMATH_MS);
    begin('a limit used up');
    const race = await raceForLimit(cluster, (cell) => serversOf(cluster, cell).slice(ROOMS_A_CELL));
    over.abort();
    const timer = setTimeout(() => say(`${seen.open.size} texts have no end yet`), LAST_TEXTS_TIMEOUT_MS);
    await talks;
    clearTimeout(timer);
    await sleep(AFTERMATH_MS);
    const { world } = cluster;
    const remaining = await sessionStartsLeft(world.botEnv);
    await database.connect();
    return {
      texts: seen.texts,
      readyMs: cluster.readyMs,
      quiet,
      settings,
      killedReadyMs,
      paused,
      restartsMs,
      race,
      identifies: {
        begun: world.bot.identifies,
        expected: cluster.expectedIdentifies,
        refused: world.bot.refusedIdentifies,
        remaining,
      },
      money: { ...(await countedIn(database)), ...billedBy(cluster) },
      errors: countsOf(cluster.errors),
    };
  } finally {
    over.abort();
    await database.end().catch(() => undefined);
    await cluster.close();
  }
}

/** Mutes bob in a server of each cell from another process, after each cell has read that server's settings. */
async function changeSetting(cluster: Cluster) {
  const { cells, storeUrl } = cluster;
  const servers = cells.map((cell) => serversOf(cluster, cell).at(-1) as Cluster['servers'][number]);
  const log = silentLog;
  const store = createStore({ sql: openPostgres({ url: storeUrl, holder: 0, log }), log });
  const bobs = servers.map((server) => server.member('bob'));
  const ask = async (words: string) =>
    ended(await Promise.all(bobs.map((bob, at) => bob.types(`/say text:Alpha of 2 tones, bob ${words} ${at}.`))));
  try {
    for (const bob of bobs) bob.joins('General');
    const before = await ask('before');
    const settings = createSettings(store);
    await Promise.all(
      servers.map(({ guildId }, at) => settings.change(guildId, () => ({ mutedMembers: [(bobs[at] as Person).id] }))),
    );
    await sleep(SETTING_HOLDS_MS);
    const after = await ask('after');
    const held = after.filter(
      ({ told }, at) => before[at]?.end === 'spoken' && told.some((text) => /muted/.test(text)),
    );
    return { cells: cells.length, held: held.length };
  } finally {
    for (const bob of bobs) bob.leaves();
    await store.close();
  }
}

/**
 * Kills the process, like the kernel without memory, and starts it at once, like a supervisor. Resolves with the time
 * until it is ready.
 */
async function kill(cluster: Cluster, cell: Cell): Promise<number> {
  cell.bot.signal('SIGKILL');
  await cell.bot.ended;
  return cluster.start(cell);
}

/**
 * Stops the process in the middle of a text while another process takes over with another folder. Once continued, the
 * process must stay silent. At the end the cell runs in its own folder again.
 */
async function pause(cluster: Cluster, cell: Cell, rooms: readonly Room[]) {
  const own = rooms.filter((room) => room.cell === cell.index);
  const listeners = own.map(({ member }) => member.listener);
  await (listeners[0] as (typeof listeners)[number]).audible(10);
  for (const room of own) room.isResting = true;
  const { bot, dataDir } = cell;
  bot.signal('SIGSTOP');
  const ssrcs = new Set(listeners.flatMap((listener) => listener.heard().packets.map(({ ssrc }) => ssrc)));
  const successorMs = await cluster.start(cell, { folder: cluster.newFolder() });
  const goesOnAtMs = performance.now();
  bot.signal('SIGCONT');
  const after = new Set<string>();
  let code: number | null | undefined;
  bot.ended.then((end) => {
    code = end.code;
  });
  while (performance.now() < goesOnAtMs + AFTERMATH_MS) {
    for (const listener of listeners)
      for (const { ssrc, sequence, atMs, audible } of listener.heard().packets)
        if (audible && atMs > goesOnAtMs && ssrcs.has(ssrc)) after.add(`${ssrc} ${sequence}`);
    await sleep(50);
  }
  for (const room of own) room.isResting = false;
  // A process that lives on would disturb the following trials.
  if (code === undefined) bot.signal('SIGKILL');
  await bot.ended;
  await cluster.end(cell);
  await cluster.start(cell, { folder: dataDir });
  return { successorMs, packetsAfter: after.size, code: code ?? null };
}

async function sessionStartsLeft({ DISCORD_TOKEN, DISCORD_API_URL }: Cluster['world']['botEnv']) {
  const answer = await fetch(`${DISCORD_API_URL}/v10/gateway/bot`, {
    headers: { authorization: `Bot ${DISCORD_TOKEN}` },
    signal: AbortSignal.timeout(30_000),
  });
  return ((await answer.json()) as { session_start_limit: { remaining: number } }).session_start_limit.remaining;
}

const inCredits = (millicredits: unknown) => Number(millicredits) / 1_000;

/** `unknown`: credits counted for requests whose bill is not known. `leaked`: reservations without an open request. */
async function countedIn(database: pg.Client) {
  const { rows } = await database.query(`SELECT
    (SELECT sum(millicredits) FROM crier.spending_days WHERE guild_id = '' AND user_id = '') AS counted,
    (SELECT coalesce(sum(millicredits), 0) FROM crier.spending_reservations WHERE state = 'unknown') AS unknown,
    (SELECT count(*) FROM crier.spending_reservations WHERE state = 'reserved') AS leaked`);
  const { counted, unknown, leaked } = rows[0];
  return { counted: inCredits(counted), unknown: inCredits(unknown), leaked: Number(leaked) };
}

function billedBy({ service, synthesized }: Cluster) {
  const again = [...synthesized.values()].reduce((sum, times) => sum + times - 1, 0);
  // A text may be synthesized again if its cell was gone before the answer; such requests are refunded.
  const refunded = service.ledger.charges(100_000).filter(({ state }) => state === 'refunded').length;
  return {
    billed: STARTING_CREDITS - service.ledger.account().creditsLeft,
    paidTwice: Math.max(0, again - refunded),
  };
}
