import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world.ts';
import { call, form, type RawAnswer } from '../raw-client.ts';

let world: World;
const clock = createManualClock();

beforeEach(async () => {
  world = await startWorld({ clock });
});
afterEach(() => world.close());

const path = () => `/channels/${world.channel('general').id}/messages`;
const post = (body: unknown) => call(world, 'POST', path(), body);
const codesAt = ({ body }: RawAnswer, at: string): string[] => {
  const node = at.split('.').reduce((tree, step) => (step === '' ? tree : tree?.[step]), body.errors);
  return (node?._errors ?? []).map((error: { code: string }) => error.code);
};
const button = (change: object = {}) => ({ type: 2, style: 1, label: 'Skip', custom_id: 'skip', ...change });
const row = (...components: object[]) => ({ type: 1, components });
const rows = (...components: object[]) => ({ content: 'x', components: [row(...components)] });
const select = (change: object = {}) => ({
  type: 3,
  custom_id: 'voice',
  options: [{ label: 'Ada', value: 'ada' }],
  ...change,
});
const V2 = 1 << 15;

// https://discord.com/developers/docs/resources/message#create-message
describe('a message is refused', () => {
  it.each([
    ['over 2000 characters', { content: 'x'.repeat(2001) }, 'content', 'BASE_TYPE_MAX_LENGTH'],
    [
      'with 11 embeds',
      { embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) },
      'embeds',
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with an embed title of 257 characters',
      { embeds: [{ title: 'x'.repeat(257) }] },
      'embeds.0.title',
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with an embed description of 4097',
      { embeds: [{ description: 'x'.repeat(4097) }] },
      'embeds.0.description',
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with 26 embed fields',
      { embeds: [{ fields: Array.from({ length: 26 }, () => ({ name: 'a', value: 'b' })) }] },
      'embeds.0.fields',
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with an embed field without value',
      { embeds: [{ fields: [{ name: 'a' }] }] },
      'embeds.0.fields.0.value',
      'BASE_TYPE_REQUIRED',
    ],
    [
      'with embeds of over 6000 characters',
      { embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] },
      'embeds',
      'MAX_EMBED_SIZE_EXCEEDED',
    ],
    [
      'mentioning users both parsed and listed',
      { content: 'x', allowed_mentions: { parse: ['users'], users: ['1'] } },
      'allowed_mentions',
      'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
    ],
    [
      'with six rows',
      { content: 'x', components: Array.from({ length: 6 }, (_, index) => row(button({ custom_id: `${index}` }))) },
      'components',
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with six buttons in a row',
      rows(...Array.from({ length: 6 }, (_, index) => button({ custom_id: `${index}` }))),
      'components.0.components',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a button outside a row',
      { content: 'x', components: [button()] },
      'components.0.type',
      'UNION_TYPE_CHOICES',
    ],
    [
      'with a custom id used twice',
      rows(button(), button()),
      'components.0.components.1.custom_id',
      'COMPONENT_CUSTOM_ID_DUPLICATED',
    ],
    [
      'with a custom id of 101 characters',
      rows(button({ custom_id: 'x'.repeat(101) })),
      'components.0.components.0.custom_id',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a label of 81 characters',
      rows(button({ label: 'x'.repeat(81) })),
      'components.0.components.0.label',
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with a button that says nothing',
      rows(button({ label: undefined })),
      'components.0.components.0',
      'BUTTON_COMPONENT_LABEL_REQUIRED',
    ],
    [
      'with a link that has a custom id',
      rows(button({ style: 5, url: 'https://example.org' })),
      'components.0.components.0.custom_id',
      'BUTTON_COMPONENT_CUSTOM_ID_INVALID',
    ],
    [
      'with a select next to a button',
      rows(select(), button()),
      'components.0.components',
      'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
    ],
    [
      'with 26 options in a select',
      rows(select({ options: Array.from({ length: 26 }, (_, index) => ({ label: 'a', value: `${index}` })) })),
      'components.0.components.0.options',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with an address on a button that is no link',
      rows(button({ url: 'https://example.org' })),
      'components.0.components.0.url',
      'BUTTON_COMPONENT_URL_INVALID',
    ],
    [
      'with a value twice in a select',
      rows(
        select({
          options: [
            { label: 'a', value: 'x' },
            { label: 'b', value: 'x' },
          ],
        }),
      ),
      'components.0.components.0.options.1.value',
      'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
    ],
    [
      'with more to choose than a select offers',
      rows(select({ max_values: 2 })),
      'components.0.components.0.max_values',
      'SELECT_COMPONENT_MAX_VALUES_TOO_LARGE',
    ],
    [
      'with a file that is not attached',
      { flags: V2, components: [{ type: 13, file: { url: 'https://example.org/a.wav' } }] },
      'components.0.file.url',
      'FILE_COMPONENT_URL_INVALID',
    ],
    [
      'with a text display but not the flag for it',
      { components: [{ type: 10, content: 'x' }] },
      'components.0.type',
      'UNION_TYPE_CHOICES',
    ],
    [
      'of Components V2 with content',
      { flags: V2, content: 'x', components: [{ type: 10, content: 'x' }] },
      'content',
      'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
    ],
    [
      'of Components V2 with 41 of them',
      {
        flags: V2,
        components: [{ type: 17, components: Array.from({ length: 40 }, () => ({ type: 10, content: 'x' })) }],
      },
      'components',
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
    ],
    [
      'of Components V2 with over 4000 characters',
      {
        flags: V2,
        components: [
          { type: 10, content: 'x'.repeat(3000) },
          { type: 10, content: 'x'.repeat(1001) },
        ],
      },
      'components',
      'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
    ],
    [
      'with a section without accessory',
      { flags: V2, components: [{ type: 9, components: [{ type: 10, content: 'x' }] }] },
      'components.0.accessory',
      'BASE_TYPE_REQUIRED',
    ],
  ])('%s', async (_, body, at, code) => {
    const answer = await post(body);
    expect([answer.status, answer.body.code]).toEqual([400, 50035]);
    expect(codesAt(answer, at), JSON.stringify(answer.body.errors)).toContain(code);
  });

  it.each([[{}], [{ content: '   ' }], [{ content: '', embeds: [] }]])(
    'when there is nothing in it: %j',
    async (body) => {
      expect(await post(body)).toMatchObject({
        status: 400,
        body: { code: 50006, message: 'Cannot send an empty message' },
      });
    },
  );

  // https://discord.com/developers/docs/reference#uploading-files
  it('with a file of more than 10 MiB: 40005', async () => {
    const file = { name: 'a.wav', type: 'audio/wav', bytes: new Uint8Array(10 * 1024 * 1024 + 1) };
    expect(await post(form({ content: 'x' }, file))).toMatchObject({ status: 413, body: { code: 40005 } });
  });

  it('neither in JSON nor in a form', async () => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await call(world, 'POST', path(), { content: 'x' }, { headers });
    expect(codesAt(answer, '')).toEqual(['CONTENT_TYPE_INVALID']);
  });

  // https://discord.com/developers/docs/resources/user#create-dm
  it('to a bot: 50007', async () => {
    const answer = await call(world, 'POST', '/users/@me/channels', { recipient_id: world.bot.userId });
    expect(answer).toMatchObject({ status: 403, body: { code: 50007 } });
  });

  it('in reply to a message that does not exist', async () => {
    const answer = await post({ content: 'x', message_reference: { message_id: '1' } });
    expect(codesAt(answer, 'message_reference')).toEqual(['MESSAGE_REFERENCE_UNKNOWN_MESSAGE']);
  });
});

