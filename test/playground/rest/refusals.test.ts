import { GatewayIntentBits } from 'discord-api-types/v10';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startWorld, type World } from '../../../src/playground/world/world.ts';
import { createManualClock } from '../../pace/manual-clock.ts';
import { call, form, interactionOf, logIn, type RawGateway, refusals } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();

beforeAll(async () => {
  world = await startWorld({ clock });
  gateway = await logIn(world, { intents: GatewayIntentBits.Guilds });
});
afterAll(() => world.close());
// Commands may be created, and messages posted, again.
beforeEach(() => clock.advance(86_400_000));

const many = <T>(count: number, one: (index: number) => T) => Array.from({ length: count }, (_, index) => one(index));
const x = (count: number) => 'x'.repeat(count);

const commandsPath = () => `/applications/${world.bot.applicationId}/commands`;
const register = (...commands: object[]) => call(world, 'PUT', commandsPath(), commands);
const text = (change: object = {}) => ({ type: 3, name: 'text', description: 'What to say', ...change });
const say = (change: object = {}) => ({ name: 'say', description: 'Speak', ...change });
const taking = (...options: object[]) => say({ options });
const choice = (change: object = {}) => ({ name: 'a', value: 'b', ...change });

// https://discord.com/developers/docs/interactions/application-commands#application-command-object
describe('a command is refused', () => {
  it.each([
    ['name BASE_TYPE_REQUIRED', say({ name: undefined })],
    ['name BASE_TYPE_BAD_LENGTH', say({ name: x(33) })],
    ['name STRING_TYPE_REGEX', say({ name: 'say it' })],
    ['name STRING_TYPE_CONVERT', say({ name: 7 })],
    ['name APPLICATION_COMMAND_INVALID_NAME', say({ name: 'Say' })],
    ['description BASE_TYPE_BAD_LENGTH', say({ description: x(101) })],
    ['description APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION', say({ type: 3 })],
    ['options BASE_TYPE_MAX_LENGTH', taking(...many(26, (index) => text({ name: `o${index}` })))],
    ['options LIST_TYPE_CONVERT', say({ options: {} })],
    ['options APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS', { type: 2, name: 'Their voice', options: [text()] }],
    ['type BASE_TYPE_CHOICES', say({ type: 9 })],
    ['name_localizations DICT_TYPE_CONVERT', say({ name_localizations: ['de'] })],
    ['name_localizations.xx ENUM_TYPE_COERCE', say({ name_localizations: { xx: 'a' } })],
    ['name_localizations.de STRING_TYPE_REGEX', say({ name_localizations: { de: 'Sag Es' } })],
    ['name_localizations.de BASE_TYPE_REQUIRED', say({ name_localizations: { de: null } })],
    ['description_localizations.de BASE_TYPE_BAD_LENGTH', say({ description_localizations: { de: x(101) } })],
    ['contexts BASE_TYPE_CHOICES', say({ contexts: [3] })],
    ['contexts.1 SET_TYPE_ALREADY_CONTAINS_VALUE', say({ contexts: [0, 0] })],
    ['contexts BASE_TYPE_BAD_LENGTH', say({ contexts: [] })],
    ['default_member_permissions BITFIELD_TYPE_CONVERT', say({ default_member_permissions: 'admin' })],
    ['options.1 APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', taking(text(), text())],
    ['options.1 APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', taking(text(), text({ name: 'b', required: true }))],
    ['options.1 APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', taking(text({ type: 1, name: 'a' }), text())],
  ])('%s', async (expected, command) => {
    expect(refusals(await register(command))).toContain(`0.${expected}`);
  });

  // …#application-command-object-application-command-option-structure
  it.each([
    ['required BOOLEAN_TYPE_CONVERT', { required: 'yes' }],
    ['required APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', { type: 1, required: true }],
    ['options APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', { options: [text()] }],
    ['options.0.type APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', { type: 2, options: [text({ type: 2 })] }],
    ['choices APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID', { type: 5, choices: [choice()] }],
    ['choices.0.name BASE_TYPE_BAD_LENGTH', { choices: [choice({ name: x(101) })] }],
    ['choices.1.name APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS', { choices: [choice(), choice()] }],
    ['choices.0.value BASE_TYPE_BAD_LENGTH', { choices: [choice({ value: x(101) })] }],
    ['choices.0.value NUMBER_TYPE_COERCE', { type: 4, choices: [choice({ value: 1.5 })] }],
    ['choices.0.value NUMBER_TYPE_MAX', { type: 4, choices: [choice({ value: 2 ** 53 })] }],
    ['autocomplete APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES', { autocomplete: true, choices: [choice()] }],
    ['autocomplete APPLICATION_COMMAND_AUTOCOMPLETE_INVALID', { type: 5, autocomplete: true }],
    ['max_value APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID', { max_value: 3 }],
    ['min_value APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID', { type: 10, min_value: 2, max_value: 1 }],
    ['max_value NUMBER_TYPE_MIN', { type: 10, max_value: -1e300 }],
    ['max_length APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID', { type: 10, max_length: 3 }],
    ['max_length NUMBER_TYPE_MAX', { max_length: 6001 }],
    ['max_length NUMBER_TYPE_MIN', { max_length: 0 }],
    ['channel_types APPLICATION_COMMAND_OPTIONS_CHANNEL_TYPES', { channel_types: [2] }],
    ['channel_types BASE_TYPE_CHOICES', { type: 7, channel_types: [99] }],
  ])('for an option: %s', async (expected, change) => {
    expect(refusals(await register(taking(text(change))))).toContain(`0.options.0.${expected}`);
  });

  it('not at the limits of a number, nor for a translation into Arabic or Hebrew', async () => {
    const edges = [
      { type: 4, min_value: -(2 ** 53) + 1, max_value: 2 ** 53 - 1 },
      { type: 10, min_value: -(2 ** 53), max_value: 2 ** 53 },
    ];
    const options = edges.map((edge, index) => text({ name: `o${index}`, ...edge }));
    expect((await register(say({ options, name_localizations: { ar: 'a', he: 'b' } }))).status).toBe(200);
  });

  it('with more than 8000 characters in all', async () => {
    const choices = many(3, (at) => ({ name: `${at}${x(90)}`, value: x(60) }));
    const options = many(20, (index) => text({ name: `option-${index}`, description: x(100), choices }));
    expect(refusals(await register(taking(...options)))).toEqual(['0 APPLICATION_COMMAND_TOO_LARGE']);
  });

  it('for another application with 20012, for a server the bot is not in with 50001', async () => {
    const other = await call(world, 'GET', '/applications/123/commands');
    expect(other).toMatchObject({ status: 403, body: { code: 20012 } });
    const elsewhere = `/applications/${world.bot.applicationId}/guilds/123/commands`;
    expect(await call(world, 'PUT', elsewhere, [])).toMatchObject({ status: 403, body: { code: 50001 } });
  });

  // …#bulk-overwrite-global-application-commands
  it('when a bulk is no list, or two of it have one name', async () => {
    expect(refusals(await call(world, 'PUT', commandsPath(), say()))).toEqual([' LIST_TYPE_CONVERT']);
    expect(refusals(await register(say(), say()))).toEqual(['1 APPLICATION_COMMANDS_DUPLICATE_NAME']);
  });

  it.each([
    [101, (index: number) => say({ name: `say-${index}` })],
    [16, (index: number) => ({ type: 2, name: `Menu ${index}` })],
    [16, (index: number) => ({ type: 3, name: `Menu ${index}` })],
  ])('when it is one of %i of a type', async (count, command) => {
    expect(await register(...many<object>(count, command))).toMatchObject({ status: 400, body: { code: 30032 } });
    expect((await register(...many<object>(count - 1, command))).status).toBe(200);
  });
});

