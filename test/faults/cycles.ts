import { setTimeout as sleep } from 'node:timers/promises';
import type { Person, WorldServer } from '../../src/playground/world/world.ts';
import { type Lane, openLane } from './lane.ts';

const CYCLES = 1_000;
/** Discord allows a shard 100 joins and leaves a minute. */
const SHARDS = 14;
const CALLERS = 12;
const ANSWER_TIMEOUT_MS = 90_000;
/** Closing connections takes a moment, and idle connections stay open for some seconds. */
const SETTLE_MS = 8_000;
/** The tolerated difference: REST connections and cache timers come and go. */
const MAY_DIFFER = 8;

interface Resources {
  readonly active: Readonly<Record<string, number>>;
  readonly descriptors: number;
}

export interface CyclesSeen {
  readonly cycles: number;
  readonly seconds: number;
  readonly before: Resources;
  readonly after: Resources;
  readonly problems: readonly string[];
}

/** Lets the bot join and leave a thousand times, and compares its process's open handles before and after. */
export async function runCycles(cycles = CYCLES): Promise<CyclesSeen> {
  const startedAtMs = performance.now();
  const probe = new URL('./resource-probe.ts', import.meta.url).href;
  const lane = await openLane(
    { shards: SHARDS, sessionStarts: { maxConcurrency: SHARDS } },
    { asProcess: true, env: { NODE_OPTIONS: `--import ${probe}` } },
  );
  try {
    const servers = await serversOnShards(lane);
    for (const server of servers) server.member('alice').joins('General');
    await Promise.all(servers.map((server) => joinAndLeave(server)));
    const before = await resources(lane);
    let left = cycles;
    const turns = async (server: WorldServer) => {
      for (let turn = 0; left > 0; turn += 1) {
        left -= 1;
        await joinAndLeave(server, turn);
      }
    };
    await Promise.all(servers.map(turns));
    const after = await resources(lane);
    const seconds = (performance.now() - startedAtMs) / 1_000;
    return { cycles, seconds, before, after, problems: leftOvers(before, after) };
  } finally {
    await lane.close();
  }
}

/** Ids contain the time in ms above their last 22 bits: a later server is on another shard. */
async function serversOnShards({ world }: Lane): Promise<readonly WorldServer[]> {
  const servers = new Map<number, WorldServer>();
  while (servers.size < SHARDS) {
    const server = world.newServer('Next door');
    const shard = Number((BigInt(server.guildId) >> 22n) % BigInt(SHARDS));
    if (!servers.has(shard)) servers.set(shard, server);
    await sleep(1);
  }
  return [...servers.values()];
}

async function joinAndLeave(server: WorldServer, turn = 0): Promise<void> {
  const alice = server.member('alice');
  await callerOf(server, turn).types('/join channel:General');
  await server.channel('General').hasBot(true, { timeoutMs: ANSWER_TIMEOUT_MS });
  await alice.listener.ready({ timeoutMs: ANSWER_TIMEOUT_MS });
  await alice.types('/leave');
  await server.channel('General').hasBot(false, { timeoutMs: ANSWER_TIMEOUT_MS });
}

/** A member may ask the bot to join three times in 10 s. */
function callerOf(server: WorldServer, turn: number): Person {
  const name = `caller${turn % CALLERS}`;
  try {
    return server.member(name);
  } catch {
    return server.newMember(name);
  }
}

async function resources({ bot }: Lane): Promise<Resources> {
  await sleep(SETTLE_MS);
  const known = bot.log.filter(({ msg }) => msg === 'Resources').length;
  bot.signal('SIGUSR2');
  const isNew = () => bot.log.filter(({ msg }) => msg === 'Resources').length > known;
  for (let waitedMs = 0; !isNew() && waitedMs < 10_000; waitedMs += 50) await sleep(50);
  const line = bot.log.findLast(({ msg }) => msg === 'Resources');
  if (!line) throw new Error('The bot did not tell its resources');
  return line as unknown as Resources;
}

function leftOvers(before: Resources, after: Resources): string[] {
  const problems = Object.entries(after.active)
    .filter(([kind, count]) => count - (before.active[kind] ?? 0) > MAY_DIFFER)
    .map(([kind, count]) => `${count - (before.active[kind] ?? 0)} of ${kind} left`);
  const descriptors = after.descriptors - before.descriptors;
  if (descriptors > MAY_DIFFER) problems.push(`${descriptors} descriptors left`);
  const udp = (after.active.UDPWrap ?? 0) - (before.active.UDPWrap ?? 0);
  if (udp > 0) problems.push(`${udp} UDP sockets left`);
  return problems;
}
