import { readFileSync } from 'node:fs';
import { ApplicationCommandOptionType } from 'discord.js';
import { expect, it } from 'vitest';
import type { Command } from '../../src/commands/framework/command.ts';
import { commands } from '../../src/commands/index.ts';

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** As it is typed: '/voice set', or a message command's name. */
function usages(command: Command): string[] {
  if (command.kind === 'message') return [`*${command.name}*`];
  const subcommands = (command.options ?? []).filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [`/${command.name}`];
  return subcommands.map(({ name }) => `/${command.name} ${name}`);
}

it.each(commands.flatMap(usages))('the README tells what %s does', (usage) => {
  const table = readme.slice(readme.indexOf('### Commands'), readme.indexOf('### The voice'));
  const asCode = table.includes(`\`${usage}\``) || table.includes(`\`${usage} `);
  expect(asCode || table.includes(usage)).toBe(true);
});
