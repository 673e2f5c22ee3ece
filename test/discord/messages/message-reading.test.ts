import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Collection, Events, type Message } from 'discord.js';
import { beforeEach, expect, it } from 'vitest';
import { createReadingPlaces, routeReading } from '../../../src/discord/messages/message-reading.ts';
import type { World } from '../../../src/playground/world/world.ts';
import type { Reading } from '../../../src/reading/auto-join.ts';
import type { Posted } from '../../../src/reading/decision.ts';
import { render } from '../../../src/texts/catalog.ts';
import { loggedIn, openWorld } from '../logged-in.ts';

const LATER_MS = 2_000;

let world: World;
let client: Client;
let posted: Posted[];
let deleted: string[];
let edited: Posted[];
let goneChannels: string[];

beforeEach(async () => {
  world = await openWorld({ privilegedIntents: ['MessageContent'] });
  [posted, edited, deleted, goneChannels] = [[], [], [], []];
  client = await loggedIn(world, readBy, { readsMessages: true });
});

const readBy = (made: Client) =>
  routeReading({
    client: made,
    allowed: undefined,
    spokenNames: { of: async (userId) => (userId === world.member('bob').id ? 'Bobby' : undefined) },
    reading: {
      posted: (message: Posted) => void posted.push(message),
      edited: (message: Posted) => void edited.push(message),
      deleted: (ids: readonly string[]) => void deleted.push(...ids),
      audienceChanged: () => undefined,
      channelsDeleted: (ids: readonly string[]) => void goneChannels.push(...ids),
    } as Partial<Reading> as Reading,
  });

it('forwards every message that moderators purged, and a single deleted one', async () => {
  const alice = world.member('alice');
  const written = ['one', 'two', 'three'].map((text) => alice.says(text));
  const [one, ...others] = written;
  if (!one) throw new Error('They were written');
  world.member('olga').purges(others);
  alice.deletes(one);
  await expect.poll(() => deleted).toHaveLength(3);
  expect(deleted).toEqual([...others, one].map(({ messageId }) => messageId));
});

it('tells of a deleted channel with its threads, and of a deleted thread', async () => {
  const [kept, gone] = [world.newThread('general', 'Open'), world.newThread('general', 'Closed')];
  const general = world.channel('general');
  gone.delete();
  await expect.poll(() => goneChannels).toEqual([gone.id]);
  general.delete();
  await expect.poll(() => goneChannels).toEqual([gone.id, general.id, kept.id]);
});

it('lets a public thread be read with its channel, a private one not', async () => {
  const [open, secret] = [world.newThread('general', 'Open'), world.newThread('general', 'Secret', { private: true })];
  const alice = world.member('alice');
  alice.says('for all', { in: 'Open' });
  alice.says('for few', { in: 'Secret' });
  await expect.poll(() => posted).toHaveLength(2);
  expect(posted).toMatchObject([
    { channelId: open.id, parentChannelId: world.channel('general').id },
    { channelId: secret.id, parentChannelId: undefined },
  ]);
});

it('takes a reply that a bot has deferred as posted when its words came, by Discord’s clock', async () => {
  const robot = world.newMember('robot', { bot: true });
  const deferred = robot.says('', { thinking: true });
  const came = new Promise<Message>((resolve) => client.once(Events.MessageCreate, resolve));
  const { createdTimestamp } = await came;
  await sleep(LATER_MS);
  robot.edits(deferred, 'Done.');
  await expect.poll(() => posted).toMatchObject([{ content: 'Done.' }]);
  const afterMs = (posted[0]?.atMs ?? 0) - createdTimestamp;
  expect(afterMs).toBeGreaterThanOrEqual(LATER_MS);
  expect(afterMs).toBeLessThan(2 * LATER_MS);
  // Its words came: what follows is an edit.
  robot.edits(deferred, 'Done, really.');
  await expect.poll(() => edited).toMatchObject([{ content: 'Done, really.' }]);
  expect(posted).toHaveLength(1);
});

it('channels that are to be read are named where the bot does not see them or they are gone, but for an outage', () => {
  const channel = (isSeen: boolean) => ({ permissionsFor: () => ({ has: () => isSeen }) });
  const cache = new Collection(Object.entries({ 20: channel(true), 21: channel(false) }));
  const guild = { available: true, members: { me: {} }, channels: { cache } };
  const problem = (...channelIds: string[]) => {
    const client = { guilds: { cache: new Collection([['9', guild]]) } } as never;
    const found = createReadingPlaces(client, true).problem('9', channelIds);
    return found && render(found);
  };
  expect([problem(), problem('20')]).toEqual([undefined, undefined]);
  expect(problem('20', '21', '22')).toMatch(/can’t see <#21>(,| and) <#22>.*View Channel/);
  guild.available = false;
  expect(problem('21')).toBeUndefined();
});
