import { type Client, Events, GatewayDispatchEvents } from 'discord.js';
import { expect, it, onTestFinished } from 'vitest';
import { createDiscordClient } from '../../../../src/discord/client/client.ts';
import { startWorld } from '../../../../src/playground/world/world.ts';

/** The bot's own client on a Discord of its own, which may begin its next session at once. */
async function connected() {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const next = world.newServer('Next door');
  const { DISCORD_API_URL: api, DISCORD_TOKEN: token } = world.botEnv;
  const { client } = createDiscordClient({ token, apiUrl: new URL(api), readsMessages: false });
  onTestFinished(() => client.destroy());
  client.options.ws = { ...client.options.ws, buildIdentifyThrottler: () => ({ waitForIdentify: async () => {} }) };
  const ready = happens(client, Events.ClientReady);
  await client.login(token);
  await ready;
  return { world, next, client };
}

const happens = (client: Client, event: Events.ClientReady | Events.ShardReady) =>
  new Promise((resolve) => client.once(event as Events.ShardReady, resolve));

it('a server that removed the bot while its session was lost is left, with all that is known of it', async () => {
  const { world, next, client } = await connected();
  const removed: string[] = [];
  client.on(Events.GuildDelete, ({ id }) => removed.push(id));
  const channelId = next.channel('General').id;
  expect(client.channels.cache.has(channelId)).toBe(true);

  const back = happens(client, Events.ShardReady);
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
