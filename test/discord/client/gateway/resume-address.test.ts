import { Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { startWorld } from '../../../../src/playground/world/world.ts';
import { loggedIn } from '../../logged-in.ts';

it('a session whose address to resume at is gone is resumed at the common one (shards of others were stuck for good)', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const client = await loggedIn(world);
  const refused: string[] = [];
  client.on(Events.ShardError, ({ message }) => refused.push(message));
  const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
  world.faults.refuseResumes(true);
  world.faults.dropGateway();
  await resumed;
  expect(refused).toEqual(Array(3).fill('Unexpected server response: 503'));
  expect(world.bot).toMatchObject({ identifies: 1, resumes: 1, online: true });

  // The next time at its own address again, which may be back.
  world.faults.refuseResumes(false);
  const again = new Promise((resolve) => client.once(Events.ShardResume, resolve));
  world.faults.dropGateway();
  await again;
  expect(refused).toHaveLength(3);
});
