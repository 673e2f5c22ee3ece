import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { answer, ask } from '../child.ts';
import { withDiscord } from '../discord.ts';
import { cpuOfMs } from '../machine.ts';
import { startProbedBot } from '../probed-bot.ts';
import { alternate, type Measured, type Row, type RowContext, type RowResult } from '../row.ts';
import { median } from '../stats.ts';

interface ManyServers {
  readonly readyMs: number;
  readonly startCpuMs: number;
  /** The share of a core, 0 to 1. */
  readonly idleCpu: number;
  /** MB resident, and MB of heap and buffers after a garbage collection. */
  readonly idle: { readonly rssMb: number; readonly heapMb: number };
  /** Like `idle`, with the bot in voice channels of some servers. */
  readonly joined: { readonly rssMb: number; readonly heapMb: number };
}

interface ManyServersRequest {
  readonly servers: number;
  readonly joined: number;
}

const MEMBERS = 100;
/** Discord's maximum of servers for a session. */
const SERVERS_A_SHARD = 2_500;
const READY_TIMEOUT_MS = 120_000;
/** The time after which memory that only the start needed is freed. */
const SETTLED_AFTER_MS = 8_000;
const IDLE_MS = 15_000;
const REPLY = { timeoutMs: 60_000 };

async function measure({ servers: count, joined }: ManyServersRequest): Promise<ManyServers> {
  const shards = Math.ceil(count / SERVERS_A_SHARD);
  const options = { apiMs: () => 0, world: { shards, sessionStarts: { maxConcurrency: shards } } };
  return withDiscord(options, async ({ world, folder, env }) => {
    // All known users become members of servers that are made later.
    while (world.members.length < MEMBERS) world.newMember(`member-${world.members.length}`);
    const servers = Array.from({ length: count }, (_, index) =>
      world.newServer(`Server ${index + 1}`, { settled: true }),
    );
    const fromMs = performance.now();
    const asDeployed = { NODE_COMPILE_CACHE: join(folder, 'compiled'), MALLOC_TRIM_THRESHOLD_: '131072' };
    const { bot, alive } = startProbedBot({ ...env, ...asDeployed });
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
    }
  });
}

const SERVERS = 10_000;
const JOINED = 100;
const RUNS = 2;
const TIMEOUT_MS = 240_000;

const startBot = (request: ManyServersRequest) => () =>
  ask<ManyServers>('./rows/13-servers.ts', request, { timeoutMs: TIMEOUT_MS });

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const servers = Math.max(100, Math.round(SERVERS * scale));
  const joined = Math.max(10, Math.round(JOINED * scale));
  const { many, one } = await alternate(Math.min(runs, RUNS), {
    many: startBot({ servers, joined }),
    one: startBot({ servers: 1, joined: 0 }),
  });
  const of = (bots: readonly ManyServers[], value: (bot: ManyServers) => number) => median(bots.map(value));
  const growthKb = (of_: (bot: ManyServers) => number) => ((of(many, of_) - of(one, of_)) * 1024) / servers;
  const idleKb = growthKb(({ idle }) => idle.heapMb);
  const residentKb = growthKb(({ idle }) => idle.rssMb);
  const joinedKb = of(many, (bot) => ((bot.joined.heapMb - bot.idle.heapMb) * 1024) / joined);
  const measured = (way: string, bots: readonly ManyServers[], text: string): Measured => ({
    way,
    text,
    runs: bots.map(({ idle, joined: after, ...rest }) => ({
      ...rest,
      idleRssMb: idle.rssMb,
      idleHeapMb: idle.heapMb,
      joinedRssMb: after.rssMb,
      joinedHeapMb: after.heapMb,
    })),
  });
  const common = (bots: readonly ManyServers[]) =>
    `ready after ${(of(bots, ({ readyMs }) => readyMs) / 1000).toFixed(1)} s (CPU ${of(bots, ({ startCpuMs }) => startCpuMs).toFixed(0)} ms), ` +
    `idle ${of(bots, ({ idle }) => idle.rssMb).toFixed(0)} MB and ${(of(bots, ({ idleCpu }) => idleCpu) * 100).toFixed(2)} % of a core`;
  return {
    verdict: 'not measured',
    ratios: [],
    ours: measured(
      'ours',
      many,
      `an idle server ${idleKb.toFixed(1)} kB of heap (${residentKb.toFixed(1)} kB resident), one whose channel it is in ${joinedKb.toFixed(0)} kB more; ${common(many)}`,
    ),
    peers: [measured('with one server', one, common(one))],
    notes: [
      `The real bot with a Discord on loopback: ${servers.toLocaleString('en')} servers of 100 members, 7 channels and 2 roles each, in one process with 2,500 servers a shard, against one server; after a collection, 8 s after it was ready; CPU over the next 15 s. Then it is asked into a channel of ${joined} of them. Discord tells a bot without the intent for members of those in voice channels only.`,
    ],
  };
}

export const row: Row = {
  number: 13,
  name: 'servers',
  figure: 'memory of a server, idle and joined; start and CPU with 10,000 servers',
  target: 'none: for docs/engineering/scale.md',
  run,
};

// The bot is a child of a separate process with Discord on loopback.
if (import.meta.main) await answer(measure);
