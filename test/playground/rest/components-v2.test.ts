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
const path = () => `/channels/${world.channel('general').id}/messages`;
const post = (components: readonly object[]) => call(world, 'POST', path(), { flags: V2, components });

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
