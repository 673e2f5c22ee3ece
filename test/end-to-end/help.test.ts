import { expect, it } from 'vitest';
import { commands } from '../../src/commands/index.ts';
import { startScene } from './scene.ts';

const ANSWERED = { timeoutMs: 15_000 };

it('/help names every command in one message, and explains each with its options', async () => {
  const { world } = await startScene();
  const [alice, olga] = [world.member('alice'), world.member('olga')];

  const all = await (await olga.types('/help')).reply(ANSWERED);
  expect(all.lines.join('\n')).toMatch(/^\/say: Read text aloud/m);
  expect(JSON.stringify(all.components)).toMatch(/<\/say:\d+>.*<\/voice set:\d+> <\/voice name:\d+>/);
  // Cut off nowhere.
  expect(all.text).toMatch(/see its options\.$/);
  for (const { name } of commands.filter(({ onlyFor }) => onlyFor === undefined)) {
    expect(all.text).toContain(name);
    const one = await (await olga.command('help', { command: name })).reply(ANSWERED);
    expect(one.text).toContain(name);
    expect(one.text).not.toMatch(/…$/);
  }

  const forAlice = await (await alice.types('/help')).reply(ANSWERED);
  expect(forAlice.text).not.toContain('/settings');
  // Admins may have given it to her, which only Discord knows.
  const explained = await (await alice.command('help', { command: 'setup' })).reply(ANSWERED);
  expect(explained.text).toContain('/setup: ');
  expect(explained.text).toMatch(
    /Needs the Manage Server permission, or access given in Server Settings → Integrations\.$/,
  );
});
