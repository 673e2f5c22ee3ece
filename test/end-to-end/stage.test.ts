import { expect, it } from 'vitest';
import { inVoice, startScene, textOf } from './scene.ts';

it('on a stage the bot raises its hand where it may not let itself speak, and speaks when it is invited', async () => {
  const scene = await startScene();
  const stage = scene.world.channel('Stage');
  stage.denyBot('MuteMembers');
  stage.allowBot('RequestToSpeak');
  const alice = inVoice(scene.world, 'alice', 'Stage');
  const sent = await alice.types('/say text:May I speak?');
  await sent.reply({ until: /Requesting to speak in/ });
  await scene.world.until(() => scene.world.bot.requestsToSpeak, { what: 'a raised hand' });
  expect(scene.world.bot.suppressed).toBe(true);
  scene.world.member('olga').invitesToSpeak('bot');
  expect(await textOf(sent)).toContain('Spoken in #Stage');
  const { seconds, packets } = alice.listener.heard();
  expect(seconds).toBeGreaterThan(0.3);
  // The lead-in too has waited for the floor: 200 ms of silence, and then the first word.
  expect(packets.findIndex(({ silence }) => !silence)).toBeGreaterThanOrEqual(10);
});
