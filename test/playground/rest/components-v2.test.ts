import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, form } from '../raw-client.ts';

let world: World;
const clock = createManualClock();
const V2 = 1 << 15;

beforeEach(async () => {
  world = await startWorld({ clock });
});
afterEach(() => world.close());

const text = (content: string) => ({ type: 10, content });
const button = (label: string, change = {}) => ({ type: 2, style: 2, custom_id: label, label, ...change });
const row = (...components: object[]) => ({ type: 1, components });
const path = () => `/channels/${world.channel('general').id}/messages`;
const post = (components: readonly object[], change: object = {}) =>
  call(world, 'POST', path(), { flags: V2, components, ...change });

// https://discord.com/developers/docs/components/reference
describe('a Components V2 message', () => {
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
