import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type VisibleMessage, type World } from '../../../src/playground/world/world.ts';
import { call, form, INTENTS, interactionOf, logIn, type RawGateway } from '../raw-client.ts';

let world: World;
let gateway: RawGateway;
const clock = createManualClock();
const soon = { timeoutMs: 1_000 };
const V2 = 1 << 15;

beforeEach(async () => {
  world = await startWorld({ clock });
  gateway = await logIn(world, { intents: INTENTS.guilds });
  await call(world, 'PUT', `/applications/${world.bot.applicationId}/commands`, [{ name: 'panel', description: 'x' }]);
});
afterEach(() => world.close());

const text = (content: string) => ({ type: 10, content });
const button = (label: string, change = {}) => ({ type: 2, style: 2, custom_id: label, label, ...change });
const row = (...components: object[]) => ({ type: 1, components });
const path = () => `/channels/${world.channel('general').id}/messages`;
const post = (components: readonly object[], change: object = {}) =>
  call(world, 'POST', path(), { flags: V2, components, ...change });

async function answer(id: string, body: unknown) {
  const { token } = await interactionOf(gateway, id);
  const { status, body: answered } = await call(world, 'POST', `/interactions/${id}/${token}/callback`, body, {
    token: null,
  });
  expect(status, JSON.stringify(answered)).toBe(204);
}

async function shown(components: readonly object[], change: object = {}): Promise<VisibleMessage> {
  const sent = await world.member('olga').types('/panel');
  await answer(sent.id, { type: 4, data: { flags: V2, components, ...change } });
  return sent.reply(soon);
}

// https://discord.com/developers/docs/components/reference
describe('a Components V2 message', () => {
  it('is read from top to bottom, with its buttons and menus', async () => {
    const message = await shown([
      text('# Settings'),
      {
        type: 17,
        components: [
          { type: 9, components: [text('Voice: Ada')], accessory: button('Change') },
          { type: 14 },
          row({
            type: 3,
            custom_id: 'model',
            placeholder: 'Model',
            options: [
              { label: 'Kokoro', value: 'k', description: 'local', default: true },
              { label: 'Orpheus', value: 'o' },
            ],
          }),
          row({ type: 8, custom_id: 'where', placeholder: 'Channels', channel_types: [0], disabled: true }),
        ],
      },
      row(button('Save', { style: 3 }), { type: 2, style: 5, label: 'Help', url: 'https://example.org' }),
    ]);
    expect(message.text).toBe('# Settings\nVoice: Ada');
    expect(message.lines).toEqual([
      '# Settings',
      'Voice: Ada',
      '[Change]',
      '---',
      '[menu: Kokoro]',
      '[menu: Channels] (disabled)',
      '[Save]',
      '[Help → https://example.org]',
    ]);
    expect(message.buttons).toMatchObject([
      { label: 'Change', customId: 'Change', disabled: false },
      { label: 'Save', style: 'success' },
      { label: 'Help', style: 'link', url: 'https://example.org', customId: undefined },
    ]);
    expect(message.menus).toMatchObject([
      { customId: 'model', kind: 'string', options: [{ label: 'Kokoro', chosen: true }, { label: 'Orpheus' }] },
      { kind: 'channel', disabled: true },
    ]);
  });

  it('shows the files that its components name, and names no others', async () => {
    const file = { name: 'dictionary.json', type: 'application/json', bytes: Buffer.from('{}') };
    const shows = (name: string) => ({ flags: V2, components: [{ type: 13, file: { url: `attachment://${name}` } }] });
    expect((await call(world, 'POST', path(), form(shows('dictionary.json'), file))).status).toBe(200);
    expect(world.channel('general').messages[0]).toMatchObject({
      lines: ['[file: dictionary.json]'],
      files: [{ name: 'dictionary.json', size: 2 }],
    });
    const { body } = await call(world, 'POST', path(), form(shows('other.json'), file));
    expect(body.errors.components[0].file.url._errors[0].code).toBe(
      'UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND',
    );
  });

  it.each([
    ['content', [text('x')], { content: 'x' }],
    ['embeds', [text('x')], { embeds: [{ title: 'x' }] }],
    ['more than 40 components', Array.from({ length: 41 }, () => text('x')), {}],
    ['more than 4,000 characters', [text('x'.repeat(3_000)), text('x'.repeat(1_001))], {}],
    ['a section without accessory', [{ type: 9, components: [text('x')] }], {}],
    ['a container in a container', [{ type: 17, components: [{ type: 17, components: [text('x')] }] }], {}],
    ['a label outside a modal', [{ type: 18, label: 'x', component: button('x') }], {}],
    ['two equal custom ids', [row(button('x'), button('x'))], {}],
  ])('has no %s: 50035', async (_what, components, change) => {
    expect((await post(components, change)).body.code).toBe(50035);
  });

  it('has no more than 10,170 bytes, 12 of them for each text: 500', async () => {
    const inDevanagari = text('ऄ'.repeat(3_200));
    expect((await post([inDevanagari, text('x'.repeat(546))])).status).toBe(200);
    expect((await post([inDevanagari, text('x'.repeat(547))])).status).toBe(500);
  });

  it('is not empty: 50006', async () => {
    expect((await post([])).body.code).toBe(50006);
  });

  it('stays one, and an older message becomes one only without content', async () => {
    const { body } = await post([text('x')]);
    const edit = (id: string, change: object) => call(world, 'PATCH', `${path()}/${id}`, change);
    expect((await edit(body.id, { flags: 0, content: 'old' })).body.code).toBe(50035);
    expect((await edit(body.id, { flags: 0, components: [text('y')] })).body.flags).toBe(V2);
    const { body: old } = await call(world, 'POST', path(), { content: 'old' });
    expect((await edit(old.id, { flags: V2, components: [text('y')] })).body.code).toBe(50035);
    expect((await edit(old.id, { flags: V2, content: null, components: [text('y')] })).status).toBe(200);
  });
});

