import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectSameSpeech } from './same-speech.ts';
import { openScene, type Scene } from './scene.ts';

const ANSWERED = { timeoutMs: 15_000 };

describe('the speech of a text', () => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene();
    scene.world.member('bob').joins('General');
  });
  afterAll(() => scene.close());

  let callers = 0;
  async function heardOf(text: string) {
    callers += 1;
    const person = scene.world.newMember(`caller${callers}`);
    person.joins('General');
    const reply = await (await person.command('say', { text })).reply(ANSWERED);
    const heard = await person.listener.utterance(ANSWERED);
    person.leaves();
    return { reply, heard };
  }

  it('is names and words where Discord shows mentions, emoji, links and marks', async () => {
    const bob = scene.world.member('bob');
    const { reply, heard } = await heardOf(
      `**Hey** <@${bob.id}>!!!!!! Look at https://example.com/a/b?c=1 😂😂 and ||the end|| of <t:1700000000:D>`,
    );
    const words =
      'Hey Bob!!! Look at link to example.com face with tears of joy, 2 times and spoiler of November 14, 2023';
    expectSameSpeech(heard, await scene.said(words));
    expect(reply.text).toContain(`“${words}”`);
  });

  it('has the name in this server of members that the bot has not met', async () => {
    const quiet = scene.world.newMember('quiet', { nick: 'Silent Sam' });
    const { heard, reply } = await heardOf(`<@${quiet.id}> is not here.`);
    expectSameSpeech(heard, await scene.said('Silent Sam is not here.'));
    expect(reply.text).toContain('“Silent Sam is not here.”');
    const teller = scene.world.newMember('teller');
    teller.joins('General');
    const message = quiet.says('@quiet has *written* 2\\*3\\*4');
    const read = await (await teller.usesOnMessage('Read aloud', message)).reply(ANSWERED);
    expect(read.text).toContain('Silent Sam has written 2\\*3\\*4');
    teller.leaves();
  });
});
