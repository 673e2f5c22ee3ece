import { expect, test } from 'vitest';
import { inVoice, serversOfBothShards, startScene, textOf } from './scene.ts';

test('the bot starts as many shards as Discord recommends, one after the other, and speaks in the servers of each', async () => {
  const { world } = await startScene({
    world: { shards: 2, strictIdentify: true, sessionStarts: { maxConcurrency: 1 } },
  });
  expect([world.bot.identifies, world.bot.refusedIdentifies]).toEqual([2, 0]);
  for (const server of serversOfBothShards(world)) {
    const alice = inVoice(server);
    const sent = await alice.types('/say text:Heard on every shard.');
    expect(await textOf(sent)).toContain('Spoken in');
    expect(alice.listener.heard().seconds).toBeGreaterThan(0.5);
  }
});
