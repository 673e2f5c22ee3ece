import { expect, it } from 'vitest';
import { inVoice, startScene, textOf } from './scene.ts';

it('a command in the moments before Discord has told of every server is answered, and not carried out later', async () => {
  const scene = await startScene();
  const { world } = scene;
  const alice = inVoice(world);
  const stop = world.faults.delayEvent('GUILD_CREATE', 4_000);
  const restarting = scene.restartBot();
  await world.until(() => world.bot.identifies === 2, { what: 'a second session' });
  stop();
  const early = await alice.types('/say text:Too early');
  expect(await textOf(early)).toBe('The bot is restarting. Try again in a minute.');
  await restarting;
  const sent = await alice.types('/say text:Now');
  await sent.reply({ until: /Spoken/ });
  expect(scene.bot.log.filter(({ msg }) => msg === 'Handled a command')).toHaveLength(1);
  expect(scene.bot.log.filter(({ level = 0 }) => level >= 40)).toEqual([]);
});
