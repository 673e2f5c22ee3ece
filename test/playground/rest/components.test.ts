import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
import { call, refusals } from '../raw-client.ts';

let world: World;
const clock = createManualClock();

beforeAll(async () => {
  world = await startWorld({ clock });
});
afterAll(() => world.close());
// Messages may be posted again.
beforeEach(() => clock.advance(10_000));

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
const FIRST = 'components.0.components.0';
const V2 = 1 << 15;
const v2 = (...components: object[]) => ({ flags: V2, components });
const link = (change: object) => ({ type: 2, style: 5, label: 'Help', ...change });
const offering = (change: object) => select({ options: [{ label: 'Ada', value: 'ada', ...change }] });
const chosen = (count: number, type: string) =>
  Array.from({ length: count }, (_, index) => ({ id: `${index + 1}`, type }));
const words = (content = 'x') => ({ type: 10, content });
const section = (change: object) => ({ type: 9, components: [words()], accessory: button(), ...change });
const gallery = (...items: object[]) => ({
  type: 12,
  items: items.map((item) => ({ media: { url: 'https://example.org/a.png' }, ...item })),
});

// https://discord.com/developers/docs/components/reference
describe('a message is refused', () => {
  it.each<[expected: string, body: object]>([
    [
      'components BASE_TYPE_MAX_LENGTH',
      { content: 'x', components: Array.from({ length: 6 }, (_, index) => row(button({ custom_id: `${index}` }))) },
    ],
    [
      'components.0.components BASE_TYPE_BAD_LENGTH',
      rows(...Array.from({ length: 6 }, (_, index) => button({ custom_id: `${index}` }))),
    ],
    ['components.0.type UNION_TYPE_CHOICES', { content: 'x', components: [button()] }],
    ['components.0.components.1.custom_id COMPONENT_CUSTOM_ID_DUPLICATED', rows(button(), button())],
    ['components.0.components.0.custom_id BASE_TYPE_BAD_LENGTH', rows(button({ custom_id: 'x'.repeat(101) }))],
    ['components.0.components.0.label BASE_TYPE_MAX_LENGTH', rows(button({ label: 'x'.repeat(81) }))],
    ['components.0.components.0 BUTTON_COMPONENT_LABEL_REQUIRED', rows(button({ label: undefined }))],
    [
      'components.0.components.0.custom_id BUTTON_COMPONENT_CUSTOM_ID_INVALID',
      rows(button({ style: 5, url: 'https://example.org' })),
    ],
    ['components.0.components COMPONENT_LAYOUT_WIDTH_EXCEEDED', rows(select(), button())],
    [
      'components.0.components.0.options BASE_TYPE_BAD_LENGTH',
      rows(select({ options: Array.from({ length: 26 }, (_, index) => ({ label: 'a', value: `${index}` })) })),
    ],
    ['components.0.components.0.url BUTTON_COMPONENT_URL_INVALID', rows(button({ url: 'https://example.org' }))],
    [
      'components.0.components.0.options.1 SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
      rows(
        select({
          options: [
            { label: 'a', value: 'x' },
            { label: 'b', value: 'x' },
          ],
        }),
      ),
    ],
    ['components.0.components.0.max_values SELECT_COMPONENT_MAX_VALUES_TOO_LARGE', rows(select({ max_values: 2 }))],
    ['components.0.file.url FILE_COMPONENT_URL_INVALID', v2({ type: 13, file: { url: 'https://example.org/a.wav' } })],
    ['components.0.type UNION_TYPE_CHOICES', { components: [words()] }],
    ['content MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', { ...v2(words()), content: 'x' }],
    ['embeds MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2', { ...v2(words()), embeds: [{ title: 'x' }] }],
    [
      'components COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
      v2({ type: 17, components: Array.from({ length: 40 }, () => words()) }),
    ],
    ['components COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', v2(words('x'.repeat(3000)), words('x'.repeat(1001)))],
    ['components.0.accessory BASE_TYPE_REQUIRED', v2(section({ accessory: undefined }))],
    ['components.0.components.0.type UNION_TYPE_CHOICES', v2({ type: 17, components: [{ type: 17 }] })],
    ['components.0.type UNION_TYPE_CHOICES', v2({ type: 18, label: 'x', component: button() })],
    ['components.0.components.1.custom_id COMPONENT_CUSTOM_ID_DUPLICATED', v2(row(button(), button()))],
    [
      `${FIRST}.min_values SELECT_COMPONENT_MIN_VALUES_TOO_LARGE`,
      rows({ type: 5, custom_id: 'x', min_values: 3, max_values: 2 }),
    ],
    [`${FIRST}.min_values SELECT_COMPONENT_MIN_VALUES_TOO_LARGE`, rows({ type: 5, custom_id: 'x', min_values: 2 })],
    [
      `${FIRST}.default_values BASE_TYPE_MAX_LENGTH`,
      rows({ type: 5, custom_id: 'x', max_values: 25, default_values: chosen(26, 'user') }),
    ],
    [
      `${FIRST}.default_values SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES`,
      rows({ type: 5, custom_id: 'x', default_values: chosen(2, 'user') }),
    ],
    ...([5, 6, 7, 8] as const).map((type): [string, object] => [
      `${FIRST}.default_values.0.type BASE_TYPE_CHOICES`,
      rows({ type, custom_id: 'x', default_values: chosen(1, type === 8 ? 'user' : 'channel') }),
    ]),
    [
      `${FIRST}.default_values.0.id NUMBER_TYPE_COERCE`,
      rows({ type: 6, custom_id: 'x', default_values: [{ id: 'admins', type: 'role' }] }),
    ],
    [`${FIRST}.channel_types BASE_TYPE_CHOICES`, rows({ type: 8, custom_id: 'x', channel_types: [99] })],
    [
      `${FIRST}.channel_types.1 SET_TYPE_ALREADY_CONTAINS_VALUE`,
      rows({ type: 8, custom_id: 'x', channel_types: [2, 2] }),
    ],
    [`${FIRST}.disabled BOOLEAN_TYPE_CONVERT`, rows(select({ disabled: 'yes' }))],
    [`${FIRST}.options.0.default BOOLEAN_TYPE_CONVERT`, rows(offering({ default: 1 }))],
    [`${FIRST}.emoji.name BASE_TYPE_MAX_LENGTH`, rows(button({ emoji: { name: 'x'.repeat(33) } }))],
    [`${FIRST}.options.0.emoji.name BASE_TYPE_MAX_LENGTH`, rows(offering({ emoji: { name: 'x'.repeat(33) } }))],
    [`${FIRST}.id NUMBER_TYPE_MIN`, rows(button({ id: -1 }))],
    ['components.0.items.0.spoiler BOOLEAN_TYPE_CONVERT', v2(gallery({ spoiler: 'yes' }))],
    ['components.0.spoiler BOOLEAN_TYPE_CONVERT', v2({ type: 17, components: [words()], spoiler: 'yes' })],
    ['components.0.components BASE_TYPE_BAD_LENGTH', rows()],
    [`${FIRST}.style BASE_TYPE_CHOICES`, rows(button({ style: 7 }))],
    [`${FIRST}.url BASE_TYPE_REQUIRED`, rows(link({ url: undefined }))],
    [`${FIRST}.url BASE_TYPE_BAD_LENGTH`, rows(link({ url: 'x'.repeat(513) }))],
    [`${FIRST}.sku_id BASE_TYPE_REQUIRED`, rows({ type: 2, style: 6 })],
    [`${FIRST}.sku_id BASE_TYPE_BAD_LENGTH`, rows({ type: 2, style: 6, sku_id: '1'.repeat(21) })],
    [`${FIRST}.placeholder BASE_TYPE_MAX_LENGTH`, rows(select({ placeholder: 'x'.repeat(151) }))],
    [`${FIRST}.min_values NUMBER_TYPE_MAX`, rows(select({ min_values: 26 }))],
    [`${FIRST}.min_values NUMBER_TYPE_MIN`, rows(select({ min_values: -1 }))],
    [`${FIRST}.max_values NUMBER_TYPE_MIN`, rows(select({ max_values: 0 }))],
    ...[5, 6, 7, 8].map((type): [string, object] => [
      `${FIRST}.max_values NUMBER_TYPE_MAX`,
      rows({ type, custom_id: 'x', max_values: 26 }),
    ]),
    [`${FIRST}.options BASE_TYPE_BAD_LENGTH`, rows(select({ options: [] }))],
    [`${FIRST}.options.0.label BASE_TYPE_BAD_LENGTH`, rows(offering({ label: 'x'.repeat(101) }))],
    [`${FIRST}.options.0.value BASE_TYPE_BAD_LENGTH`, rows(offering({ value: 'x'.repeat(101) }))],
    [`${FIRST}.options.0.description BASE_TYPE_MAX_LENGTH`, rows(offering({ description: 'x'.repeat(101) }))],
    ['components.0.content BASE_TYPE_REQUIRED', v2(words(''))],
    ['components.0.components BASE_TYPE_BAD_LENGTH', v2(section({ components: [words(), words(), words(), words()] }))],
    ['components.0.components BASE_TYPE_BAD_LENGTH', v2(section({ components: [] }))],
    ['components.0.components.0.type UNION_TYPE_CHOICES', v2(section({ components: [button({ custom_id: 'b' })] }))],
    ['components.0.accessory.type UNION_TYPE_CHOICES', v2(section({ accessory: words() }))],
    ['components.0.accessory.media BASE_TYPE_REQUIRED', v2(section({ accessory: { type: 11 } }))],
    ['components.0.items.0.media.url BASE_TYPE_BAD_LENGTH', v2(gallery({ media: { url: 'x'.repeat(2_049) } }))],
    ['components.0.items.0.description BASE_TYPE_MAX_LENGTH', v2(gallery({ description: 'x'.repeat(1_025) }))],
    ['components.0.items BASE_TYPE_BAD_LENGTH', v2(gallery())],
    ['components.0.items BASE_TYPE_BAD_LENGTH', v2(gallery(...Array.from({ length: 11 }, () => ({}))))],
    ['components.0.file BASE_TYPE_REQUIRED', v2({ type: 13 })],
    ['components.0.spacing BASE_TYPE_CHOICES', v2({ type: 14, spacing: 3 })],
    ['components.0.components BASE_TYPE_BAD_LENGTH', v2({ type: 17, components: [] })],
    ['components.0.accent_color NUMBER_TYPE_MAX', v2({ type: 17, components: [words()], accent_color: 0x1000000 })],
  ])('%s', async (expected, body) => {
    expect(refusals(await post(body))).toContain(expected);
  });
});
