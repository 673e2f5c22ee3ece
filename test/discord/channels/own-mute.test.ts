import { Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { followOwnMute } from '../../../src/discord/channels/own-mute.ts';
import { startWorld } from '../../../src/playground/world/world.ts';
import { loggedIn } from '../logged-in.ts';

it('a server that is told of with an outage, by its id alone, is known to the library as any other', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const client = await loggedIn(world, followOwnMute);
  const told = new Promise((resolve, reject) => {
    client.once(Events.GuildCreate, ({ id, available }) => resolve({ id, available }));
    client.once(Events.Error, reject);
  });
  const id = '100000000000000077';
  world.faults.distortEvent('GUILD_CREATE', () => ({ id, unavailable: true }));
  expect(await told).toEqual({ id, available: false });
});
