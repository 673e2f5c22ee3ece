import { ask } from '../child.ts';
import type { ManyServers, ManyServersRequest } from '../many-servers.ts';
import { alternate, type Measured, type Row, type RowContext, type RowResult } from '../row.ts';
import { median } from '../stats.ts';

const SERVERS = 10_000;
const JOINED = 100;
const RUNS = 2;
const TIMEOUT_MS = 240_000;

const startBot = (request: ManyServersRequest) => () =>
  ask<ManyServers>('./many-servers.ts', request, { timeoutMs: TIMEOUT_MS });

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
