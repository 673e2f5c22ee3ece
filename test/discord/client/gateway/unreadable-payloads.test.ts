import { Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { createDiscordClient } from '../../../../src/discord/client/client.ts';
import { startWorld } from '../../../../src/playground/world/world.ts';

it('events that cannot be read are reported and left out, and the next one is handled', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const { client } = createDiscordClient({
    apiUrl: new URL(world.botEnv.DISCORD_API_URL ?? ''),
    readsMessages: false,
  } as never);
  onTestFinished(() => client.destroy());
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(world.botEnv.DISCORD_TOKEN);
  await ready;
  const reported = new Promise<Error>((resolve) => client.once(Events.Error, resolve));
  expect(world.faults.distortEvent('GUILD_CREATE', () => null)).toBe(true);
  expect((await reported).message).toBe('A payload of the gateway could not be handled on shard 0');
  const joined = new Promise((resolve) => client.once(Events.GuildCreate, ({ name }) => resolve(name)));
  world.newServer('Next door');
  expect(await joined).toBe('Next door');
});
