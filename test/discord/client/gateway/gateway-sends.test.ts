import { Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { startWorld } from '../../../../src/playground/world/world.ts';
import { loggedIn } from '../../logged-in.ts';

it('a message that the gateway cannot take any more is reported, and ends no process', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const client = await loggedIn(world);
  const shard = client.ws.shards.first();
  await client.destroy();
  const warned = new Promise((resolve) => client.once(Events.Warn, resolve));
  shard?.send({ op: 4, d: { guild_id: world.guildId, channel_id: null, self_mute: false, self_deaf: true } });
  expect(await warned).toMatch(/A message to the gateway was lost: .+/);
});
