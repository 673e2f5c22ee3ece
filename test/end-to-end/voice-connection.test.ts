import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startScene } from './scene.ts';
import { speaking } from './speaking.ts';

const ANSWERED = { timeoutMs: 30_000 };

it.each([false, true])(
  'a changed voice server (empty endpoint first: %s) is no kick: the text is spoken to its end',
  async (emptyEndpoint) => {
    const { world } = await startScene();
    const { alice, sent } = await speaking(world);
    const heardBefore = alice.listener.heard().seconds;
    world.faults.changeVoiceServer(world.guildId, { emptyEndpoint });
    const next = await alice.types('/say text:Next in the queue.');
    expect((await sent.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).text).not.toContain(
      'disconnected',
    );
    expect((await next.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).ephemeral).toBe(false);
    expect(alice.listener.heard().seconds).toBeGreaterThan(heardBefore + 1);
    expect(world.bot.voiceChannel).toBe('General');
  },
);

it.each(['told 2.5 s late', 'told when the gateway is back'])(
  'a kick that is %s is believed: the bot stays out',
  async (when) => {
    const { world, bot } = await startScene();
    const { sent } = await speaking(world);
    const isLate = when === 'told 2.5 s late';
    const onTime = isLate ? world.faults.delayEvent('VOICE_STATE_UPDATE', 2_500) : undefined;
    if (!isLate) {
      world.faults.refuseGateway(true);
      world.faults.dropGateway();
    }
    world.member('olga').disconnects('bot');
    await sleep(2_000);
    world.faults.refuseGateway(false);
    const left = await bot.logged(({ msg }) => msg === 'Left a voice channel', 30_000);
    onTime?.();
    expect(left).toMatchObject({ reason: 'kicked' });
    const reply = await sent.reply({ ...ANSWERED, until: ({ ephemeral }) => ephemeral });
    expect(reply.text).toContain('disconnected');
    await sleep(1_000);
    expect(world.bot.voiceChannel).toBeUndefined();
  },
);

it('the voice server announced before the bot’s own state: it joins, and moves along', async () => {
  const { world } = await startScene();
  world.faults.swapVoiceEvents(true);
  world.faults.refuseVoice(4011, 1);
  const { sent } = await speaking(world);
  const bob = world.member('bob');
  bob.joins('Lounge');
  world.member('olga').drags('bot', 'Lounge');
  await bob.listener.audible(10, { timeoutMs: 10_000 });
  expect((await sent.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).text).toContain('Spoken');
  expect(bob.listener.heard().undecryptableFrames).toBe(0);
});
