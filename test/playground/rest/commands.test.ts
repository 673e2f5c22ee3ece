import { describe, expect, it } from 'vitest';
import { call, codesAt, refusals } from '../raw-client.ts';
import { many, say, text, withOptions, worldForCommands } from './command-world.ts';

// https://discord.com/developers/docs/interactions/application-commands#application-command-object
const own = worldForCommands();

describe('a command is refused', () => {
  it.each([
    ['name BASE_TYPE_REQUIRED', say({ name: undefined })],
    ['name BASE_TYPE_BAD_LENGTH', say({ name: 'a'.repeat(33) })],
    ['name STRING_TYPE_REGEX', say({ name: 'say it' })],
    ['name APPLICATION_COMMAND_INVALID_NAME', say({ name: 'Say' })],
    ['description BASE_TYPE_REQUIRED', say({ description: undefined })],
    ['description BASE_TYPE_BAD_LENGTH', say({ description: 'x'.repeat(101) })],
    ['options BASE_TYPE_MAX_LENGTH', withOptions(...many(26, (index) => text({ name: `o${index}` })))],
    ['type BASE_TYPE_CHOICES', say({ type: 9 })],
    ['name_localizations.xx ENUM_TYPE_COERCE', say({ name_localizations: { xx: 'a' } })],
    ['name_localizations.de STRING_TYPE_REGEX', say({ name_localizations: { de: 'Sag Es' } })],
    ['description_localizations.de BASE_TYPE_BAD_LENGTH', say({ description_localizations: { de: 'x'.repeat(101) } })],
    ['contexts BASE_TYPE_CHOICES', say({ contexts: [3] })],
    ['default_member_permissions BITFIELD_TYPE_CONVERT', say({ default_member_permissions: 'admin' })],
    ['description APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION', say({ type: 3 })],
    ['options APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS', { type: 2, name: 'Their voice', options: [text()] }],
    ['contexts.1 SET_TYPE_ALREADY_CONTAINS_VALUE', say({ contexts: [0, 0] })],
    ['contexts BASE_TYPE_BAD_LENGTH', say({ contexts: [] })],
    ['name STRING_TYPE_CONVERT', say({ name: 7 })],
    ['options LIST_TYPE_CONVERT', say({ options: {} })],
    ['name_localizations DICT_TYPE_CONVERT', say({ name_localizations: ['de'] })],
    ['contexts BASE_TYPE_BAD_LENGTH', say({ contexts: [0, 1, 2, 0] })],
    ['integration_types BASE_TYPE_BAD_LENGTH', say({ integration_types: [0, 1, 0] })],
    ['integration_types BASE_TYPE_BAD_LENGTH', say({ integration_types: [] })],
    ['description_localizations.de STRING_TYPE_CONVERT', say({ description_localizations: { de: 7 } })],
    ['name_localizations.de BASE_TYPE_REQUIRED', say({ name_localizations: { de: null } })],
    ['description_localizations.de BASE_TYPE_REQUIRED', say({ description_localizations: { de: null } })],
    ...[2, 3].flatMap((type): [string, object][] => [
      [
        'description_localizations.xx ENUM_TYPE_COERCE',
        { type, name: 'Speak', description_localizations: { xx: 'a' } },
      ],
      [
        'name_localizations.de BASE_TYPE_BAD_LENGTH',
        { type, name: 'Speak', name_localizations: { de: 'x'.repeat(33) } },
      ],
    ]),
  ])('%s', async (expected, command) => {
    expect(refusals(await call(own.world, 'PUT', own.path, [command]))).toContain(`0.${expected}`);
  });

  it('with more than 8000 characters in all', async () => {
    const option = (index: number) =>
      text({
        name: `option-${index}`,
        description: 'x'.repeat(100),
        choices: many(3, (choice) => ({ name: `${choice}${'n'.repeat(90)}`, value: 'v'.repeat(60) })),
      });
    const { body } = await call(own.world, 'PUT', own.path, [withOptions(...many(20, option))]);
    expect(body.errors[0]._errors[0].code).toBe('APPLICATION_COMMAND_TOO_LARGE');
  });

  it('not for a translation into Arabic or Hebrew', async () => {
    const translated = say({ name_localizations: { ar: 'a', he: 'b' } });
    expect((await call(own.world, 'PUT', own.path, [translated])).status).toBe(200);
  });

  it('for another application with 20012', async () => {
    expect(await call(own.world, 'GET', '/applications/123/commands')).toMatchObject({
      status: 403,
      body: { code: 20012 },
    });
  });

  it('for a server the bot is not in with 50001', async () => {
    const elsewhere = `/applications/${own.world.bot.applicationId}/guilds/123/commands`;
    expect(await call(own.world, 'PUT', elsewhere, [])).toMatchObject({ status: 403, body: { code: 50001 } });
  });

  // …#bulk-overwrite-global-application-commands
  it('when a bulk is no list', async () => {
    const answer = await call(own.world, 'PUT', own.path, say());
    expect([answer.status, answer.body.code]).toEqual([400, 50035]);
    expect(codesAt(answer, '')).toEqual(['LIST_TYPE_CONVERT']);
  });

  it('when two of a bulk have one name', async () => {
    const { body } = await call(own.world, 'PUT', own.path, [say(), say()]);
    expect(body.errors[1]._errors[0].code).toBe('APPLICATION_COMMANDS_DUPLICATE_NAME');
  });

  it('when it is the 101st', async () => {
    const commands = many(101, (index) => say({ name: `say-${index}` }));
    expect(await call(own.world, 'PUT', own.path, commands)).toMatchObject({ status: 400, body: { code: 30032 } });
    expect((await call(own.world, 'PUT', own.path, commands.slice(1))).status).toBe(200);
  });

  it.each([2, 3])('when it is the 16th of type %i', async (type) => {
    const commands = many(16, (index) => ({ type, name: `Menu ${index}` }));
    expect(await call(own.world, 'PUT', own.path, commands)).toMatchObject({ status: 400, body: { code: 30032 } });
    expect((await call(own.world, 'PUT', own.path, commands.slice(1))).status).toBe(200);
  });
});
