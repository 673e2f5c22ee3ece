import { Client, Events } from 'discord.js';
import { expect, it } from 'vitest';
import { isHere, leaveToOthers, serversHere } from '../../../../src/discord/client/gateway/servers-elsewhere.ts';

it('hears nothing of servers for which another process speaks, from one moment to the next', async () => {
  const client = new Client({ intents: [] });
  let others: readonly (string | undefined)[] = ['1', undefined];
  leaveToOthers(client, (guildId) => others.includes(guildId));
  const heard: string[] = [];
  for (const event of [
    Events.InteractionCreate,
    Events.MessageCreate,
    Events.MessageUpdate,
    Events.VoiceStateUpdate,
    Events.GuildCreate,
    Events.GuildDelete,
    Events.GuildAvailable,
    Events.ShardResume,
  ])
    client.on(event as string, () => heard.push(event));
  const happen = (id: string | null) => {
    const [subject, guild] = [{ guildId: id }, { id }];
    client.emit(Events.InteractionCreate, subject as never);
    client.emit(Events.MessageCreate, subject as never);
    client.emit(Events.MessageUpdate, {} as never, subject as never);
    if (id === null) return;
    client.emit(Events.VoiceStateUpdate, { guild } as never, { guild } as never);
    for (const event of [Events.GuildCreate, Events.GuildDelete, Events.GuildAvailable] as const)
      client.emit(event, guild as never);
  };
  happen('1');
  happen(null);
  expect(heard).toEqual([]);
  client.emit(Events.ShardResume, 0, 0);
  happen('2');
  expect(heard).toHaveLength(8);
  others = [];
  happen('1');
  happen(null);
  expect(heard).toHaveLength(18);
  await client.destroy();
});

it('counts as its servers those for which it speaks', async () => {
  const client = new Client({ intents: [] });
  for (const id of ['1', '2']) client.guilds.cache.set(id, { id } as never);
  expect(serversHere(client)).toHaveLength(2);
  leaveToOthers(client, (guildId) => guildId === '1');
  expect(serversHere(client).map(({ id }) => id)).toEqual(['2']);
  expect([isHere(client, '1'), isHere(client, '2')]).toEqual([false, true]);
  await client.destroy();
});
