import { expect, it } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { startScene, textOf } from './scene.ts';

it('/help names every command in one message, and explains one, also to a member whom only Discord may have let use it', async () => {
  const { world } = await startScene();
  const [alice, olga] = [world.member('alice'), world.member('olga')];
  const all = await (await olga.types('/help')).reply();
  expect(JSON.stringify(all.components)).toMatch(/<\/say:\d+>.*<\/voice set:\d+> <\/voice name:\d+>/);
  // Cut off nowhere.
  expect(all.text).toMatch(/see its options\.$/);
  for (const { name } of commands.filter(({ onlyFor }) => onlyFor === undefined)) expect(all.text).toContain(name);
  expect(await textOf(alice.types('/help'))).not.toContain('/settings');
  const explained = await (await alice.command('help', { command: 'setup' })).reply();
  expect(explained.text).toContain('/setup: ');
  expect(explained.text).toContain('Needs the Manage Server permission');
});
