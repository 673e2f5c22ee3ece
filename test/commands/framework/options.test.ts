import { ApplicationCommandOptionType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { ChatCommand, CommandCall } from '../../../src/commands/framework/command.ts';
import { commands } from '../../../src/commands/index.ts';
import { UserError } from '../../../src/errors/user-errors.ts';

const SUBCOMMAND = ApplicationCommandOptionType.Subcommand;
const divided = commands.filter(
  (command): command is ChatCommand =>
    command.kind !== 'message' && (command.options ?? []).some(({ type }) => type === SUBCOMMAND),
);

/** A client sent it that has an old list of commands, where this one had other subcommands, or none. */
function sent(subcommand: string | null): CommandCall {
  const options = { getSubcommand: () => subcommand };
  return { interaction: { inCachedGuild: () => true, options } } as unknown as CommandCall;
}

async function refusalOf(command: ChatCommand, subcommand: string | null): Promise<unknown> {
  try {
    return await command.begin(sent(subcommand));
  } catch (error) {
    return error instanceof UserError ? error.text.key : error;
  }
}

describe.each(divided)('/$name', (command) => {
  it.each(['gone', 'constructor', '__proto__', null])(
    'is out of date where the subcommand is %s',
    async (subcommand) => {
      expect(await refusalOf(command, subcommand)).toBe('refused.unknown-command');
    },
  );

  it('knows every subcommand that it registers', async () => {
    const names = (command.options ?? []).filter(({ type }) => type === SUBCOMMAND).map(({ name }) => name);
    const refusals = await Promise.all(names.map((name) => refusalOf(command, name)));
    expect(names.filter((_, at) => refusals[at] === 'refused.unknown-command')).toEqual([]);
  });
});
