import { type APIApplicationCommandOption, ApplicationCommandOptionType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { ChatCommand, CommandCall } from '../../../src/commands/framework/command.ts';
import { toCommandBody } from '../../../src/commands/framework/options.ts';
import { commands } from '../../../src/commands/index.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { replyOf } from '../scene.ts';

function eachOption(options: readonly APIApplicationCommandOption[] | undefined): APIApplicationCommandOption[] {
  return (options ?? []).flatMap((option) => [option, ...('options' in option ? eachOption(option.options) : [])]);
}

describe.each(commands.map((command) => [command.name, command] as const))('/%s', (_, command) => {
  const body = toCommandBody(command);
  const options = 'options' in body ? eachOption(body.options) : [];

  it('takes words up to a length that can be searched for or examined; Discord’s own limit is 6,000', () => {
    for (const option of options) {
      if (option.type === ApplicationCommandOptionType.String && !option.choices) {
        expect(option.max_length).toBeLessThanOrEqual(option.autocomplete ? 100 : 4_000);
      }
    }
  });

  it('has suggestions exactly where an option promises them', () => {
    const promises = options.some((option) => 'autocomplete' in option && option.autocomplete);
    expect('complete' in command && command.complete !== undefined).toBe(promises);
  });
});

it('/owner is for direct messages', () => {
  const owner = commands.find(({ name }) => name === 'owner') as never;
  expect(toCommandBody(owner, true)).toMatchObject({ contexts: [1], default_member_permissions: '0' });
  expect(commands.filter(({ onlyFor }) => onlyFor === 'owner').map(({ name }) => name)).toEqual(['owner']);
});

const SUBCOMMAND = ApplicationCommandOptionType.Subcommand;
const divided = commands.flatMap((command) => {
  const options = command.kind === 'message' ? [] : (command.options ?? []);
  const names = options.filter(({ type }) => type === SUBCOMMAND).map(({ name }) => name);
  return names.length > 0 ? [{ name: command.name, command: command as ChatCommand, names }] : [];
});

it.each(divided)(
  'a subcommand of /$name is known, and one of an old list is out of date',
  async ({ command, names }) => {
    for (const subcommand of [...names, 'gone', 'constructor', '__proto__', null]) {
      const options = { getSubcommand: () => subcommand };
      const call = { interaction: { inCachedGuild: () => true, options } } as unknown as CommandCall;
      const refused = await replyOf(command, call).catch((error: unknown) => error);
      const isOutdated = refused instanceof UserError && refused.text.key === 'refused.unknown-command';
      expect(isOutdated, String(subcommand)).toBe(subcommand === null || !names.includes(subcommand));
    }
  },
);
