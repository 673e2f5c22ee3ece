import { afterEach, expect, it } from 'vitest';
import { inVoice, LONG, shareScene, speaking, textOf } from './scene.ts';

const told = { until: ({ ephemeral }: { ephemeral: boolean }) => ephemeral };

const shared = await shareScene();

afterEach(() => shared.scene.world.faults.speakAppliesAtOnce(false));

it('a permission to speak that Discord applies at once ends what is spoken, and the bot leaves; given back, it is heard again', async () => {
  const { world, service } = shared.scene;
  world.faults.speakAppliesAtOnce(true);
  const { alice, sent } = await speaking(shared.server, `${LONG} It is about a permission.`);
  const general = shared.server.channel('General');
  general.denyBot('Speak');
  const heardSeconds = alice.listener.heard().seconds;
  expect((await sent.reply(told)).text).toContain('missing Speak');
  await general.hasBot(false);
  const before = service.ledger.account().creditsLeft;
  const refused = await alice.types('/say text:Nothing is bought for this.');
  expect(await textOf(refused)).toContain('missing Speak');
  expect(service.ledger.account().creditsLeft).toBe(before);
  expect(alice.listener.heard().seconds).toBeCloseTo(heardSeconds, 1);

  general.allowBot('Speak');
  const again = await alice.types('/say text:It may speak again.');
  await again.reply({ until: /Spoken in/ });
  expect(alice.listener.heard().seconds).toBeGreaterThan(heardSeconds + 0.5);
});

it('a bot that Discord holds back where it joins says so, not that it has spoken', async () => {
  const { faults } = shared.scene.world;
  const alice = inVoice(shared.server);
  const general = shared.server.channel('General');
  const hear = faults.loseEvent('CHANNEL_UPDATE');
  general.denyBot('Speak');
  hear();
  const sent = await alice.types('/say text:The bot has not heard of the change.');
  expect((await sent.reply(told)).text).toContain('couldn’t be heard in');
  await general.hasBot(false);
});

it('a moderator’s deafening changes nothing: the bot needs no ears', async () => {
  const { alice, sent } = await speaking(shared.server, `${LONG} It is about ears.`);
  shared.server.member('olga').serverDeafens('bot', true);
  await sent.reply({ until: /Spoken in/ });
  expect(alice.listener.heard().seconds).toBeGreaterThan(5);
});

it('a moderator’s mute while it speaks, or a timeout, is told in words, and it speaks once that is over', async () => {
  const { alice, sent } = await speaking(shared.server);
  const olga = shared.server.member('olga');
  olga.serverMutes('bot', true);
  expect((await sent.reply(told)).text).toContain('muted the bot');
  const meanwhile = await (await alice.types('/say text:Can you hear me?')).reply();
  expect(meanwhile.text).toContain('muted the bot');

  olga.serverMutes('bot', false);
  const again = await alice.types('/say text:And now?');
  expect(await textOf(again, /Spoken in/)).toContain('General');

  olga.timesOut('bot', 60_000);
  const refused = await alice.types('/say text:And in its timeout?');
  expect(await textOf(refused)).toContain('is timed out');
});
