import { Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { followOwnMute } from '../../../src/discord/channels/own-mute.ts';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import { startWorld } from '../../../src/playground/world/world.ts';

it('a server that is told of with an outage, by its id alone, is known to the library as any other', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const { DISCORD_API_URL: api, DISCORD_TOKEN: token } = world.botEnv;
  const { client } = createDiscordClient({ token, apiUrl: new URL(api), readsMessages: false });
  onTestFinished(() => client.destroy());
  followOwnMute(client);
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(token);
  await ready;
  const told = new Promise((resolve, reject) => {
    client.once(Events.GuildCreate, ({ id, available }) => resolve({ id, available }));
    client.once(Events.Error, reject);
  });
  const id = '100000000000000077';
  world.faults.distortEvent('GUILD_CREATE', () => ({ id, unavailable: true }));
  expect(await told).toEqual({ id, available: false });
});
