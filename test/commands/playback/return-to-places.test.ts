import { setImmediate as turn } from 'node:timers/promises';
import { type Client, Collection } from 'discord.js';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { returnToPlaces } from '../../../src/commands/playback/after-restart.ts';
import { servicesOf } from '../services.ts';

const log = pino({ level: 'silent' });

/** A bot in so many servers of one shard, in each of which somebody listens; its joins end when the test says so. */
function stage(servers: number) {
  const listener = { id: '7', channelId: '30', member: { user: { bot: false } } };
  const guild = {
    available: true,
    shardId: 0,
    members: { me: null },
    voiceStates: { cache: new Collection([['7', listener]]) },
    channels: { cache: new Collection([['30', { id: '30', isVoiceBased: () => true, guild: { members: {} } }]]) },
  };
  const guildIds = Array.from({ length: servers }, (_, index) => String(index));
  const client = { guilds: { cache: new Collection(guildIds.map((id) => [id, guild])) } };
  const joins: PromiseWithResolvers<void>[] = [];
  const speakers = {
    refusal: undefined,
    of: () => ({
      channelId: undefined,
      join() {
        const join = Promise.withResolvers<void>();
        joins.push(join);
        return join.promise;
      },
    }),
  };
  const returning = returnToPlaces(
    guildIds.map((guildId) => ({ guildId, channelId: '30', readsChat: false })),
    {
      client: client as unknown as Client<true>,
      services: servicesOf({ speakers, reading: {}, log }),
      allowed: undefined,
    },
  );
  return { joins, returning };
}

it('goes back into ten channels of a shard at a time, and none waits for a join that hangs or fails', async () => {
  const { joins, returning } = stage(14);
  expect(joins).toHaveLength(10);
  joins[1]?.reject(new Error('not joined'));
  joins[2]?.resolve();
  await turn();
  expect(joins).toHaveLength(12);
  for (const join of joins.slice(3)) join.resolve();
  await turn();
  expect(joins).toHaveLength(14);
  for (const join of joins) join.resolve();
  await returning;
});
