import { Events } from 'discord.js';
import { afterEach, expect, it } from 'vitest';
import { createDiscordClient } from '../../src/discord/client.ts';
import { routeMessages } from '../../src/discord/messages.ts';
import { startWorld } from '../../src/playground/world.ts';
import type { Posted } from '../../src/reading/posted.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** What reaches the reader of what is written in a loopback Discord. */
async function logIn() {
  const world = await startWorld({ privilegedIntents: ['MessageContent'] });
  closers.push(world.close);
  const { DISCORD_API_URL, DISCORD_TOKEN } = world.botEnv;
  const { client } = createDiscordClient({
    token: DISCORD_TOKEN,
    apiUrl: new URL(DISCORD_API_URL),
    readsMessages: true,
  });
  closers.push(() => client.destroy());
  const posted: Posted[] = [];
  const deleted: string[] = [];
  const reader = {
    posted: (message: Posted) => posted.push(message),
    deleted: (ids: readonly string[]) => deleted.push(...ids),
  };
  routeMessages({ client, isAllowed: () => true, reader });
  const ready = new Promise((resolve) => client.once(Events.ClientReady, resolve));
  await client.login(DISCORD_TOKEN);
  await ready;
  return { world, contents: () => posted.map(({ content }) => content), posted, deleted };
}

const WAIT = { timeout: 10_000, interval: 10 };

it('a bot’s deferred reply is passed on once, with the words that come later', async () => {
  const { world, contents, deleted } = await logIn();
  const robot = world.newMember('robot', { bot: true });
  const reply = robot.says('', { thinking: true });
  const dropped = robot.says('', { thinking: true });
  robot.deletes(dropped);
  const alice = world.member('alice');
  const first = alice.says('First.');
  robot.edits(reply, 'Beep.');
  robot.edits(reply, 'Beep, beep.');
  alice.edits(first, 'Changed.');
  alice.says('Last.');
  await expect.poll(contents, WAIT).toEqual(['First.', 'Beep.', 'Last.']);
  expect(deleted).toEqual([dropped.messageId]);
});

it('a forward is passed on with what it forwards', async () => {
  const { world, contents, posted } = await logIn();
  const alice = world.member('alice');
  const files = [{ name: 'cat.png', bytes: Buffer.from('x'), contentType: 'image/png' }];
  const original = alice.says('Look, @Bob', { in: 'General', files });
  world.member('bob').says('', { forwards: original });
  await expect
    .poll(contents, WAIT)
    .toEqual([`Look, <@${world.member('bob').id}>`, `Look, <@${world.member('bob').id}>`]);
  expect(posted.map(({ attachments }) => attachments.map(({ name }) => name))).toEqual([['cat.png'], ['cat.png']]);
});
