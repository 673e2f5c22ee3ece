import { ApplicationCommandOptionType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../src/commands/framework/command.ts';
import { commands } from '../../src/commands/index.ts';
import { SERVER_SETTINGS } from '../../src/services/servers/server-settings.ts';
import type { PlainTextKey } from '../../src/texts/catalog.ts';
import { en } from '../../src/texts/en.ts';
import { read } from './tracked-files.ts';

/** As it is typed: '/voice set', or a message command's name. */
function usages(command: Command): { usage: string; options: readonly { readonly name: string }[] }[] {
  if (command.kind === 'message') return [{ usage: `*${command.name}*`, options: [] }];
  const subcommands = (command.options ?? []).filter(({ type }) => type === ApplicationCommandOptionType.Subcommand);
  if (subcommands.length === 0) return [{ usage: `/${command.name}`, options: command.options ?? [] }];
  return subcommands.map(({ name, ...subcommand }) => ({
    usage: `/${command.name} ${name}`,
    options: 'options' in subcommand ? (subcommand.options ?? []) : [],
  }));
}

const section = (page: string, heading: string) =>
  read(page)
    .split(/^(?=#{2,3} )/m)
    .filter((part) => part.split('\n')[0]?.replace(/^#+ /, '').split(', ').includes(heading));

/** The first column of the tables in a text. */
const firstColumn = (markdown: string) => [...markdown.matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell ?? '');

describe('docs/reference/commands.md', () => {
  it.each(commands.flatMap(usages))('has one block about $usage, with its options', ({ usage, options }) => {
    const blocks = section('docs/reference/commands.md', usage);
    expect(blocks).toHaveLength(1);
    const named = firstColumn(blocks[0] ?? '').flatMap((cell) => /^`([\w-]+)`$/.exec(cell)?.[1] ?? []);
    expect(named.sort()).toEqual(options.map(({ name }) => name).sort());
  });

  it('has no block about a command that does not exist', () => {
    const headings = [...read('docs/reference/commands.md').matchAll(/^### ((?:\/|\*).*)$/gm)].map(
      ([, all]) => all ?? '',
    );
    const known = commands.flatMap(usages).map(({ usage }) => usage);
    expect(headings.flatMap((heading) => heading.split(', ')).filter((usage) => !known.includes(usage))).toEqual([]);
  });

  it.each(Object.keys(SERVER_SETTINGS))('has a row about the setting %s', (name) => {
    const label = en[`setting.${name}` as PlainTextKey]
      .replace(/,? (in characters|\(characters\))$/, '')
      .replaceAll('’', "'");
    const [settings = ''] = section('docs/reference/commands.md', 'Settings of a server');
    const rows = [...settings.matchAll(/^\|[^|]*\| (.+?) \|/gm)].map(([, cell]) => cell ?? '');
    expect(rows.flatMap((row) => [row, ...row.split(', ')])).toContain(label);
  });
});

it('the README names only commands that exist', () => {
  const cells = firstColumn(read('README.md'));
  const named = cells.flatMap((cell) => cell.match(/(?<=`)\/[^[`…]+|(?<!\*)\*[^*]+\*(?!\*)/g) ?? []);
  const known = commands.flatMap(usages).map(({ usage }) => usage);
  expect(named.length).toBeGreaterThan(10);
  expect(named.map((usage) => usage.trim()).filter((usage) => !known.includes(usage))).toEqual([]);
});
