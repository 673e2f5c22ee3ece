import { type Client, Events, type Guild } from 'discord.js';
import { expect, it, vi } from 'vitest';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import { discordOf, loggedIn, openWorld } from '../logged-in.ts';

it('members outside of voice are swept from the cache, however many wrote something or used the bot', async () => {
  const world = await openWorld();
  const client = await loggedIn(world);
  const [alice, bob] = [world.member('alice'), world.member('bob')];
  bob.joins('General');
  alice.joins('General');
  const left = new Promise((resolve) =>
    client.on(Events.VoiceStateUpdate, (_, { id, channelId }) => id === alice.id && channelId === null && resolve(id)),
  );
  alice.leaves();
  await left;
  const guild = client.guilds.cache.get(world.guildId);
  const botId = client.user?.id ?? '';
  const known = () =>
    [alice.id, bob.id, botId].map((id) => ({
      member: guild?.members.cache.has(id),
      isUser: client.users.cache.has(id),
      voiceState: guild?.voiceStates.cache.has(id),
    }));
  expect(known()[0]).toEqual({ member: true, isUser: true, voiceState: true });

  const { sweepers } = client;
  const { guildMembers, users, voiceStates } = sweepers.options;
  for (const each of [guildMembers, users, voiceStates]) expect(each?.interval).toBe(300);
  sweepers.sweepGuildMembers(guildMembers?.filter?.() as never);
  sweepers.sweepUsers(users?.filter?.() as never);
  sweepers.sweepVoiceStates(voiceStates?.filter?.() as never);
  expect(known()).toEqual([
    { member: false, isUser: false, voiceState: false },
    { member: true, isUser: false, voiceState: true },
    { member: true, isUser: true, voiceState: false },
  ]);
  expect(guild?.voiceStates.cache.get(bob.id)?.member?.user.bot).toBe(false);
  expect(sweepers.intervals.threads).not.toBeNull();
});

it('writes nothing to Discord once another process answers for its servers', async () => {
  let mayAct = true;
  const { application } = await loggedIn(await openWorld(), undefined, { mayAct: () => mayAct });
  await expect(application.fetch()).resolves.toBeDefined();
  mayAct = false;
  await expect(application.fetch()).rejects.toThrow('Another process answers');
});

it('has the shards that it is given, and no others', async () => {
  // Our settings, which discord.js reads as well, and understands otherwise.
  vi.stubEnv('SHARDS', '1-2');
  vi.stubEnv('SHARD_COUNT', '4');
  const world = await openWorld({ shards: 4 });
  const { ws, options } = await loggedIn(world, undefined, { shards: { first: 1, last: 2, count: 4 } });
  expect([[...ws.shards.keys()], options.shardCount]).toEqual([[1, 2], 4]);
});

it('what discord.js keeps about the requests of each reply is gone after a minute', async () => {
  const world = await openWorld();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { rest } = createDiscordClient(discordOf(world)).client;
  await rest.setToken(discordOf(world).token).get('/users/@me');
  expect(rest.handlers.size).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(rest.handlers.size).toBe(0);
});

const next = <Value>(client: Client, event: string, pick: (...given: never[]) => Value = () => undefined as Value) =>
  new Promise<Value>((resolve) => void client.once(event, (...given) => resolve(pick(...(given as never[])))));

it('a message that the gateway cannot take any more is reported, and ends no process', async () => {
  const world = await openWorld();
  const client = await loggedIn(world);
  const shard = client.ws.shards.first();
  await client.destroy();
  const warned = next(client, Events.Warn, (message: string) => message);
  shard?.send({ op: 4, d: { guild_id: world.guildId, channel_id: null, self_mute: false, self_deaf: true } });
  expect(await warned).toMatch(/A message to the gateway was lost: .+/);
});

it('events that cannot be read are reported and left out, and the next one is handled', async () => {
  const world = await openWorld();
  const client = await loggedIn(world);
  const reported = next(client, Events.Error, (error: Error) => error);
  expect(world.faults.distortEvent('GUILD_CREATE', () => null)).toBe(true);
  expect((await reported).message).toBe('A payload of the gateway could not be handled on shard 0');
  const joined = next(client, Events.GuildCreate, ({ name }: Guild) => name);
  world.newServer('Next door');
  expect(await joined).toBe('Next door');
});

it('goes on with its token after a 401 (discord.js forgets it), until it is logged out', async () => {
  const world = await openWorld();
  const client = await loggedIn(world);
  world.faults.rest({ path: /^\/applications/, answer: 401 });
  await expect(client.application?.fetch()).rejects.toThrow('401');
  await expect(client.application?.fetch()).resolves.toBeDefined();
  const { application } = client;
  await client.destroy();
  await expect(application?.fetch()).rejects.toThrow('Expected token');
});
