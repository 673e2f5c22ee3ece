import { expect, it } from 'vitest';
import { expectSameSpeech } from './same-speech.ts';
import { startScene } from './scene.ts';

it('the speech of a text is names and words where Discord shows mentions, emoji, links and marks', async () => {
  const { world, said } = await startScene();
  const [alice, bob] = [world.member('alice'), world.member('bob')];
  alice.joins('General');
  const text = `**Hey** <@${bob.id}>!!!!!! Look at https://example.com/a/b?c=1 😂😂 and ||the end|| of <t:1700000000:D>`;
  const reply = await (await alice.command('say', { text })).reply();
  const words =
    'Hey Bob!!! Look at link to example.com face with tears of joy, 2 times and spoiler of November 14, 2023';
  expectSameSpeech(await alice.listener.utterance(), await said(words));
  expect(reply.text).toContain(`“${words}”`);
});
