import {
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { ChatCommand, CommandCall } from '../../../src/commands/framework/command.ts';
import { toCommandBody } from '../../../src/commands/framework/definition.ts';
import { commands } from '../../../src/commands/index.ts';
import { UserError } from '../../../src/errors/user-errors.ts';

/** As Discord gets it, with what only commands that are typed have. */
const typed = (body: object) => body as RESTPostAPIChatInputApplicationCommandsJSONBody;

const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;

function eachOption(options: readonly APIApplicationCommandOption[] | undefined): APIApplicationCommandOption[] {
  return (options ?? []).flatMap((option) => [option, ...('options' in option ? eachOption(option.options) : [])]);
}

describe.each(commands.map((command) => [command.name, command] as const))('/%s', (_, command) => {
  const body = typed(toCommandBody(command));

  // https://discord.com/developers/docs/interactions/application-commands#application-command-object
  it('keeps Discord’s limits', () => {
    if (command.kind === 'message') {
      const translated = Object.values(body.name_localizations ?? {});
      expect(translated).toHaveLength(3);
      for (const name of [body.name, ...translated]) expect(name).toMatch(/^[\p{L}\p{N} ]{1,32}$/u);
      return;
    }
    const options = eachOption(body.options);
    for (const { name, description } of [body, ...options]) {
      expect(name).toMatch(NAME);
      expect(name).toBe(name.toLowerCase());
      expect(description.length).toBeGreaterThan(0);
      expect(description.length).toBeLessThanOrEqual(100);
    }
    expect(body.options?.length ?? 0).toBeLessThanOrEqual(25);
    // Discord's own limit of a string option is 6,000: whatever is searched for or examined is shorter.
    for (const option of options) {
      if (option.type === ApplicationCommandOptionType.String && !option.choices) {
        expect(option.max_length).toBeLessThanOrEqual(option.autocomplete ? 100 : 4_000);
      }
    }
  });

  it('has its required options first, as Discord wants', () => {
    const required = (body.options ?? []).map((option) => ('required' in option && option.required ? 0 : 1));
    expect(required).toEqual(required.toSorted());
  });

  it('has suggestions exactly where an option promises them', () => {
    const promises = eachOption(body.options).some((option) => 'autocomplete' in option && option.autocomplete);
    expect('complete' in command && command.complete !== undefined).toBe(promises);
  });
});

it('/owner is for direct messages', () => {
  const owner = commands.find(({ name }) => name === 'owner') as never;
  expect(toCommandBody(owner, { directUse: true })).toMatchObject({ contexts: [1], default_member_permissions: '0' });
  expect(commands.filter(({ onlyFor }) => onlyFor !== undefined).map(({ name }) => name)).toEqual(['owner']);
});

describe('a subcommand', () => {
  const SUBCOMMAND = ApplicationCommandOptionType.Subcommand;
  const divided = commands.flatMap((command) => {
    const options = command.kind === 'message' ? [] : (command.options ?? []);
    const names = options.filter(({ type }) => type === SUBCOMMAND).map(({ name }) => name);
    return names.length > 0 ? [{ name: command.name, command: command as ChatCommand, names }] : [];
  });

  it.each(divided)(
    'of /$name that was registered is known, and one of an old list of commands is out of date',
    async ({ command, names }) => {
      for (const subcommand of [...names, 'gone', 'constructor', '__proto__', null]) {
        const options = { getSubcommand: () => subcommand };
        const call = { interaction: { inCachedGuild: () => true, options } } as unknown as CommandCall;
        const refused = await (async () => command.begin(call))().catch((error: unknown) => error);
        const isOutdated = refused instanceof UserError && refused.text.key === 'refused.unknown-command';
        expect(isOutdated, String(subcommand)).toBe(subcommand === null || !names.includes(subcommand));
      }
    },
  );
});
