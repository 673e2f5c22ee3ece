import { afterEach, expect, it } from 'vitest';
import { choose } from './reading.ts';
import { newGuest, sceneOfFile } from './scene.ts';

const scene = await sceneOfFile();
// After each, as the tests run in any order: no refusal cost anything.
afterEach(() => {
  expect(scene.service.ledger.account().creditsLeft).toBe(100_000_000);
});

async function refused(channel: string | undefined, line = '/say text:Hello') {
  const sent = await newGuest(scene.world, channel).types(line);
  const reply = await sent.reply();
  expect(sent.replies.length).toBe(1);
  expect(reply.ephemeral).toBe(true);
  // Refused before deferring: the answer never showed "thinking", and nothing was spent.
  expect(reply.history.some((state) => state.thinking)).toBe(false);
  expect(scene.world.bot.voiceChannel).toBeUndefined();
  return reply.text;
}

it('a caller in no voice channel is refused alone, at once and for nothing', async () => {
  expect(await refused(undefined)).toBe('You’re not in a voice channel. Join one, then try again.');
});

it('so is one for a voice channel that admins do not allow, where it is asked from and where it is named', async () => {
  const lounge = scene.world.newChannel('Lounge', 'voice');
  const listener = scene.world.newMember('lounging');
  listener.joins(lounge.name);
  const [general, text] = ['General', 'general'].map((name) => scene.world.channel(name).id);
  await choose(scene, { allowedChannels: [`${general}`, `${text}`] });
  for (const line of ['/say text:Hello channel:Lounge', '/say channel:Lounge', '/join channel:Lounge']) {
    expect(await refused('General', line)).toContain('doesn’t speak in');
  }
  expect(await refused('Lounge')).toContain('doesn’t speak in');
  await choose(scene, {});
  listener.leaves();
});
