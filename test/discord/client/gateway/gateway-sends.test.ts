import { Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { createDiscordClient } from '../../../../src/discord/client/client.ts';
import { startWorld } from '../../../../src/playground/world/world.ts';

it('a message that the gateway cannot take any more is reported, and ends no process', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const { client } = createDiscordClient({
    apiUrl: new URL(world.botEnv.DISCORD_API_URL ?? ''),
    readsMessages: false,
  } as never);
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(world.botEnv.DISCORD_TOKEN);
  await ready;
  const shard = client.ws.shards.first();
  await client.destroy();
  const warned = new Promise((resolve) => client.once(Events.Warn, resolve));
  shard?.send({ op: 4, d: { guild_id: world.guildId, channel_id: null, self_mute: false, self_deaf: true } });
  expect(await warned).toMatch(/A message to the gateway was lost: .+/);
});
