import { expect, it } from 'vitest';
import { startScene } from './scene.ts';

const ANSWERED = { timeoutMs: 15_000 };

it('told to stop while it joins, the bot says so, is in no channel, and ends well', async () => {
  const scene = await startScene();
  const alice = scene.world.member('alice');
  alice.joins('General');
  scene.world.faults.loseEvent('VOICE_SERVER_UPDATE');
  const sent = await alice.types('/say text:Nobody can hear this.');
  await scene.world.channel('General').hasBot(true, ANSWERED);
  scene.bot.signal('SIGTERM');
  const reply = await sent.reply({ ...ANSWERED, until: (message) => message.ephemeral });
  expect(reply.text).toContain('The bot is being restarted');
  expect((await scene.bot.ended).code).toBe(0);
  expect(scene.world.bot.voiceChannel).toBeUndefined();
});

it('told to stop while Discord does not answer, it leaves the channel and ends within ten seconds', async () => {
  const scene = await startScene();
  const alice = scene.world.member('alice');
  alice.joins('General');
  await alice.types('/say text:This text is long enough that there is time to stop the bot while it is being spoken.');
  await alice.listener.audible(1, ANSWERED);
  scene.world.faults.rest({ path: /^\/webhooks\//, delayMs: 60_000, times: 10 });
  const startedAtMs = performance.now();
  scene.bot.signal('SIGTERM');
  const { code } = await scene.bot.ended;
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  expect(code).toBe(0);
  expect(scene.world.bot.voiceChannel).toBeUndefined();
});

it('a second signal ends it at once', async () => {
  const scene = await startScene();
  scene.world.faults.rest({ path: /^\/webhooks\//, delayMs: 60_000, times: 10 });
  const alice = scene.world.member('alice');
  alice.joins('General');
  await alice.types('/say text:This text is long enough that there is time to stop the bot while it is being spoken.');
  await alice.listener.audible(1, ANSWERED);
  scene.bot.signal('SIGTERM');
  await scene.bot.logged((line) => line.signal === 'SIGTERM', 5_000);
  // Two signals closer together than 300 ms are one key press.
  await new Promise((resolve) => setTimeout(resolve, 400));
  scene.bot.signal('SIGTERM');
  expect((await scene.bot.ended).code).toBe(1);
});
