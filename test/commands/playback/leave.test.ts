import { Collection, PermissionsBitField } from 'discord.js';
import { expect, it } from 'vitest';
import type { CommandCall } from '../../../src/commands/framework/command.ts';
import { leave } from '../../../src/commands/playback/join.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import type { Stop } from '../../../src/services/playback/guild-speaker-types.ts';
import type { QueueItem } from '../../../src/services/queue/queue-item.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/server-rules.ts';
import { text } from '../../../src/texts/catalog.ts';
import { itemOf, orderOf } from '../../services/queue/items.ts';
import { servicesOf } from '../services.ts';

/** bob, without rights, sends the bot away; `waiting` may fill meanwhile. */
function asked(channelId?: string) {
  const waiting: QueueItem[] = [];
  const left: string[] = [];
  const stops: Stop[] = [];
  const speaker = {
    channelId,
    stopWhatComes: (stop: Stop) => stops.push(stop),
    queue: () => ({ isPaused: false, current: waiting[0], waiting: waiting.slice(1), recent: [] }),
    leave: async (byUserId: string) => void left.push(byUserId),
  };
  const call = {
    interaction: {
      inCachedGuild: () => true,
      ...{ guildId: '9', channelId: '8', channel: null, client: {}, user: { id: 'bob' } },
      member: { roles: { cache: new Collection() }, permissions: new PermissionsBitField(), voice: {} },
      memberPermissions: new PermissionsBitField(),
      guild: { voiceStates: { cache: new Map([['ann', { channelId: 'hall' }]]) } },
    },
    services: servicesOf({
      speakers: { of: () => speaker },
      settings: { known: () => DEFAULT_RULES },
      unspoken: { left: () => [] },
    }),
  } as unknown as CommandCall;
  return { call: { ...call, askedAtMs: 5 }, waiting, left, stops };
}

it('sends the bot away where nobody else’s text waits', async () => {
  const { call, left, stops } = asked('hall');
  const work = await leave.begin(call);
  if (typeof work === 'function') await work(() => undefined);
  expect(left).toEqual(['bob']);
  // What bob asked for before, and is in no queue yet, would bring it back.
  expect(stops).toEqual([{ askedAtMs: 5, byUserId: 'bob', isOfAll: false }]);
});

it('ends what was asked for before it and is still to come where the bot is in no channel yet', () => {
  const { call, stops } = asked();
  expect(() => leave.begin(call)).toThrow(new UserError(text('leave.absent')));
  expect(stops).toEqual([{ askedAtMs: 5, byUserId: 'bob', isOfAll: false }]);
});

it('is refused for a text of another member that came while Discord was answered', async () => {
  const { call, waiting, left, stops } = asked('hall');
  const work = await leave.begin(call);
  waiting.push(itemOf({ order: orderOf({ userId: 'ann' }), channelId: 'hall', state: 'joining' }));
  await expect(async () => typeof work === 'function' && (await work(() => undefined))).rejects.toMatchObject({
    text: { key: 'leave.not-yours' },
  });
  expect([left, stops]).toEqual([[], []]);
});
