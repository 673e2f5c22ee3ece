import { Events, GatewayDispatchEvents } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { startWorld } from '../../../src/playground/world/world.ts';
import { loggedIn } from '../logged-in.ts';

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

it('goes on with its token after a 401 (discord.js forgets it), until it is logged out', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const client = await loggedIn(world);
  world.faults.rest({ path: /^\/applications/, status: 401 });
  await expect(client.application?.fetch()).rejects.toThrow('401');
  await expect(client.application?.fetch()).resolves.toBeDefined();
  const { application } = client;
  await client.destroy();
  await expect(application?.fetch()).rejects.toThrow('Expected token');
});

/** The bot's own client, which may begin its next session at once. */
async function connected() {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const next = world.newServer('Next door');
  const client = await loggedIn(world, ({ options }) => {
    options.ws = { ...options.ws, buildIdentifyThrottler: () => ({ waitForIdentify: async () => {} }) };
  });
  return { world, next, client };
}

it('a server that removed the bot while its session was lost is left, with all that is known of it', async () => {
  const { world, next, client } = await connected();
  const removed: string[] = [];
  client.on(Events.GuildDelete, ({ id }) => removed.push(id));
  const channelId = next.channel('General').id;
  expect(client.channels.cache.has(channelId)).toBe(true);

  const back = new Promise((resolve) => client.once(Events.ShardReady, resolve));
  world.faults.invalidateSession({ resumable: false });
  next.removeBot();
  await back;
  expect(removed).toEqual([next.guildId]);
  expect([...client.guilds.cache.keys()]).toEqual([world.guildId]);
  expect(client.channels.cache.has(channelId)).toBe(false);
  expect(world.bot.identifies).toBe(2);
});

it('servers of other shards, and those with an outage, are not left', async () => {
  const { world, next, client } = await connected();
  const removed: string[] = [];
  client.on(Events.GuildDelete, ({ id }) => removed.push(id));
  const elsewhere = client.guilds.cache.get(next.guildId);
  if (elsewhere) elsewhere.shardId = 1;

  const back = new Promise((resolve) => client.ws.once(GatewayDispatchEvents.Ready, resolve));
  world.faults.invalidateSession({ resumable: false });
  next.removeBot();
  world.outage();
  await back;
  expect(removed).toEqual([]);
  expect(client.guilds.cache.size).toBe(2);
});
