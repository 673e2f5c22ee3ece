import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../../src/playground/world.ts';
import { call } from '../raw-client.ts';
import { many, say, text, withOptions } from './command-drafts.ts';

// https://discord.com/developers/docs/interactions/application-commands#application-command-object
let world: World;
let path: string;

beforeEach(async () => {
  world = await startWorld();
  path = `/applications/${world.bot.applicationId}/commands`;
});
afterEach(() => world.close());

describe('a command is refused', () => {
  it.each([
    ['without a name', say({ name: undefined }), 'name', 'BASE_TYPE_REQUIRED'],
    ['with a name of 33 characters', say({ name: 'a'.repeat(33) }), 'name', 'BASE_TYPE_BAD_LENGTH'],
    ['with a space in its name', say({ name: 'say it' }), 'name', 'STRING_TYPE_REGEX'],
    ['with capital letters in its name', say({ name: 'Say' }), 'name', 'APPLICATION_COMMAND_INVALID_NAME'],
    ['without a description', say({ description: undefined }), 'description', 'BASE_TYPE_REQUIRED'],
    [
      'with a description of 101 characters',
      say({ description: 'x'.repeat(101) }),
      'description',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with 26 options',
      withOptions(...many(26, (index) => text({ name: `o${index}` }))),
      'options',
      'BASE_TYPE_MAX_LENGTH',
    ],
    ['with an unknown type', say({ type: 9 }), 'type', 'BASE_TYPE_CHOICES'],
    ['with an unknown locale', say({ name_localizations: { xx: 'a' } }), 'name_localizations.xx', 'ENUM_TYPE_COERCE'],
    [
      'with a bad localized name',
      say({ name_localizations: { de: 'Sag Es' } }),
      'name_localizations.de',
      'STRING_TYPE_REGEX',
    ],
    [
      'with a long localized description',
      say({ description_localizations: { de: 'x'.repeat(101) } }),
      'description_localizations.de',
      'BASE_TYPE_BAD_LENGTH',
    ],
    ['with an unknown context', say({ contexts: [3] }), 'contexts', 'BASE_TYPE_CHOICES'],
    [
      'with permissions that are no number',
      say({ default_member_permissions: 'admin' }),
      'default_member_permissions',
      'BITFIELD_TYPE_CONVERT',
    ],
    [
      'of the message kind with a description',
      say({ type: 3 }),
      'description',
      'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION',
    ],
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
    [
      'of the user kind with options',
      { type: 2, name: 'Their voice', options: [text()] },
      'options',
      'APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS',
    ],
    ['with a context named twice', say({ contexts: [0, 0] }), 'contexts', 'SET_TYPE_DUPLICATE'],
    ['with a number as its name', say({ name: 7 }), 'name', 'STRING_TYPE_CONVERT'],
    ['with options that are no list', say({ options: {} }), 'options', 'LIST_TYPE_CONVERT'],
    ['with an option that is no object', withOptions('text' as never), 'options.0', 'MODEL_TYPE_CONVERT'],
    [
      'with localizations that are no object',
      say({ name_localizations: ['de'] }),
      'name_localizations',
      'DICT_TYPE_CONVERT',
    ],
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
  ])('%s', async (_, command, at, code) => {
    const { status, body } = await call(world, 'POST', path, command);
    expect([status, body.code, body.message]).toEqual([400, 50035, 'Invalid Form Body']);
    const node = at.split('.').reduce((tree, step) => tree?.[step], body.errors);
    expect(
      node?._errors?.map((error: { code: string }) => error.code),
      JSON.stringify(body.errors),
    ).toContain(code);
  });

  it('with more than 8000 characters in all', async () => {
    const option = (index: number) =>
      text({
        name: `option-${index}`,
        description: 'x'.repeat(100),
        choices: many(3, (choice) => ({ name: `${choice}${'n'.repeat(90)}`, value: 'v'.repeat(60) })),
      });
    const { body } = await call(world, 'POST', path, withOptions(...many(20, option)));
    expect(body.errors._errors[0].code).toBe('APPLICATION_COMMAND_TOO_LARGE');
  });

  it('for another application with 20012', async () => {
    expect(await call(world, 'GET', '/applications/123/commands')).toMatchObject({
      status: 403,
      body: { code: 20012 },
    });
  });

  it('for a server the bot is not in with 50001', async () => {
    expect(await call(world, 'PUT', `/applications/${world.bot.applicationId}/guilds/123/commands`, [])).toMatchObject({
      status: 403,
      body: { code: 50001 },
    });
  });

  it('when two of a bulk have one name', async () => {
    const { body } = await call(world, 'PUT', path, [say(), say()]);
    expect(body.errors[1]._errors[0].code).toBe('APPLICATION_COMMANDS_DUPLICATE_NAME');
  });

  it('when it is the 101st', async () => {
    const commands = many(101, (index) => say({ name: `say-${index}` }));
    expect(await call(world, 'PUT', path, commands)).toMatchObject({ status: 400, body: { code: 30032 } });
    expect((await call(world, 'PUT', path, commands.slice(1))).status).toBe(200);
    expect(await call(world, 'POST', path, say())).toMatchObject({ status: 400, body: { code: 30032 } });
  });

  it.each([2, 3])('when it is the 16th of type %i', async (type) => {
    const commands = many(16, (index) => ({ type, name: `Menu ${index}` }));
    expect(await call(world, 'PUT', path, commands)).toMatchObject({ status: 400, body: { code: 30032 } });
    expect((await call(world, 'PUT', path, commands.slice(1))).status).toBe(200);
  });
});
