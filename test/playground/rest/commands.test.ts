import { describe, expect, it } from 'vitest';
import { call, codesAt } from '../raw-client.ts';
import { many, say, text, withOptions } from './command-drafts.ts';
import { freshCommands } from './command-world.ts';

// https://discord.com/developers/docs/interactions/application-commands#application-command-object
const fresh = freshCommands();

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
      'of the user kind with options',
      { type: 2, name: 'Their voice', options: [text()] },
      'options',
      'APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS',
    ],
    ['with a context named twice', say({ contexts: [0, 0] }), 'contexts.1', 'SET_TYPE_ALREADY_CONTAINS_VALUE'],
    ['for no context', say({ contexts: [] }), 'contexts', 'BASE_TYPE_BAD_LENGTH'],
    ['with a number as its name', say({ name: 7 }), 'name', 'STRING_TYPE_CONVERT'],
    ['with options that are no list', say({ options: {} }), 'options', 'LIST_TYPE_CONVERT'],
    [
      'with localizations that are no object',
      say({ name_localizations: ['de'] }),
      'name_localizations',
      'DICT_TYPE_CONVERT',
    ],
    ['with more contexts than there are', say({ contexts: [0, 1, 2, 0] }), 'contexts', 'BASE_TYPE_BAD_LENGTH'],
    [
      'with more kinds of installation than there are',
      say({ integration_types: [0, 1, 0] }),
      'integration_types',
      'BASE_TYPE_BAD_LENGTH',
    ],
    ['for no kind of installation', say({ integration_types: [] }), 'integration_types', 'BASE_TYPE_BAD_LENGTH'],
    [
      'with a description that is no text in some language',
      say({ description_localizations: { de: 7 } }),
      'description_localizations.de',
      'STRING_TYPE_CONVERT',
    ],
    [
      'with a name that is null in some language',
      say({ name_localizations: { de: null } }),
      'name_localizations.de',
      'BASE_TYPE_REQUIRED',
    ],
    [
      'with a description that is null in some language',
      say({ description_localizations: { de: null } }),
      'description_localizations.de',
      'BASE_TYPE_REQUIRED',
    ],
    ...[2, 3].flatMap((type): [string, object, string, string][] => [
      [
        `of type ${type} with a description in a language that does not exist`,
        { type, name: 'Speak', description_localizations: { xx: 'a' } },
        'description_localizations.xx',
        'ENUM_TYPE_COERCE',
      ],
      [
        `of type ${type} with a name of 33 characters in some language`,
        { type, name: 'Speak', name_localizations: { de: 'x'.repeat(33) } },
        'name_localizations.de',
        'BASE_TYPE_BAD_LENGTH',
      ],
    ]),
  ])('%s', async (_, command, at, code) => {
    const answer = await call(fresh.world, 'POST', fresh.path, command);
    expect([answer.status, answer.body.code, answer.body.message]).toEqual([400, 50035, 'Invalid Form Body']);
    expect(codesAt(answer, at), JSON.stringify(answer.body.errors)).toContain(code);
  });

  it('with more than 8000 characters in all', async () => {
    const option = (index: number) =>
      text({
        name: `option-${index}`,
        description: 'x'.repeat(100),
        choices: many(3, (choice) => ({ name: `${choice}${'n'.repeat(90)}`, value: 'v'.repeat(60) })),
      });
    const { body } = await call(fresh.world, 'POST', fresh.path, withOptions(...many(20, option)));
    expect(body.errors._errors[0].code).toBe('APPLICATION_COMMAND_TOO_LARGE');
  });

  it('not for a translation into Arabic or Hebrew', async () => {
    const translated = say({ name_localizations: { ar: 'a', he: 'b' } });
    expect((await call(fresh.world, 'POST', fresh.path, translated)).status).toBe(201);
  });

  it('for another application with 20012', async () => {
    expect(await call(fresh.world, 'GET', '/applications/123/commands')).toMatchObject({
      status: 403,
      body: { code: 20012 },
    });
  });

  it.each([
    ['PUT', ''],
    ['GET', '/permissions'],
  ])('for a server the bot is not in with 50001: %s …/commands%s', async (method, rest) => {
    const elsewhere = `/applications/${fresh.world.bot.applicationId}/guilds/123/commands${rest}`;
    const answer = await call(fresh.world, method, elsewhere, method === 'PUT' ? [] : undefined);
    expect(answer).toMatchObject({ status: 403, body: { code: 50001 } });
  });

  // …#bulk-overwrite-global-application-commands
  it('when a bulk is no list', async () => {
    const answer = await call(fresh.world, 'PUT', fresh.path, say());
    expect([answer.status, answer.body.code]).toEqual([400, 50035]);
    expect(codesAt(answer, '')).toEqual(['LIST_TYPE_CONVERT']);
  });

  it('when two of a bulk have one name', async () => {
    const { body } = await call(fresh.world, 'PUT', fresh.path, [say(), say()]);
    expect(body.errors[1]._errors[0].code).toBe('APPLICATION_COMMANDS_DUPLICATE_NAME');
  });

  it('when it is the 101st', async () => {
    const commands = many(101, (index) => say({ name: `say-${index}` }));
    expect(await call(fresh.world, 'PUT', fresh.path, commands)).toMatchObject({ status: 400, body: { code: 30032 } });
    expect((await call(fresh.world, 'PUT', fresh.path, commands.slice(1))).status).toBe(200);
    expect(await call(fresh.world, 'POST', fresh.path, say())).toMatchObject({ status: 400, body: { code: 30032 } });
  });

  it.each([2, 3])('when it is the 16th of type %i', async (type) => {
    const commands = many(16, (index) => ({ type, name: `Menu ${index}` }));
    expect(await call(fresh.world, 'PUT', fresh.path, commands)).toMatchObject({ status: 400, body: { code: 30032 } });
    expect((await call(fresh.world, 'PUT', fresh.path, commands.slice(1))).status).toBe(200);
  });
});
