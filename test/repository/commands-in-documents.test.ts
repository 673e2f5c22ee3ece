import { ApplicationCommandOptionType } from 'discord.js';
import { expect, it } from 'vitest';
import type { Command } from '../../src/commands/framework/command.ts';
import { commands } from '../../src/commands/index.ts';
import { read } from './tracked-files.ts';

/** As it is typed: '/voice set', or a message command's name. */
function usages(command: Command): string[] {
  if (command.kind === 'message') return [`*${command.name}*`];
  const subcommands = (command.options ?? []).filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [`/${command.name}`];
  return subcommands.map(({ name }) => `/${command.name} ${name}`);
}

/** The first column of a page's tables. */
const firstColumn = (page: string) => [...read(page).matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell ?? '');

it.each(commands.flatMap(usages))('docs/reference/commands.md tells what %s does', (usage) => {
  const named = firstColumn('docs/reference/commands.md').filter(
    (cell) =>
      cell.includes(`\`${usage}\``) || cell.includes(`\`${usage} `) || (!usage.startsWith('/') && cell.includes(usage)),
  );
  expect(named).toHaveLength(1);
});

it('the README names only commands that exist', () => {
  const named = firstColumn('README.md').flatMap((cell) => cell.match(/(?<=`)\/[^[`…]+|(?<!\*)\*[^*]+\*(?!\*)/g) ?? []);
  const known = commands.flatMap(usages);
  expect(named.length).toBeGreaterThan(10);
  expect(named.map((usage) => usage.trim()).filter((usage) => !known.includes(usage))).toEqual([]);
});
