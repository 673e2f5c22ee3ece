import { Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { startWorld } from '../../../../src/playground/world/world.ts';
import { loggedIn } from '../../logged-in.ts';

it('events that cannot be read are reported and left out, and the next one is handled', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const client = await loggedIn(world);
  const reported = new Promise<Error>((resolve) => client.once(Events.Error, resolve));
  expect(world.faults.distortEvent('GUILD_CREATE', () => null)).toBe(true);
  expect((await reported).message).toBe('A payload of the gateway could not be handled on shard 0');
  const joined = new Promise((resolve) => client.once(Events.GuildCreate, ({ name }) => resolve(name)));
  world.newServer('Next door');
  expect(await joined).toBe('Next door');
});
