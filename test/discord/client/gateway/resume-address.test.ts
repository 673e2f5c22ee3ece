import { Events } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { createDiscordClient } from '../../../../src/discord/client/client.ts';
import { startWorld } from '../../../../src/playground/world/world.ts';

it('a session whose address to resume at is gone is resumed at the common one (shards of others were stuck for good)', async () => {
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
