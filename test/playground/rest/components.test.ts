import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world.ts';
import { call, codesAt } from '../raw-client.ts';

let world: World;
const clock = createManualClock();

beforeEach(async () => {
  world = await startWorld({ clock });
});
afterEach(() => world.close());

const post = (body: unknown) => call(world, 'POST', `/channels/${world.channel('general').id}/messages`, body);
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

// https://discord.com/developers/docs/components/reference
describe('a message is refused', () => {
  it.each([
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
});
