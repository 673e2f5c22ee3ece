import { expect, it } from 'vitest';
import { LONG, newGuest, shareScene, textOf } from './scene.ts';

const shared = await shareScene();
const { scene } = shared;
const somebody = () => newGuest(shared.server, 'General');

it('the queue of a server takes turns between members, shows the queued items, and lets each skip their own', async () => {
  const [ann, ben] = [somebody(), somebody()];
  const first = await ann.types(`/say text:${LONG}`);
  await ann.listener.audible(1);
  const second = await ann.types('/say text:Ann’s second text.');
  const third = await ann.types('/say text:Ann’s third text.');
  const bens = await ben.types('/say text:Ben’s only text.');
  const lines = async () => (await (await ben.types('/queue')).reply()).content.split('\n');
  await expect.poll(lines).toHaveLength(4);
  const [now, ...waiting] = await lines();
  expect(now).toContain('This text is long enough');
  expect(waiting[0]).toMatch(/^1\. <@\d+>: “Ben’s only text\.” \(in about 0:0\d\)$/);
  expect(waiting[1]).toContain('2. ');
  expect(waiting[1]).toContain('Ann’s second text.');
  expect(waiting[2]).toContain('Ann’s third text.');

  expect(await textOf(ben.types('/skip'))).toMatch(/to @Guest\d+’s text/);
  expect(await textOf(ann.types('/skip position:3'))).toBe('Removed from the queue: “Ann’s third text.”');
  expect(await textOf(third)).toContain('Removed from the queue: “Ann’s third text.”');
  const removed = await scene.bot.logged(({ outcome, userId }) => outcome === 'removed' && userId === ann.id);
  expect(removed).toMatchObject({ msg: 'Handled a command', command: 'say', userId: ann.id });
  expect(await textOf(ann.types('/skip'))).toContain('Skipped: “This text is long enough');
  expect(await textOf(first)).toContain('Stopped early');
  expect(await textOf(bens)).toContain('Spoken in');
  expect(await textOf(second)).toContain('Spoken in');
  expect(await textOf(ben.types('/queue'))).toContain('The queue is empty.');
});

it('/pause and /resume hold the speech and go on where it stopped: nothing is lost, nothing twice', async () => {
  const ann = somebody();
  const said = await ann.types(`/say text:${LONG}`);
  await ann.listener.audible(50);
  expect(await textOf(ann.types('/pause'))).toContain('Paused');
  const heard = ann.listener.heard().packets.filter(({ audible }) => audible).length;
  expect(await textOf(ann.types('/pause'))).toContain('Already paused');
  expect(await textOf(ann.types('/queue'))).toContain('Paused: ');
  expect(await textOf(ann.types('/resume'))).toBe('Resumed.');
  await ann.listener.audible(heard + 50);
  expect(await textOf(said)).toContain('Spoken in');
  expect(await textOf(ann.types('/resume'))).toBe('Nothing is paused.');
});

it('the bot is brought along by /join, follows when it has no other listener, and continues the speech there', async () => {
  const ann = somebody();
  expect(await textOf(ann.types('/join'))).toContain('Joined');
  await shared.server.channel('General').hasBot(true);
  const sent = await ann.types(`/say text:${LONG}`);
  await ann.listener.audible(1);
  ann.joins('Lounge');
  ann.listener.clear();
  const next = await ann.types('/say text:And this comes after it.');
  for (const one of [sent, next]) expect(await textOf(one, /Spoken in/)).toContain('Lounge');
  expect(shared.server.channel('Lounge').members).toContain('bot');
  // All of the first text, from its beginning, and all of the second.
  const texts = await Promise.all([LONG, 'And this comes after it.'].map((text) => scene.said(text)));
  const seconds = texts.reduce((sum, { samples, sampleRateHz }) => sum + samples.length / sampleRateHz, 0);
  expect(ann.listener.heard().seconds).toBeGreaterThan(seconds * 0.95);
  expect(ann.listener.heard()).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0, lostPackets: 0 });
  expect(await textOf(ann.types('/leave'))).toContain('Left');
});
