import { expect, test } from 'vitest';
import type { WorldServer } from '../../src/playground/world/world.ts';
import { inVoice, startScene, textOf } from './scene.ts';

/** https://discord.com/developers/docs/events/gateway#sharding */
const shardOf = ({ guildId }: WorldServer) => Number((BigInt(guildId) >> 22n) % 2n);

test('the bot starts as many shards as Discord recommends, one after the other, and speaks in the servers of each', async () => {
  const { world } = await startScene({
    world: { shards: 2, strictIdentify: true, sessionStarts: { maxConcurrency: 1 } },
  });
  expect([world.bot.identifies, world.bot.refusedIdentifies]).toEqual([2, 0]);
  const servers = new Map<number, WorldServer>();
  for (let n = 1; servers.size < 2; n += 1) {
    const server = world.newServer(`Server ${n}`);
    servers.set(shardOf(server), server);
  }
  for (const server of servers.values()) {
    const alice = inVoice(server);
    const sent = await alice.types('/say text:Heard on every shard.');
    expect(await textOf(sent)).toContain('Spoken in');
    expect(alice.listener.heard().seconds).toBeGreaterThan(0.5);
  }
});
