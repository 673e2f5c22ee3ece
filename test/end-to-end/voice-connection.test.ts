import { expect, it } from 'vitest';
import { startScene } from './scene.ts';
import { speaking } from './speaking.ts';

const ANSWERED = { timeoutMs: 30_000 };

it('a changed voice server is no kick: the text is spoken to its end', async () => {
  const { world } = await startScene();
  const { alice, sent } = await speaking(world);
  const heardBefore = alice.listener.heard().seconds;
  world.faults.changeVoiceServer(world.guildId, { emptyEndpoint: true });
  const next = await alice.types('/say text:Next in the queue.');
  expect((await sent.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).text).not.toContain(
    'disconnected',
  );
  expect((await next.reply({ ...ANSWERED, until: ({ text }) => text.includes('Spoken in') })).ephemeral).toBe(false);
  expect(alice.listener.heard().seconds).toBeGreaterThan(heardBefore + 1);
  expect(world.bot.voiceChannel).toBe('General');
});
