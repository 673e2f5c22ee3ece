import { describe, expect, it } from 'vitest';
import { call, refusals } from '../raw-client.ts';
import { many, text, withOptions, worldForCommands } from './command-world.ts';

// https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-option-structure
const own = worldForCommands();

describe('an option is refused', () => {
  it.each([
    [
      'options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
      withOptions(text(), text({ name: 'b', required: true })),
    ],
    ['options.1 APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', withOptions(text(), text())],
    [
      'options.1 APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
      withOptions({ type: 1, name: 'a', description: 'x' }, text()),
    ],
    [
      'options.0.options.0.type APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
      withOptions({ type: 2, name: 'a', description: 'x', options: [{ type: 2, name: 'b', description: 'x' }] }),
    ],
    [
      'options.0.choices BASE_TYPE_MAX_LENGTH',
      withOptions(text({ choices: many(26, (index) => ({ name: `c${index}`, value: `${index}` })) })),
    ],
    [
      'options.0.choices.0.value BASE_TYPE_BAD_LENGTH',
      withOptions(text({ choices: [{ name: 'a', value: 'x'.repeat(101) }] })),
    ],
    [
      'options.0.autocomplete APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES',
      withOptions(text({ autocomplete: true, choices: [{ name: 'a', value: 'b' }] })),
    ],
    [
      'options.0.choices APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID',
      withOptions(text({ type: 5, choices: [{ name: 'a', value: 'b' }] })),
    ],
    ['options.0.max_value APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID', withOptions(text({ max_value: 3 }))],
    ['options.0.max_length NUMBER_TYPE_MAX', withOptions(text({ max_length: 6001 }))],
    [
      'options.0.min_value APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
      withOptions(text({ type: 10, min_value: 2, max_value: 1 })),
    ],
    [
      'options.0.min_length APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
      withOptions(text({ min_length: 2, max_length: 1 })),
    ],
    ['options.0.min_length NUMBER_TYPE_MIN', withOptions(text({ min_length: -1 }))],
    [
      'options.0.autocomplete APPLICATION_COMMAND_AUTOCOMPLETE_INVALID',
      withOptions(text({ type: 5, autocomplete: true })),
    ],
    [
      'options.0.choices.1.name APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS',
      withOptions(
        text({
          choices: [
            { name: 'a', value: 'b' },
            { name: 'a', value: 'c' },
          ],
        }),
      ),
    ],
    [
      'options.0.choices.0.value NUMBER_TYPE_COERCE',
      withOptions(text({ type: 4, choices: [{ name: 'a', value: 1.5 }] })),
    ],
    ['options.0 MODEL_TYPE_CONVERT', withOptions('text' as never)],
    ['options.0.required BOOLEAN_TYPE_CONVERT', withOptions(text({ required: 'yes' }))],
    ['options.0.channel_types APPLICATION_COMMAND_OPTIONS_CHANNEL_TYPES', withOptions(text({ channel_types: [2] }))],
    [
      'options.0.choices.0.name_localizations.de BASE_TYPE_BAD_LENGTH',
      withOptions(text({ choices: [{ name: 'a', value: 'b', name_localizations: { de: 'x'.repeat(101) } }] })),
    ],
    [
      'options.0.choices.0.name_localizations.de BASE_TYPE_BAD_LENGTH',
      withOptions(text({ choices: [{ name: 'a', value: 'b', name_localizations: { de: '' } }] })),
    ],
    [
      'options.0.choices.0.name_localizations.xx ENUM_TYPE_COERCE',
      withOptions(text({ choices: [{ name: 'a', value: 'b', name_localizations: { xx: 'x' } }] })),
    ],
    ['options.0.name_localizations.de STRING_TYPE_CONVERT', withOptions(text({ name_localizations: { de: 7 } }))],
    [
      'options.0.choices.0.value NUMBER_TYPE_MAX',
      withOptions(text({ type: 4, choices: [{ name: 'a', value: 2 ** 53 }] })),
    ],
    [
      'options.0.choices.0.value NUMBER_TYPE_MIN',
      withOptions(text({ type: 4, choices: [{ name: 'a', value: -(2 ** 53) }] })),
    ],
    [
      'options.0.choices.0.value NUMBER_TYPE_MAX',
      withOptions(text({ type: 10, choices: [{ name: 'a', value: 1e300 }] })),
    ],
    [
      'options.0.choices.0.value NUMBER_TYPE_COERCE',
      withOptions(text({ type: 10, choices: [{ name: 'a', value: 'b' }] })),
    ],
    ['options.0.choices.0.value BASE_TYPE_REQUIRED', withOptions(text({ type: 10, choices: [{ name: 'a' }] }))],
    ['options.0.min_value NUMBER_TYPE_MAX', withOptions(text({ type: 4, min_value: 1e300 }))],
    ['options.0.max_value NUMBER_TYPE_MIN', withOptions(text({ type: 10, max_value: -1e300 }))],
    ['options.0.min_value NUMBER_TYPE_COERCE', withOptions(text({ type: 10, min_value: 'low' }))],
    ['options.0.max_value NUMBER_TYPE_COERCE', withOptions(text({ type: 4, max_value: 1.5 }))],
    [
      'options.0.choices.0.name BASE_TYPE_BAD_LENGTH',
      withOptions(text({ choices: [{ name: 'x'.repeat(101), value: 'b' }] })),
    ],
    [
      'options.0.required APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
      withOptions({ type: 1, name: 'a', description: 'x', required: true }),
    ],
    ['options.0.options APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', withOptions(text({ options: [text()] }))],
    [
      'options.0.options BASE_TYPE_MAX_LENGTH',
      withOptions({ type: 1, name: 'a', description: 'x', options: many(26, (index) => text({ name: `o${index}` })) }),
    ],
    ['options.0.max_length APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID', withOptions(text({ type: 10, max_length: 3 }))],
    ['options.0.max_length NUMBER_TYPE_MIN', withOptions(text({ max_length: 0 }))],
    ['options.0.channel_types BASE_TYPE_CHOICES', withOptions(text({ type: 7, channel_types: [99] }))],
  ])('%s', async (expected, command) => {
    expect(refusals(await call(own.world, 'PUT', own.path, [command]))).toContain(`0.${expected}`);
  });

  it('not at the limits of a number', async () => {
    const edges = [
      { type: 4, min_value: -(2 ** 53) + 1, max_value: 2 ** 53 - 1 },
      { type: 10, min_value: -(2 ** 53), max_value: 2 ** 53 },
    ];
    const options = edges.map((edge, index) => text({ name: `o${index}`, ...edge }));
    expect((await call(own.world, 'PUT', own.path, [withOptions(...options)])).status).toBe(200);
  });
});
