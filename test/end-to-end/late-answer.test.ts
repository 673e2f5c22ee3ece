import { expect, it } from 'vitest';
import { systemClock } from '../../src/playground/state/hub.ts';
import { inVoice, speaking, startScene, textOf } from './scene.ts';

it('speech after the expiry of its interaction is still reported in the message', async () => {
  let aheadMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const scene = await startScene({ world: { clock } });
  const { sent } = await speaking(scene.world);
  await sent.reply({ until: /Speaking in #General/ });
  aheadMs = 15 * 60_000;
  const reply = await sent.reply({ until: /Spoken in #General/ });
  expect(reply.text).toMatch(/credits? used/);
  expect(reply.buttons.map(({ label }) => label)).toEqual(['Replay', 'Save as file']);
});

it('what Discord takes no answer for is not heard, and costs nothing when it is asked for again', async () => {
  const scene = await startScene();
  const alice = inVoice(scene.world);
  const { listener } = alice;
  await textOf(alice.types('/say text:Before'), /Spoken in #General/);
  await listener.utterance();
  listener.clear();
  scene.world.faults.rest({ path: /\/callback$/, delayMs: 3_500 });
  const late = await alice.types('/say text:Hello there');
  expect(await late.reply()).toMatchObject({ failed: true });
  await scene.bot.logged((line) => line.msg === 'Handled a command' && line.outcome === 'lost');
  expect(listener.heard().packets.filter(({ audible }) => audible)).toEqual([]);
  const again = await alice.types('/say text:Hello there');
  expect(await textOf(again, /Spoken in #General/)).toMatch(/no credits used/i);
  expect(await listener.utterance()).toMatchObject({ endToEndEncrypted: true });
});

it('a command that Discord hands over after its time, as when a session is resumed, buys nothing', async () => {
  const scene = await startScene();
  const { world, bot, service } = scene;
  const alice = inVoice(world);
  await textOf(alice.types('/say text:Before'), /Spoken in #General/);
  world.faults.refuseGateway(true);
  world.faults.dropGateway();
  const sent = await alice.types('/say text:While it was away');
  expect(await sent.reply()).toMatchObject({ failed: true });
  // Discord's time for an answer is over, and by what a clock may be off.
  await new Promise((resolve) => world.clock.after(1_000, () => resolve(undefined)));
  world.faults.refuseGateway(false);
  await bot.logged((line) => line.msg === 'Handled a command' && line.outcome === 'lost');
  await textOf(alice.types('/queue'));
  expect(service.ledger.charges(100)).toHaveLength(1);
});

it('the end of a text is told when Discord takes requests again', async () => {
  const scene = await startScene();
  const { sent } = await speaking(scene.world);
  await sent.reply({ until: /Speaking in #General/ });
  const over = scene.world.faults.rest({ path: /^\/webhooks\//, answer: 503, times: 1_000 });
  await scene.bot.logged((line) => line.msg === 'Handled a command');
  await scene.bot.logged(({ msg }) => msg?.startsWith('Could not send the reply') === true);
  over();
  const reply = await sent.reply({ until: /Spoken in #General/ });
  expect(reply.text).toMatch(/credits? used/);
});

it('a thread that is locked takes no answers: its text is heard to the end, and what is asked there is not spoken', async () => {
  const scene = await startScene();
  const { world } = scene;
  const alice = inVoice(world);
  const { listener } = alice;
  const thread = world.newThread('general', 'Topic');
  await alice.types('/say text:This is said in a thread that is about to be locked.', { in: 'Topic' });
  await listener.audible(10);
  thread.lock();
  const outcomes = () => scene.bot.log.filter(({ msg }) => msg === 'Handled a command').map(({ outcome }) => outcome);
  await expect.poll(outcomes).toEqual(['done']);
  await listener.utterance();
  listener.clear();

  const after = await alice.types('/say text:Locked already.', { in: 'Topic' });
  expect(await after.reply()).toMatchObject({ failed: true });
  expect(outcomes()).toEqual(['done', 'lost']);
  expect(scene.bot.log.filter(({ level = 0 }) => level >= 40)).toMatchObject([{ outcome: 'lost' }]);
  expect(listener.heard().packets.filter(({ audible }) => audible)).toEqual([]);

  // Nothing is left to be told after the next start.
  await scene.restartBot();
  expect(scene.bot.log.map(({ msg }) => msg)).not.toContain(
    'Found texts from before the restart: speaking or declining each',
  );
});
