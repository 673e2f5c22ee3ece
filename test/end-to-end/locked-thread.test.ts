import { expect, it } from 'vitest';
import { startScene } from './scene.ts';

it('a thread that is locked takes no answers: its text is heard to the end, and what is asked there is not spoken', async () => {
  const scene = await startScene();
  const { world } = scene;
  const alice = world.member('alice');
  const listener = alice.joins('General');
  const thread = world.newThread('general', 'Topic');
  await alice.types('/say text:This is said in a thread that is about to be locked.', { in: 'Topic' });
  await listener.audible(10);
  thread.lock();
  const outcomes = () => scene.bot.log.filter(({ msg }) => msg === 'Handled a command').map(({ outcome }) => outcome);
  await expect.poll(outcomes, { timeout: 10_000 }).toEqual(['done']);
  await listener.utterance();
  listener.clear();

  const after = await alice.types('/say text:Locked already.', { in: 'Topic' });
  expect(await after.reply()).toMatchObject({ failed: true });
  expect(outcomes()).toEqual(['done', 'lost']);
  expect(scene.bot.log.filter(({ level = 0 }) => level >= 40)).toMatchObject([{ outcome: 'lost' }]);
  expect(listener.heard().packets.filter(({ audible }) => audible)).toEqual([]);

  // Nothing is left to be told after the next start.
  await scene.restartBot();
  expect(scene.bot.log.map(({ msg }) => msg)).not.toContain('Restoring texts from before the restart');
});