const messagesPath = () => `/channels/${world.channel('general').id}/messages`;
const post = (body: unknown) => call(world, 'POST', messagesPath(), body);
const small = { name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') };
const mentions = (allowed_mentions: object) => ({ content: 'x', allowed_mentions });

// https://discord.com/developers/docs/resources/message#create-message
describe('a message is refused', () => {
  it.each([
    ['content BASE_TYPE_MAX_LENGTH', { content: x(2_001) }],
    ['embeds BASE_TYPE_MAX_LENGTH', { embeds: [{ title: 'Crier sends none' }] }],
    ['tts BOOLEAN_TYPE_CONVERT', { content: 'x', tts: 'no' }],
    ['flags NUMBER_TYPE_COERCE', { content: 'x', flags: 'loud' }],
    ['allowed_mentions MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE', mentions({ parse: ['users'], users: ['1'] })],
    ['allowed_mentions.parse BASE_TYPE_CHOICES', mentions({ parse: ['nobody'] })],
    ['allowed_mentions.users.0 NUMBER_TYPE_COERCE', mentions({ users: ['olga'] })],
    ['attachments BASE_TYPE_MAX_LENGTH', { content: 'x', attachments: many(11, (id) => ({ id })) }],
    ['attachments.0.id BASE_TYPE_REQUIRED', { content: 'x', attachments: [{ filename: 'a.txt' }] }],
    ['attachments.0.filename BASE_TYPE_BAD_LENGTH', { content: 'x', attachments: [{ id: 0, filename: x(1_025) }] }],
    ['attachments.0.duration_secs NUMBER_TYPE_MIN', { content: 'x', attachments: [{ id: 0, duration_secs: -1 }] }],
    ['message_reference MESSAGE_REFERENCE_UNKNOWN_MESSAGE', { content: 'x', message_reference: { message_id: '1' } }],
  ])('%s', async (expected, body) => {
    expect(refusals(await post(body))).toContain(expected);
  });

  it.each([{}, { content: '   ' }, { content: '', embeds: [] }])('when there is nothing in it: %j', async (body) => {
    expect(await post(body)).toMatchObject({ status: 400, body: { code: 50006 } });
  });

  // https://discord.com/developers/docs/reference#uploading-files
  it('with a file of more than 10 MiB, with 11 files, and when an edit adds the eleventh', async () => {
    const large = { ...small, bytes: new Uint8Array(10 * 1024 * 1024 + 1) };
    expect(await post(form({ content: 'x' }, large))).toMatchObject({ status: 413, body: { code: 40005 } });
    const eleven = await post(form({ content: 'x' }, ...many(11, () => small)));
    expect(refusals(eleven)).toContain('files BASE_TYPE_MAX_LENGTH');
    const { body } = await post(form({}, ...many(10, () => small)));
    const edited = await call(world, 'PATCH', `${messagesPath()}/${body.id}`, form({}, small));
    expect(refusals(edited)).toContain('attachments BASE_TYPE_MAX_LENGTH');
  });

  // https://discord.com/developers/docs/resources/message#edit-message
  it('when an edit leaves nothing in it, in a forum, and neither in JSON nor in a form', async () => {
    const { body } = await post({ content: 'x' });
    const emptied = await call(world, 'PATCH', `${messagesPath()}/${body.id}`, { content: '' });
    expect(emptied).toMatchObject({ status: 400, body: { code: 50006 } });
    const { id } = world.newChannel('help', 'forum');
    const inForum = await call(world, 'POST', `/channels/${id}/messages`, { content: 'x' });
    expect(inForum).toMatchObject({ status: 400, body: { code: 50008 } });
    const headers = { 'content-type': 'text/plain' };
    const plain = await call(world, 'POST', messagesPath(), { content: 'x' }, { headers });
    expect(refusals(plain)).toEqual([' CONTENT_TYPE_INVALID']);
  });

  // https://discord.com/developers/docs/resources/user#create-dm
  it('to a user that does not exist, and to a bot', async () => {
    const to = (recipient_id: string) => call(world, 'POST', '/users/@me/channels', { recipient_id });
    expect(await to('1')).toMatchObject({ status: 404, body: { code: 10013 } });
    expect(await to(world.bot.userId)).toMatchObject({ status: 403, body: { code: 50007 } });
  });
});

// https://discord.com/developers/docs/topics/permissions
describe('the bot needs', () => {
  it.each([
    ['ViewChannel', { content: 'x' }, 50001],
    ['SendMessages', { content: 'x' }, 50013],
    ['SendTTSMessages', { content: 'x', tts: true }, 50013],
    ['AttachFiles', form({ content: 'x' }, small), 50013],
  ] as const)('%s', async (permission, body, code) => {
    world.channel('general').allowBot(permission);
    expect((await post(body)).status).toBe(200);
    world.channel('general').denyBot(permission);
    expect(await post(body)).toMatchObject({ status: 403, body: { code } });
    world.channel('general').resetBot();
  });

  it('Manage Messages to delete others’ messages, and can never edit them', async () => {
    const path = `${messagesPath()}/${world.member('alice').says('hello').messageId}`;
    expect(await call(world, 'DELETE', path)).toMatchObject({ status: 403, body: { code: 50013 } });
    world.channel('general').allowBot('ManageMessages');
    expect((await call(world, 'PATCH', path, { content: 'x' })).body.code).toBe(50005);
    expect((await call(world, 'DELETE', path)).status).toBe(204);
    expect(await call(world, 'GET', path)).toMatchObject({ status: 404, body: { code: 10008 } });
  });

  it('a channel that exists', async () => {
    expect(await call(world, 'GET', '/channels/1')).toMatchObject({ status: 404, body: { code: 10003 } });
  });
});

const button = (change: object = {}) => ({ type: 2, style: 1, label: 'Skip', custom_id: 'skip', ...change });
const link = (change: object) => ({ type: 2, style: 5, label: 'Help', ...change });
const offering = (...options: object[]) => ({
  type: 3,
  custom_id: 'v',
  options: options.map((option) => ({ label: 'Ada', value: 'ada', ...option })),
});
const select = (change: object = {}) => ({ ...offering({}), ...change });
const members = (change: object) => ({ type: 5, custom_id: 'x', ...change });
const chosen = (count: number, type: string) => many(count, (index) => ({ id: `${index + 1}`, type }));
const row = (...components: object[]) => ({ content: 'x', components: [{ type: 1, components }] });
const v2 = (...components: object[]) => ({ flags: 1 << 15, components });
const words = (content = 'x') => ({ type: 10, content });
const section = (change: object) => ({ type: 9, components: [words()], accessory: button(), ...change });
// https://discord.com/developers/docs/components/reference
describe('components of a message are refused', () => {
  it.each([
    ['style BASE_TYPE_CHOICES', button({ style: 7 })],
    ['custom_id BASE_TYPE_BAD_LENGTH', button({ custom_id: x(101) })],
    ['label BASE_TYPE_MAX_LENGTH', button({ label: x(81) })],
    [' BUTTON_COMPONENT_LABEL_REQUIRED', button({ label: undefined })],
    ['custom_id BUTTON_COMPONENT_CUSTOM_ID_INVALID', button({ style: 5, url: 'https://example.org' })],
    ['url BUTTON_COMPONENT_URL_INVALID', button({ url: 'https://example.org' })],
    ['emoji.name BASE_TYPE_MAX_LENGTH', button({ emoji: { name: x(33) } })],
    ['url BASE_TYPE_REQUIRED', link({ url: undefined })],
    ['options BASE_TYPE_BAD_LENGTH', offering()],
    ['options.0.value BASE_TYPE_BAD_LENGTH', offering({ value: x(101) })],
    ['options.1 SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', offering({}, {})],
    ['min_values NUMBER_TYPE_MAX', select({ min_values: 26 })],
    ['max_values SELECT_COMPONENT_MAX_VALUES_TOO_LARGE', select({ max_values: 2 })],
    ['min_values SELECT_COMPONENT_MIN_VALUES_TOO_LARGE', members({ min_values: 3, max_values: 2 })],
    ['default_values SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES', members({ default_values: chosen(2, 'user') })],
    ['default_values.0.type BASE_TYPE_CHOICES', members({ default_values: chosen(1, 'channel') })],
    ['default_values.0.id NUMBER_TYPE_COERCE', members({ default_values: [{ id: 'admins', type: 'user' }] })],
    ['channel_types BASE_TYPE_CHOICES', members({ type: 8, channel_types: [99] })],
  ])('in a row: %s', async (expected, component) => {
    const [at, code] = expected.split(' ');
    const path = ['components.0.components.0', at].filter(Boolean).join('.');
    expect(refusals(await post(row(component)))).toContain(`${path} ${code}`);
  });

  it.each<[expected: string, body: object]>([
    ['components BASE_TYPE_MAX_LENGTH', { content: 'x', components: many(6, () => ({ type: 1 })) }],
    ['components.0.type UNION_TYPE_CHOICES', { content: 'x', components: [button()] }],
    ['components.0.components BASE_TYPE_BAD_LENGTH', row(...many(6, (at) => button({ custom_id: `${at}` })))],
    ['components.0.components.1.custom_id COMPONENT_CUSTOM_ID_DUPLICATED', row(button(), button())],
    ['components.0.components COMPONENT_LAYOUT_WIDTH_EXCEEDED', row(select(), button())],
    ['content MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', { ...v2(words()), content: 'x' }],
    ['components COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', v2({ type: 17, components: many(40, () => words()) })],
    ['components COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', v2(words(x(3_000)), words(x(1_001)))],
    ['components.0.type UNION_TYPE_CHOICES', v2({ type: 18, label: 'x', component: button() })],
    ['components.0.content BASE_TYPE_REQUIRED', v2(words(''))],
    ['components.0.components BASE_TYPE_BAD_LENGTH', v2(section({ components: many(4, () => words()) }))],
    ['components.0.components.0.type UNION_TYPE_CHOICES', v2(section({ components: [button({ custom_id: 'b' })] }))],
    ['components.0.accessory BASE_TYPE_REQUIRED', v2(section({ accessory: undefined }))],
    ['components.0.accessory.type UNION_TYPE_CHOICES', v2(section({ accessory: words() }))],
    ['components.0.components.0.type UNION_TYPE_CHOICES', v2({ type: 17, components: [{ type: 17 }] })],
  ])('%s', async (expected, body) => {
    expect(refusals(await post(body))).toContain(expected);
  });

  it('of more than 10,170 bytes, 12 of them for each text, with 500; of none with 50006', async () => {
    const inDevanagari = words('ऄ'.repeat(3_200));
    expect((await post(v2(inDevanagari, words(x(546))))).status).toBe(200);
    expect((await post(v2(inDevanagari, words(x(547))))).status).toBe(500);
    expect((await post(v2())).body.code).toBe(50006);
  });

  it('where a message would be both: it stays Components V2, and becomes it only without content', async () => {
    const { body } = await post(v2(words()));
    const edit = (id: string, change: object) => call(world, 'PATCH', `${messagesPath()}/${id}`, change);
    expect((await edit(body.id, { flags: 0, content: 'old' })).body.code).toBe(50035);
    expect((await edit(body.id, { flags: 0, components: [words('y')] })).body.flags).toBe(1 << 15);
    const { body: old } = await post({ content: 'old' });
    expect((await edit(old.id, v2(words('y')))).body.code).toBe(50035);
    expect((await edit(old.id, { ...v2(words('y')), content: null })).status).toBe(200);
  });
});

const input = (change: object = {}) => ({ type: 4, custom_id: 'name', style: 1, ...change });
const label = (component: object, change: object = {}) => ({ type: 18, label: 'Name', component, ...change });
const modal = (...components: object[]) => ({ custom_id: 'm', title: 'Edit', components });
const upload = (change: object) => ({ type: 19, custom_id: 'file', ...change });
/** Answers a command with a modal. */
async function show(data: object) {
  await register({ name: 'panel', description: 'x' });
  const { id } = await world.member('olga').types('/panel');
  const { token } = await interactionOf(gateway, id);
  return call(world, 'POST', `/interactions/${id}/${token}/callback`, { type: 9, data }, { token: null });
}

// https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal
describe('a modal is refused', () => {
  it.each([
    ['custom_id BASE_TYPE_REQUIRED', { ...modal(label(input())), custom_id: undefined }],
    ['title BASE_TYPE_BAD_LENGTH', { ...modal(label(input())), title: x(46) }],
    ['components BASE_TYPE_BAD_LENGTH', modal(...many(6, (at) => label(input({ custom_id: `${at}` }))))],
    ['components.0.type UNION_TYPE_CHOICES', modal(input())],
    ['components.0.label BASE_TYPE_REQUIRED', modal(label(input(), { label: undefined }))],
    ['components.1.component.custom_id COMPONENT_CUSTOM_ID_DUPLICATED', modal(label(input()), label(input()))],
  ])('%s', async (expected, data) => {
    expect(refusals(await show(data))).toContain(`data.${expected}`);
  });

  it.each([
    ['type UNION_TYPE_CHOICES', button()],
    ['disabled COMPONENT_DISABLED_IN_MODAL', members({ disabled: true })],
    ['style BASE_TYPE_CHOICES', input({ style: 3 })],
    ['value BASE_TYPE_MAX_LENGTH', input({ value: x(4_001) })],
    ['max_values NUMBER_TYPE_MAX', upload({ max_values: 11 })],
  ])('for a field: %s', async (expected, component) => {
    const answer = await show(modal(label(component)));
    expect(refusals(answer)).toContain(`data.components.0.component.${expected}`);
  });
});
