import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, codesAt, form, refusals } from '../raw-client.ts';

let world: World;
const clock = createManualClock();

beforeAll(async () => {
  world = await startWorld({ clock });
});
afterAll(() => world.close());
// Messages may be posted again.
beforeEach(() => clock.advance(10_000));

const path = () => `/channels/${world.channel('general').id}/messages`;
const post = (body: unknown) => call(world, 'POST', path(), body);

// https://discord.com/developers/docs/resources/message#create-message
describe('a message is refused', () => {
  it.each([
    ['content BASE_TYPE_MAX_LENGTH', { content: 'x'.repeat(2001) }],
    ['embeds BASE_TYPE_MAX_LENGTH', { embeds: Array.from({ length: 11 }, () => ({ title: 'x' })) }],
    ['embeds.0.title BASE_TYPE_MAX_LENGTH', { embeds: [{ title: 'x'.repeat(257) }] }],
    ['embeds.0.description BASE_TYPE_MAX_LENGTH', { embeds: [{ description: 'x'.repeat(4097) }] }],
    [
      'embeds.0.fields BASE_TYPE_MAX_LENGTH',
      { embeds: [{ fields: Array.from({ length: 26 }, () => ({ name: 'a', value: 'b' })) }] },
    ],
    ['embeds.0.fields.0.value BASE_TYPE_REQUIRED', { embeds: [{ fields: [{ name: 'a' }] }] }],
    [
      'embeds MAX_EMBED_SIZE_EXCEEDED',
      { embeds: [{ description: 'x'.repeat(4000) }, { description: 'x'.repeat(2001) }] },
    ],
    [
      'allowed_mentions MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
      { content: 'x', allowed_mentions: { parse: ['users'], users: ['1'] } },
    ],
    ['embeds.0.color NUMBER_TYPE_MAX', { embeds: [{ title: 'x', color: 0x1000000 }] }],
    ['embeds.0.footer.text BASE_TYPE_MAX_LENGTH', { embeds: [{ footer: { text: 'x'.repeat(2_049) } }] }],
    ['embeds.0.author.name BASE_TYPE_MAX_LENGTH', { embeds: [{ author: { name: 'x'.repeat(257) } }] }],
    ['embeds.0.fields.0.name BASE_TYPE_BAD_LENGTH', { embeds: [{ fields: [{ name: 'x'.repeat(257), value: 'b' }] }] }],
    [
      'embeds.0.fields.0.value BASE_TYPE_BAD_LENGTH',
      { embeds: [{ fields: [{ name: 'a', value: 'x'.repeat(1_025) }] }] },
    ],
    ['allowed_mentions.parse BASE_TYPE_CHOICES', { content: 'x', allowed_mentions: { parse: ['nobody'] } }],
    [
      'allowed_mentions.users BASE_TYPE_MAX_LENGTH',
      { content: 'x', allowed_mentions: { users: Array.from({ length: 101 }, (_, index) => `${index}`) } },
    ],
    [
      'allowed_mentions.roles BASE_TYPE_MAX_LENGTH',
      { content: 'x', allowed_mentions: { roles: Array.from({ length: 101 }, (_, index) => `${index}`) } },
    ],
    [
      'allowed_mentions.parse BASE_TYPE_MAX_LENGTH',
      { content: 'x', allowed_mentions: { parse: ['users', 'roles', 'everyone', 'users'] } },
    ],
    [
      'allowed_mentions.users.1 SET_TYPE_ALREADY_CONTAINS_VALUE',
      { content: 'x', allowed_mentions: { users: ['1', '1'] } },
    ],
    [
      'allowed_mentions.roles.2 SET_TYPE_ALREADY_CONTAINS_VALUE',
      { content: 'x', allowed_mentions: { roles: ['1', '2', '1'] } },
    ],
    [
      'allowed_mentions.parse.1 SET_TYPE_ALREADY_CONTAINS_VALUE',
      { content: 'x', allowed_mentions: { parse: ['users', 'users'] } },
    ],
    ['allowed_mentions.users.0 NUMBER_TYPE_COERCE', { content: 'x', allowed_mentions: { users: ['olga'] } }],
    ['allowed_mentions.replied_user BOOLEAN_TYPE_CONVERT', { content: 'x', allowed_mentions: { replied_user: 'no' } }],
    ['tts BOOLEAN_TYPE_CONVERT', { content: 'x', tts: 'no' }],
    [
      'embeds.0.fields.0.inline BOOLEAN_TYPE_CONVERT',
      { embeds: [{ fields: [{ name: 'a', value: 'b', inline: 'no' }] }] },
    ],
    [
      'attachments BASE_TYPE_MAX_LENGTH',
      { content: 'x', attachments: Array.from({ length: 11 }, (_, id) => ({ id })) },
    ],
    ['attachments.0.id BASE_TYPE_REQUIRED', { content: 'x', attachments: [{ filename: 'a.txt' }] }],
    [
      'attachments.0.filename BASE_TYPE_BAD_LENGTH',
      { content: 'x', attachments: [{ id: 0, filename: 'x'.repeat(1_025) }] },
    ],
    [
      'attachments.0.waveform BASE_TYPE_MAX_LENGTH',
      { content: 'x', attachments: [{ id: 0, waveform: 'A'.repeat(401) }] },
    ],
    ['attachments.0.duration_secs NUMBER_TYPE_MIN', { content: 'x', attachments: [{ id: 0, duration_secs: -1 }] }],
    ['flags NUMBER_TYPE_MIN', { content: 'x', flags: -1 }],
    ['flags NUMBER_TYPE_COERCE', { content: 'x', flags: 'loud' }],
  ])('%s', async (expected, body) => {
    expect(refusals(await post(body))).toContain(expected);
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

  const small = { name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') };

  it('when an edit adds an eleventh file', async () => {
    const file = (name: string) => ({ name, type: 'text/plain', bytes: Buffer.from('x') });
    const ten = Array.from({ length: 10 }, (_, index) => file(`${index}.txt`));
    const { body } = await post(form({}, ...ten));
    const answer = await call(world, 'PATCH', `${path()}/${body.id}`, form({}, file('11.txt')));
    expect(codesAt(answer, 'attachments')).toContain('BASE_TYPE_MAX_LENGTH');
  });

  it('not with an embed’s footer and author without text, which are not shown', async () => {
    const answer = await post({ embeds: [{ title: 'x', footer: {}, author: { name: '' } }] });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.body.embeds[0])).toEqual(['type', 'title']);
  });

  it('with 11 files', async () => {
    const answer = await post(form({ content: 'x' }, ...Array.from({ length: 11 }, () => small)));
    expect([answer.status, codesAt(answer, 'files')]).toEqual([400, ['BASE_TYPE_MAX_LENGTH']]);
  });

  it('with a file described with 1025 characters', async () => {
    const answer = await post(form({ attachments: [{ id: 0, description: 'x'.repeat(1_025) }] }, small));
    expect([answer.status, codesAt(answer, 'attachments.0.description')]).toEqual([400, ['BASE_TYPE_MAX_LENGTH']]);
  });

  // https://discord.com/developers/docs/resources/message#edit-message
  it('when an edit leaves nothing in it: 50006', async () => {
    const { body } = await post({ content: 'x' });
    expect(await call(world, 'PATCH', `${path()}/${body.id}`, { content: '' })).toMatchObject({
      status: 400,
      body: { code: 50006 },
    });
  });

  it('in a forum, which holds posts alone: 50008', async () => {
    const { id } = world.newChannel('help', 'forum');
    expect(await call(world, 'POST', `/channels/${id}/messages`, { content: 'x' })).toMatchObject({
      status: 400,
      body: { code: 50008 },
    });
  });

  it('neither in JSON nor in a form', async () => {
    const headers = { 'content-type': 'text/plain' };
    const answer = await call(world, 'POST', path(), { content: 'x' }, { headers });
    expect(codesAt(answer, '')).toEqual(['CONTENT_TYPE_INVALID']);
  });

  // https://discord.com/developers/docs/resources/user#create-dm
  it('to a user that does not exist: 10013', async () => {
    const answer = await call(world, 'POST', '/users/@me/channels', { recipient_id: '1' });
    expect(answer).toMatchObject({ status: 404, body: { code: 10013 } });
  });

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
    world.channel('general').setOverwrite('bot', {});
  });

  it('Attach Files for files', async () => {
    world.channel('general').denyBot('AttachFiles');
    const file = { name: 'a.txt', type: 'text/plain', bytes: Buffer.from('a') };
    expect(await post(form(text, file))).toMatchObject({ status: 403, body: { code: 50013 } });
    world.channel('general').setOverwrite('bot', {});
  });

  it('Manage Messages to delete others’ messages, and can never edit them', async () => {
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
