import { setTimeout as sleep } from 'node:timers/promises';
import { type BotLogLine, startBotProcess } from '../../src/playground/demo/bot/bot-process.ts';
import { answer, ask } from '../child.ts';
import { withDiscord } from '../discord.ts';
import { cpuOfMs } from '../machine.ts';
import { alternate, type Measured, type Row } from '../row.ts';
import { median, medianOf } from '../stats.ts';

const PROBE = new URL('../memory-probe.ts', import.meta.url).href;
const MEMBERS = 100;
/** Discord's maximum of servers for a session. */
const SERVERS_A_SHARD = 2_500;
/** The time after which memory that only the start needed is freed. */
const SETTLED_AFTER_MS = 8_000;
const IDLE_MS = 15_000;

type ManyServers = Awaited<ReturnType<typeof measure>>;

interface ManyServersRequest {
  readonly servers: number;
  readonly joined: number;
}

/** Memory is in MB: resident, and of heap and buffers after a garbage collection. `idleCpu` is the share of a core. */
async function measure({ servers: count, joined }: ManyServersRequest) {
  const shards = Math.ceil(count / SERVERS_A_SHARD);
  const options = { apiMs: () => 0, world: { shards, sessionStarts: { maxConcurrency: shards } } };
  return withDiscord(options, async ({ world, env, deployed }) => {
    // All known users become members of servers that are made later.
    while (world.members.length < MEMBERS) world.newMember(`member-${world.members.length}`);
    const servers = Array.from({ length: count }, (_, index) =>
      world.newServer(`Server ${index + 1}`, { settled: true }),
    );
    const fromMs = performance.now();
    const bot = startBotProcess({ env: { ...env, ...deployed, NODE_OPTIONS: `--import ${PROBE}` } });
    const memory = async () => {
      const askedAtMs = performance.now();
      bot.signal('SIGUSR2');
      const isAnswer = ({ msg, takenAtMs = 0 }: BotLogLine) => msg === 'Memory' && takenAtMs > askedAtMs;
      const { rssMb, heapMb } = await bot.logged(isAnswer);
      return { rssMb: Number(rssMb), heapMb: Number(heapMb) };
    };
    try {
      await bot.logged(({ msg }) => msg === 'Crier is ready');
      const readyMs = performance.now() - fromMs;
      const startCpuMs = cpuOfMs(bot.pid);
      await sleep(SETTLED_AFTER_MS);
      const before = cpuOfMs(bot.pid);
      await sleep(IDLE_MS);
      const idleCpu = (cpuOfMs(bot.pid) - before) / IDLE_MS;
      const idle = await memory();
      for (const server of servers.slice(0, joined)) {
        const member = server.member('alice');
        member.joins('General');
        await (await member.types('/join')).reply();
      }
      await sleep(SETTLED_AFTER_MS);
      const after = await memory();
      return {
        readyMs,
        startCpuMs,
        idleCpu,
        idleRssMb: idle.rssMb,
        idleHeapMb: idle.heapMb,
        joinedRssMb: after.rssMb,
        joinedHeapMb: after.heapMb,
      };
    } finally {
      await bot.stop();
    }
  });
}

const SERVERS = 10_000;
const JOINED = 100;
const RUNS = 2;

const startBot = (request: ManyServersRequest) => () => ask<ManyServers>('./rows/13-servers.ts', request);

function measured(way: string, bots: readonly ManyServers[], remark = ''): Measured {
  const ready = `ready after ${(medianOf(bots, 'readyMs') / 1000).toFixed(1)} s (CPU ${medianOf(bots, 'startCpuMs').toFixed(0)} ms)`;
  const idle = `idle ${medianOf(bots, 'idleRssMb').toFixed(0)} MB and ${(medianOf(bots, 'idleCpu') * 100).toFixed(2)} % of a core`;
  return { way, text: `${remark}${ready}, ${idle}`, runs: bots };
}

export const row: Row = {
  number: 13,
  name: 'servers',
  figure: 'memory of a server, idle and joined; start and CPU with 10,000 servers',
  target: 'none: for docs/engineering/scale.md',
  async run({ runs, scale }) {
    const servers = Math.max(100, Math.round(SERVERS * scale));
    const joined = Math.max(10, Math.round(JOINED * scale));
    const { many, one } = await alternate(Math.min(runs, RUNS), {
      many: startBot({ servers, joined }),
      one: startBot({ servers: 1, joined: 0 }),
    });
    const growthKb = (field: keyof ManyServers) => ((medianOf(many, field) - medianOf(one, field)) * 1024) / servers;
    const joinedKb = (median(many.map((bot) => bot.joinedHeapMb - bot.idleHeapMb)) * 1024) / joined;
    const memory = `an idle server ${growthKb('idleHeapMb').toFixed(1)} kB of heap (${growthKb('idleRssMb').toFixed(1)} kB resident), one whose channel it is in ${joinedKb.toFixed(0)} kB more; `;
    return {
      verdict: 'not measured',
      ratios: [],
      ours: measured('ours', many, memory),
      peers: [measured('with one server', one)],
      notes: [
        `The real bot with a Discord on loopback: ${servers.toLocaleString('en')} servers of ${MEMBERS} members, 7 channels and 2 roles each, in one process with 2,500 servers a shard, against one server; after a collection, 8 s after it was ready; CPU over the next 15 s. Then it is asked into a channel of ${joined} of them. Discord tells a bot without the intent for members of those in voice channels only.`,
      ],
    };
  },
};

// The bot is a child of a separate process with Discord on loopback.
if (import.meta.main) await answer(measure);
