import { Events } from 'discord.js';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import { startWorld } from '../../../src/playground/world/world.ts';
import { loggedIn } from '../logged-in.ts';

it('members outside of voice are swept from the cache, however many wrote something or used the bot', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
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
  // As before for whoever hears the bot.
  expect(guild?.voiceStates.cache.get(bob.id)?.member?.user.bot).toBe(false);
  expect(sweepers.intervals.threads).not.toBeNull();
});

it('writes nothing to Discord once another process answers for its servers', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  const { DISCORD_API_URL: api, DISCORD_TOKEN: token } = world.botEnv;
  let mayAct = true;
  const { client } = createDiscordClient(
    { token, apiUrl: new URL(api), readsMessages: false },
    { mayAct: () => mayAct },
  );
  onTestFinished(() => client.destroy());
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(token);
  await ready;
  await expect(client.application?.fetch()).resolves.toBeDefined();
  mayAct = false;
  await expect(client.application?.fetch()).rejects.toThrow('Another process answers');
});

it('has the shards that it is given, and no others', async () => {
  const world = await startWorld({ shards: 4 });
  onTestFinished(() => world.close());
  const { DISCORD_API_URL: api, DISCORD_TOKEN: token } = world.botEnv;
  // Our settings, which discord.js reads as well, and understands otherwise.
  vi.stubEnv('SHARDS', '1-2');
  vi.stubEnv('SHARD_COUNT', '4');
  const { client } = createDiscordClient(
    { token, apiUrl: new URL(api), readsMessages: false },
    { shards: { first: 1, last: 2, count: 4 } },
  );
  onTestFinished(() => client.destroy());
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(token);
  await ready;
  expect([...client.ws.shards.keys()]).toEqual([1, 2]);
  expect(client.options.shardCount).toBe(4);
});

it('what discord.js keeps about the requests of each reply is gone after a minute', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { DISCORD_API_URL: api, DISCORD_TOKEN: token } = world.botEnv;
  const { rest } = createDiscordClient({ token, apiUrl: new URL(api), readsMessages: false }).client;
  rest.setToken(token);
  await rest.get('/users/@me');
  expect(rest.handlers.size).toBe(1);
  vi.advanceTimersByTime(60_000);
  expect(rest.handlers.size).toBe(0);
});
