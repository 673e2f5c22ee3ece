import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startWorld } from '../src/playground/world/world.ts';
import { answer } from './child.ts';
import { cpuOfMs } from './machine.ts';
import { startProbedBot } from './probed-bot.ts';
import { API_KEY, startSpeechApi } from './speech-api.ts';

// Run as a process of its own: Discord on loopback with many servers; the bot is its child.

/** Of one bot process. */
export interface ManyServers {
  readonly readyMs: number;
  /** From its start until it was ready. */
  readonly startCpuMs: number;
  /** Of one core, 0 to 1. */
  readonly idleCpu: number;
  /** Resident, and heap with buffers after a collection, MB. */
  readonly idle: { readonly rssMb: number; readonly heapMb: number };
  /** The same once it is in a channel of so many of them. */
  readonly joined: { readonly rssMb: number; readonly heapMb: number };
}

export interface ManyServersRequest {
  readonly servers: number;
  readonly joined: number;
}

const MEMBERS = 100;
/** Discord lets a session have no more servers. */
const SERVERS_A_SHARD = 2_500;
const READY_TIMEOUT_MS = 120_000;
/** What the start leaves behind is swept and collected. */
const SETTLED_AFTER_MS = 8_000;
const IDLE_MS = 15_000;
const REPLY = { timeoutMs: 60_000 };

async function run({ servers: count, joined }: ManyServersRequest): Promise<ManyServers> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-bench-servers-'));
  const shards = Math.ceil(count / SERVERS_A_SHARD);
  const api = await startSpeechApi({ apiMs: () => 0 });
  const world = await startWorld({ shards, sessionStarts: { maxConcurrency: shards } });
  // Whoever is known to this Discord is a member of all servers that are made later.
  while (world.members.length < MEMBERS) world.newMember(`member-${world.members.length}`);
  const servers = Array.from({ length: count }, (_, index) =>
    world.newServer(`Server ${index + 1}`, { settled: true }),
  );
  const fromMs = performance.now();
  const { bot, alive } = startProbedBot({
    ...world.botEnv,
    VOICE_API_URL: api.url,
    VOICE_API_KEY: API_KEY,
    DATA_DIR: join(folder, 'data'),
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
    MALLOC_TRIM_THRESHOLD_: '131072',
  });
  try {
    await bot.logged(({ msg }) => msg === 'Crier is ready', READY_TIMEOUT_MS);
    const readyMs = performance.now() - fromMs;
    const startCpuMs = cpuOfMs(bot.pid);
    await sleep(SETTLED_AFTER_MS);
    const before = cpuOfMs(bot.pid);
    await sleep(IDLE_MS);
    const idleCpu = (cpuOfMs(bot.pid) - before) / IDLE_MS;
    const idle = await alive();
    for (const server of servers.slice(0, joined)) {
      const member = server.member('alice');
      member.joins('General');
      await (await member.types('/join')).reply(REPLY);
    }
    await sleep(SETTLED_AFTER_MS);
    return { readyMs, startCpuMs, idleCpu, idle, joined: await alive() };
  } finally {
    await bot.stop();
    await world.close();
    api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await answer(run);