// https://discord.com/developers/docs/topics/permissions
describe('the bot needs', () => {
  const text = { content: 'x' };
  it.each([
    ['View Channel', 'ViewChannel', text, 50001],
    ['Send Messages', 'SendMessages', text, 50013],
    ['Embed Links for embeds', 'EmbedLinks', { embeds: [{ title: 'x' }] }, 50013],
    ['Send TTS Messages for tts', 'SendTTSMessages', { content: 'x', tts: true }, 50013],
  ] as const)('%s', async (_, permission, body, code) => {
    if (permission === 'SendTTSMessages') world.channel('general').allowBot(permission);
    expect((await post(body)).status).toBe(200);
    world.channel('general').denyBot(permission);
    expect(await post(body)).toMatchObject({ status: 403, body: { code } });
  });

  it('Attach Files for files', async () => {
    world.channel('general').denyBot('AttachFiles');
    const file = { name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') };
    expect(await post(form(text, file))).toMatchObject({ status: 403, body: { code: 50013 } });
  });

  it('Manage Messages to delete what others wrote, and can never edit it', async () => {
    const { messageId } = world.member('alice').says('hello');
    expect(await call(world, 'DELETE', `${path()}/${messageId}`)).toMatchObject({ status: 403, body: { code: 50013 } });
    world.channel('general').allowBot('ManageMessages');
    expect(await call(world, 'PATCH', `${path()}/${messageId}`, text)).toMatchObject({
      status: 403,
      body: { code: 50005 },
    });
    expect((await call(world, 'DELETE', `${path()}/${messageId}`)).status).toBe(204);
    expect(await call(world, 'GET', `${path()}/${messageId}`)).toMatchObject({ status: 404, body: { code: 10008 } });
  });

  it('a channel that exists', async () => {
    expect(await call(world, 'GET', '/channels/1')).toMatchObject({ status: 404, body: { code: 10003 } });
  });
});

describe('messages are listed', () => {
  it('newest first, before or after one, ephemeral and deleted ones left out', async () => {
    const ids = ['a', 'b', 'c', 'd'].map((text) => world.member('alice').says(text).messageId);
    await call(world, 'GET', path());
    const list = async (query: string) =>
      (await call(world, 'GET', `${path()}?${query}`)).body.map((message: { content: string }) => message.content);
    expect(await list('limit=2')).toEqual(['d', 'c']);
    expect(await list(`limit=2&after=${ids[0]}`)).toEqual(['c', 'b']);
    expect(await list(`before=${ids[2]}`)).toEqual(['b', 'a']);
    expect((await call(world, 'GET', `${path()}?limit=101`)).status).toBe(400);
  });
});
