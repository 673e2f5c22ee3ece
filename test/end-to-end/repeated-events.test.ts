import { expect, it } from 'vitest';
import { choose, READS, waiting } from './reading.ts';
import { inVoice, speaking, startScene } from './scene.ts';

it('a command and a message that Discord sends twice are answered and read once', async () => {
  const scene = await startScene(READS);
  const { world } = scene;
  await choose(scene, { autoReadChannels: [world.channel('general').id] });
  const { alice } = await speaking(world);
  const bob = inVoice(world, 'bob');
  for (const event of ['INTERACTION_CREATE', 'MESSAGE_CREATE']) world.faults.repeatEvent(event);
  await bob.types('/say text:First in line.');
  alice.says('A message.');
  alice.says('That was all.');
  // The texts of a command and of a message may be ready in either order.
  await expect
    .poll(async () => (await waiting(bob)).toSorted())
    .toEqual(['@Alice Alice says: A message.', '@Alice That was all.', '@Bob First in line.']);
  await bob.listener.audible(1);
  const commands = scene.bot.log.filter(({ msg }) => msg === 'Handled a command');
  const asked = new Set(commands.map(({ interactionId }) => interactionId));
  expect(commands).toHaveLength(asked.size);
});
