import { describe, expect, it } from 'vitest';
import { call, codesAt } from '../raw-client.ts';
import { many, text, withOptions } from './command-drafts.ts';
import { freshCommands } from './command-world.ts';

// https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-option-structure
const fresh = freshCommands();

describe('an option is refused', () => {
  it.each([
    [
      'with a required option after an optional one',
      withOptions(text(), text({ name: 'b', required: true })),
      'options.1',
      'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ],
    [
      'with two options of one name',
      withOptions(text(), text()),
      'options.1',
      'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS',
    ],
    [
      'with a subcommand next to an option',
      withOptions({ type: 1, name: 'a', description: 'x' }, text()),
      'options.1',
      'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
    ],
    [
      'with a group in a group',
      withOptions({ type: 2, name: 'a', description: 'x', options: [{ type: 2, name: 'b', description: 'x' }] }),
      'options.0.options.0.type',
      'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
    ],
    [
      'with 26 choices',
      withOptions(text({ choices: many(26, (index) => ({ name: `c${index}`, value: `${index}` })) })),
      'options.0.choices',
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with a choice of 101 characters',
      withOptions(text({ choices: [{ name: 'a', value: 'x'.repeat(101) }] })),
      'options.0.choices.0.value',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with choices and autocomplete',
      withOptions(text({ autocomplete: true, choices: [{ name: 'a', value: 'b' }] })),
      'options.0.autocomplete',
      'APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES',
    ],
    [
      'with choices on a boolean',
      withOptions(text({ type: 5, choices: [{ name: 'a', value: 'b' }] })),
      'options.0.choices',
      'APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID',
    ],
    [
      'with a maximum value on a text',
      withOptions(text({ max_value: 3 })),
      'options.0.max_value',
      'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
    ],
    [
      'with a maximum length of 6001',
      withOptions(text({ max_length: 6001 })),
      'options.0.max_length',
      'NUMBER_TYPE_MAX',
    ],
    [
      'with a minimum above its maximum',
      withOptions(text({ type: 10, min_value: 2, max_value: 1 })),
      'options.0.min_value',
      'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
    ],
    [
      'with a minimum length above its maximum',
      withOptions(text({ min_length: 2, max_length: 1 })),
      'options.0.min_length',
      'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
    ],
    ['with a negative length', withOptions(text({ min_length: -1 })), 'options.0.min_length', 'NUMBER_TYPE_MIN'],
    [
      'with autocomplete on a boolean',
      withOptions(text({ type: 5, autocomplete: true })),
      'options.0.autocomplete',
      'APPLICATION_COMMAND_AUTOCOMPLETE_INVALID',
    ],
    [
      'with two choices of one name',
      withOptions(
        text({
          choices: [
            { name: 'a', value: 'b' },
            { name: 'a', value: 'c' },
          ],
        }),
      ),
      'options.0.choices.1.name',
      'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS',
    ],
    [
      'with a fraction as choice of a whole number',
      withOptions(text({ type: 4, choices: [{ name: 'a', value: 1.5 }] })),
      'options.0.choices.0.value',
      'NUMBER_TYPE_COERCE',
    ],
    ['with an option that is no object', withOptions('text' as never), 'options.0', 'MODEL_TYPE_CONVERT'],
    [
      'with a required that is no boolean',
      withOptions(text({ required: 'yes' })),
      'options.0.required',
      'BOOLEAN_TYPE_CONVERT',
    ],
    [
      'with channel types on a text',
      withOptions(text({ channel_types: [2] })),
      'options.0.channel_types',
      'APPLICATION_COMMAND_OPTIONS_CHANNEL_TYPES',
    ],
    [
      'with a choice whose translated name has 101 characters',
      withOptions(text({ choices: [{ name: 'a', value: 'b', name_localizations: { de: 'x'.repeat(101) } }] })),
      'options.0.choices.0.name_localizations.de',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a choice whose translated name is empty',
      withOptions(text({ choices: [{ name: 'a', value: 'b', name_localizations: { de: '' } }] })),
      'options.0.choices.0.name_localizations.de',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a choice named in an unknown locale',
      withOptions(text({ choices: [{ name: 'a', value: 'b', name_localizations: { xx: 'x' } }] })),
      'options.0.choices.0.name_localizations.xx',
      'ENUM_TYPE_COERCE',
    ],
    [
      'with a translated name that is no text',
      withOptions(text({ name_localizations: { de: 7 } })),
      'options.0.name_localizations.de',
      'STRING_TYPE_CONVERT',
    ],
    [
      'with a choice of 2^53, the first whole number too large',
      withOptions(text({ type: 4, choices: [{ name: 'a', value: 2 ** 53 }] })),
      'options.0.choices.0.value',
      'NUMBER_TYPE_MAX',
    ],
    [
      'with a choice of -2^53, the first whole number too small',
      withOptions(text({ type: 4, choices: [{ name: 'a', value: -(2 ** 53) }] })),
      'options.0.choices.0.value',
      'NUMBER_TYPE_MIN',
    ],
    [
      'with a choice of a number beyond 2^53',
      withOptions(text({ type: 10, choices: [{ name: 'a', value: 1e300 }] })),
      'options.0.choices.0.value',
      'NUMBER_TYPE_MAX',
    ],
    [
      'with a choice that is no number where numbers are chosen',
      withOptions(text({ type: 10, choices: [{ name: 'a', value: 'b' }] })),
      'options.0.choices.0.value',
      'NUMBER_TYPE_COERCE',
    ],
    [
      'with a number choice without a value',
      withOptions(text({ type: 10, choices: [{ name: 'a' }] })),
      'options.0.choices.0.value',
      'BASE_TYPE_REQUIRED',
    ],
    [
      'with a least whole number of 1e300',
      withOptions(text({ type: 4, min_value: 1e300 })),
      'options.0.min_value',
      'NUMBER_TYPE_MAX',
    ],
    [
      'with a largest number of -1e300',
      withOptions(text({ type: 10, max_value: -1e300 })),
      'options.0.max_value',
      'NUMBER_TYPE_MIN',
    ],
    [
      'with a bound that is no number',
      withOptions(text({ type: 10, min_value: 'low' })),
      'options.0.min_value',
      'NUMBER_TYPE_COERCE',
    ],
    [
      'with a fraction as bound of a whole number',
      withOptions(text({ type: 4, max_value: 1.5 })),
      'options.0.max_value',
      'NUMBER_TYPE_COERCE',
    ],
    [
      'with a choice named with 101 characters',
      withOptions(text({ choices: [{ name: 'x'.repeat(101), value: 'b' }] })),
      'options.0.choices.0.name',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'that is a subcommand and required',
      withOptions({ type: 1, name: 'a', description: 'x', required: true }),
      'options.0.required',
      'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
    ],
    [
      'with options below an option that is no subcommand',
      withOptions(text({ options: [text()] })),
      'options.0.options',
      'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
    ],
    [
      'that is a subcommand with 26 options',
      withOptions({ type: 1, name: 'a', description: 'x', options: many(26, (index) => text({ name: `o${index}` })) }),
      'options.0.options',
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with a length on a number',
      withOptions(text({ type: 10, max_length: 3 })),
      'options.0.max_length',
      'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
    ],
    ['with a maximum length of 0', withOptions(text({ max_length: 0 })), 'options.0.max_length', 'NUMBER_TYPE_MIN'],
    [
      'with a kind of channel that does not exist',
      withOptions(text({ type: 7, channel_types: [99] })),
      'options.0.channel_types',
      'BASE_TYPE_CHOICES',
    ],
  ])('%s', async (_, command, at, code) => {
    const answer = await call(fresh.world, 'POST', fresh.path, command);
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([400, 50035, 'Invalid Form Body']);
    expect(codesAt(answer, at), JSON.stringify(answer.body.errors)).toContain(code);
  });

  it('not at the limits of a number', async () => {
    const edges = [
      { type: 4, min_value: -(2 ** 53) + 1, max_value: 2 ** 53 - 1 },
      { type: 10, min_value: -(2 ** 53), max_value: 2 ** 53 },
    ];
    const options = edges.map((edge, index) => text({ name: `o${index}`, ...edge }));
    expect((await call(fresh.world, 'POST', fresh.path, withOptions(...options))).status).toBe(201);
  });
});
