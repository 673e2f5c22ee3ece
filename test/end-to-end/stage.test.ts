import { afterAll, beforeAll, expect, it } from 'vitest';
import { openScene, type Scene } from './scene.ts';

const ANSWERED = { timeoutMs: 30_000 };

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.close());

it('on a stage the bot raises its hand where it may not let itself speak, and speaks when it is invited', async () => {
  const stage = scene.world.channel('Stage');
  stage.denyBot('MuteMembers');
  stage.allowBot('RequestToSpeak');
  const alice = scene.world.member('alice');
  alice.joins('Stage');
  const sent = await alice.types('/say text:May I speak?');
  await sent.reply({ ...ANSWERED, until: /Requesting to speak in/ });
  await scene.world.until(() => scene.world.bot.requestsToSpeak, { ...ANSWERED, what: 'a raised hand' });
  expect(scene.world.bot.suppressed).toBe(true);
  scene.world.member('olga').invitesToSpeak('bot');
  expect((await sent.reply(ANSWERED)).text).toContain('Spoken in #Stage');
  const { seconds, packets } = alice.listener.heard();
  expect(seconds).toBeGreaterThan(0.3);
  // The lead-in too has waited for the floor: 200 ms of silence, and then the first word.
  expect(packets.findIndex(({ silence }) => !silence)).toBeGreaterThanOrEqual(10);
});

it('says why it cannot go on stage where it may not even ask', async () => {
  const elsewhere = scene.world.newServer('Elsewhere');
  elsewhere.channel('Stage').denyBot('MuteMembers', 'RequestToSpeak');
  const alice = elsewhere.member('alice');
  alice.joins('Stage');
  const reply = await (await alice.types('/say text:May I speak?')).reply(ANSWERED);
  expect(reply.text).toContain('it needs Mute Members or Request to Speak');
});