// https://discord.com/developers/docs/interactions/receiving-and-responding#responding-to-an-interaction
describe('its controls', () => {
  it('change the message, at once, later, or after a modal', async () => {
    const olga = world.member('olga');
    const message = await shown([text('one'), row(button('Next'))], { flags: V2 | 64 });
    const pressed = await olga.presses(message, 'Next');
    await answer(pressed.id, { type: 7, data: { components: [text('two'), row(button('Edit'))] } });
    const second = await pressed.reply(soon);
    expect(second).toMatchObject({ messageId: message.messageId, text: 'two', ephemeral: true });

    const asked = await olga.presses(second, 'Edit');
    await answer(asked.id, {
      type: 9,
      data: { custom_id: 'm', title: 'Edit', components: [{ type: 18, label: 'Name', component: input }] },
    });
    const submitted = await olga.submits(await asked.modal(soon), { Name: 'three' });
    expect((await interactionOf(gateway, submitted.id)).message.id).toBe(message.messageId);
    await answer(submitted.id, { type: 6 });
    const { token } = await interactionOf(gateway, submitted.id);
    const original = `/webhooks/${world.bot.applicationId}/${token}/messages/@original`;
    await call(world, 'PATCH', original, { components: [text('three')] }, { token: null });
    expect((await submitted.reply(soon)).text).toBe('three');
    expect(olga.looksAt(message).buttons).toEqual([]);
  });

  it('cannot change a message that was deleted meanwhile: 10008', async () => {
    const message = await shown([row(button('Next'))]);
    const { id } = await world.member('olga').presses(message, 'Next');
    await call(world, 'DELETE', `${path()}/${message.messageId}`);
    const { token } = await interactionOf(gateway, id);
    const update = { type: 7, data: { components: [text('two')] } };
    const answered = await call(world, 'POST', `/interactions/${id}/${token}/callback`, update, { token: null });
    expect(answered).toMatchObject({ status: 404, body: { code: 10008 } });
  });

  it('of entities send the picked ones', async () => {
    const message = await shown([
      row({ type: 5, custom_id: 'who', max_values: 2 }),
      row({ type: 6, custom_id: 'roles', min_values: 0 }),
      row({ type: 8, custom_id: 'where', channel_types: [2] }),
      row({ type: 7, custom_id: 'any' }),
    ]);
    world.giveRole('bob', 'Readers');
    const olga = world.member('olga');
    const picked = async (menu: string, ...values: string[]) =>
      (await interactionOf(gateway, (await olga.selects(message, menu, values)).id)).data;
    const who = await picked('who', 'alice', '@bob');
    expect(Object.keys(who.resolved.members)).toEqual(who.values);
    expect((await picked('roles')).values).toEqual([]);
    const where = await picked('where', 'General');
    expect(where.resolved.channels[where.values[0]]).toMatchObject({ name: 'General', type: 2 });
    expect((await picked('any', 'Readers')).resolved.roles).toBeDefined();
    world.newChannel('news', 'text');
    await expect(olga.selects(message, 'where', ['news'])).rejects.toThrow(/kind of channel/);
  });

  const input = { type: 4, custom_id: 'name', style: 1 };

  it('of a modal are labelled, described, and filled in', async () => {
    const olga = world.member('olga');
    const sent = await olga.types('/panel');
    const label = (name: string, component: object) => ({ type: 18, label: name, description: 'd', component });
    await answer(sent.id, {
      type: 9,
      data: {
        custom_id: 'm',
        title: 'Import',
        components: [
          text('Read this first'),
          label('Name', { ...input, value: 'x', max_length: 10 }),
          label('Voice', { type: 3, custom_id: 'voice', options: [{ label: 'Ada', value: 'a' }] }),
          label('Role', { type: 6, custom_id: 'role', required: false, min_values: 0 }),
          label('File', { type: 19, custom_id: 'file' }),
        ],
      },
    });
    const modal = await sent.modal(soon);
    expect(modal.text).toBe('Read this first');
    expect(modal.fields).toMatchObject([
      { label: 'Name', description: 'd', kind: 'text', value: 'x', max: 10, required: true },
      { label: 'Voice', kind: 'string', options: ['Ada'] },
      { label: 'Role', kind: 'role', required: false },
      { label: 'File', kind: 'file' },
    ]);
    const file = { name: 'a.json', bytes: Buffer.from('{}'), contentType: 'application/json' };
    await expect(olga.submits(modal, { Voice: 'Ada' })).rejects.toThrow(/required: File/);
    const { data } = await interactionOf(gateway, (await olga.submits(modal, { Voice: 'Ada', File: file })).id);
    expect(data.components).toMatchObject([
      { type: 10 },
      { component: { value: 'x' } },
      { component: { values: ['a'] } },
      { component: { values: [] } },
      { component: { type: 19 } },
    ]);
    const [id] = data.components[4].component.values;
    expect(data.resolved.attachments[id]).toMatchObject({ filename: 'a.json', size: 2 });
    const downloaded = await fetch(data.resolved.attachments[id].url);
    expect(await downloaded.text()).toBe('{}');
  });
});
