import { expect, it } from 'vitest';
import { inVoice, startScene } from './scene.ts';

it('what no listener could decrypt fails in words with its cost, is sent to no one, and works again afterwards', async () => {
  const { world, bot } = await startScene();
  const alice = inVoice(world);
  const withhold = (withheld: boolean) => world.faults.withholdGroup(world.channel('General').id, withheld);
  withhold(true);
  const asked = await alice.types('/say text:Is anybody there?');
  const waits = await alice.types('/say text:Nobody at all?');
  const refused = await asked.reply();
  expect(refused.text).toContain('so no one heard this');
  expect(refused.text).toMatch(/\d+ credits? w(as|ere) used/u);
  const unbought = await waits.reply();
  expect(unbought.text).toContain('so no one heard this');
  expect(unbought.text).toContain('No credits were used.');
  expect(alice.listener.heard()).toMatchObject({ unencryptedFrames: 0, undecryptableFrames: 0 });
  expect(alice.listener.heard().packets.some(({ audible }) => audible)).toBe(false);

  withhold(false);
  const spoken = await (await alice.types('/say text:Somebody is there.')).reply();
  expect(spoken.text).not.toContain('this wasn’t heard');
  expect(await alice.listener.utterance()).toMatchObject({ endToEndEncrypted: true });
  expect(
    await bot.logged(({ msg, spoken: outcome }) => msg === 'Handled a command' && outcome === 'finished'),
  ).toMatchObject({
    encrypted: true,
    guildId: expect.any(String),
    userId: alice.id,
    command: 'say',
    voice: expect.any(String),
    creditsUsed: expect.any(Number),
    requestId: expect.any(String),
  });
});
