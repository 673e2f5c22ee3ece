import { afterEach, expect, it } from 'vitest';
import { choose } from './reading.ts';
import { newGuest, shareScene } from './scene.ts';

const shared = await shareScene();
const { scene } = shared;
// After each, as the tests run in any order: no refusal cost anything.
afterEach(() => {
  expect(scene.service.ledger.account().creditsLeft).toBe(100_000_000);
});

async function refused(channel: string | undefined, line = '/say text:Hello') {
  const sent = await newGuest(shared.server, channel).types(line);
  const reply = await sent.reply();
  expect(sent.replies.length).toBe(1);
  expect(reply.ephemeral).toBe(true);
  // Refused before deferring: the answer never showed "thinking", and nothing was spent.
  expect(reply.history.some((state) => state.thinking)).toBe(false);
  for (const name of ['General', 'Lounge']) expect(shared.server.channel(name).members).not.toContain('bot');
  return reply.text;
}

it('a caller in no voice channel is refused alone, at once and for nothing', async () => {
  expect(await refused(undefined)).toBe('You’re not in a voice channel. Join one, then try again.');
});

it('so is one for a voice channel that admins do not allow, where it is asked from and where it is named', async () => {
  newGuest(shared.server, 'Lounge');
  const allowedChannels = ['General', 'general'].map((name) => shared.server.channel(name).id);
  await choose(scene, { allowedChannels }, shared);
  for (const line of ['/say text:Hello channel:Lounge', '/say channel:Lounge', '/join channel:Lounge']) {
    expect(await refused('General', line)).toContain('doesn’t speak in');
  }
  expect(await refused('Lounge')).toContain('doesn’t speak in');
});
