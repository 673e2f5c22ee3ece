import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BotProcess, startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { startWorld, type WorldServer } from '../../src/playground/world/world.ts';
import { startSpeechService } from '../../src/speech-service/server.ts';
import { createToneEngine } from '../faults/tones.ts';
import { startPostgres } from '../services/storage/postgres/postgres-server.ts';

const KEY = 'scale-key-0123456789abcdef';
export const SHARDS_A_CELL = 2;
/** The number of buckets is half the number of shards: two cells share each bucket. */
const BUCKETS_A_SHARD = 1 / 2;
export const SESSION_STARTS = 120;
/** The session starts that the bot keeps in reserve. */
export const KEPT_BACK = 20;
const MAX_MADE_AT_ONCE = 20;
const READY_TIMEOUT_MS = 90_000;
/** Includes waiting for other shards' turns and for a lease to end. */
const STOP_TIMEOUT_MS = 80_000;

/** A bot process with its shards and folder; a new process may replace it. */
export interface Cell {
  readonly index: number;
  bot: BotProcess;
  dataDir: string;
}

/** A Discord, a speech service, a PostgreSQL, and the processes of a bot that share them. */
export type Cluster = Awaited<ReturnType<typeof openCluster>>;

export interface ClusterSize {
  readonly cells: number;
  /** The total of all cells. */
  readonly servers: number;
}

/** Resolves when all processes are ready. */
export async function openCluster({ cells: count, servers: serverCount }: ClusterSize, env: NodeJS.ProcessEnv) {
  const temporary = mkdtempSync(join(tmpdir(), 'crier-scale-'));
  const shards = count * SHARDS_A_CELL;
  /** How many times each text was synthesized. */
  const synthesized = new Map<string, number>();
  const tones = await createToneEngine();
  const [world, service, postgres] = await Promise.all([
    startWorld({
      shards,
      strictIdentify: true,
      sessionStarts: { total: SESSION_STARTS, maxConcurrency: Math.max(1, shards * BUCKETS_A_SHARD) },
    }),
    startSpeechService({
      dataDir: join(temporary, 'speech'),
      apiKey: KEY,
      requestsPerMinute: 100_000,
      dashboardPort: 'off',
      engine: {
        ...tones,
        synthesize(job, options) {
          synthesized.set(job.text, (synthesized.get(job.text) ?? 0) + 1);
          return tones.synthesize(job, options);
        },
      },
    }),
    startPostgres(),
  ]);
  const storeUrl = await postgres.createDatabase();
  const madeAtOnce = Math.max(1, Math.min(MAX_MADE_AT_ONCE, Math.floor(serverCount / 500)));
  const servers: WorldServer[] = [];
  while (servers.length < serverCount) {
    servers.push(world.newServer(`Server ${servers.length + 1}`, { settled: true }));
    // Servers made in the same millisecond are on the same shard.
    if (servers.length % madeAtOnce === 0) await sleep(1);
  }
  /** Errors in the logs of all current and earlier processes. */
  const errors: string[] = [];
  const running = new Set<BotProcess>();
  const fromMs = performance.now();
  let starts = 0;
  let readyMs = Number.NaN;
  let folders = 0;

  const newFolder = () => join(temporary, `folder-${folders++}`);

  function launch(index: number, dataDir: string): BotProcess {
    const first = index * SHARDS_A_CELL;
    const bot = startBotProcess({
      env: {
        ...world.botEnv,
        VOICE_API_URL: service.url,
        VOICE_API_KEY: KEY,
        DATA_DIR: dataDir,
        STORE_URL: storeUrl,
        SHARDS: `${first}-${first + SHARDS_A_CELL - 1}`,
        SHARD_COUNT: String(shards),
        LOG_LEVEL: 'info',
        ...env,
      },
      onLogLine: (line) => {
        if ((line.level ?? 50) >= 50) errors.push(String(line.msg));
      },
    });
    // The process would inherit its parent's priority.
    setPriority(bot.pid, 0);
    running.add(bot);
    const ended = () => running.delete(bot);
    bot.ended.then(ended, ended);
    starts += 1;
    return bot;
  }

  const cells = Array.from({ length: count }, (_, index): Cell => {
    const dataDir = newFolder();
    return { index, dataDir, bot: launch(index, dataDir) };
  });
  const isReady = (bot: BotProcess) => bot.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);

  const cluster = {
    world,
    service,
    postgres,
    storeUrl,
    cells,
    servers,
    errors,
    synthesized,
    newFolder,
    /** From the start of the first process until all processes were ready. */
    get readyMs() {
      return readyMs;
    },
    /** The expected number of IDENTIFYs of all starts so far. */
    get expectedIdentifies() {
      return starts * SHARDS_A_CELL;
    },
    /** https://discord.com/developers/docs/events/gateway#sharding */
    cellOf: ({ guildId }: WorldServer) => Math.floor(Number((BigInt(guildId) >> 22n) % BigInt(shards)) / SHARDS_A_CELL),
    /** Starts a process for the cell's shards; resolves when it is ready. Default folder: the cell's own. */
    async start(cell: Cell, { folder = cell.dataDir } = {}) {
      const fromMs = performance.now();
      cell.dataDir = folder;
      cell.bot = launch(cell.index, folder);
      await isReady(cell.bot);
      return performance.now() - fromMs;
    },
    /** Ends the process like a supervisor; resolves when it has ended. */
    async end({ bot }: Cell) {
      bot.signal('SIGTERM');
      const timer = setTimeout(() => bot.signal('SIGKILL'), STOP_TIMEOUT_MS);
      const { code } = await bot.ended;
      clearTimeout(timer);
      if (code !== 0) throw new Error(`A cell ended with ${code} after SIGTERM`);
    },
    async close() {
      await Promise.allSettled(
        [...running].map((bot) => {
          // A stopped process cannot receive the signal that ends it.
          bot.signal('SIGCONT');
          return bot.stop();
        }),
      );
      await world.close();
      await service.close();
      await postgres.stop();
      rmSync(temporary, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all(cells.map(({ bot }) => isReady(bot)));
    readyMs = performance.now() - fromMs;
    return cluster;
  } catch (error) {
    await cluster.close();
    throw error;
  }
}
