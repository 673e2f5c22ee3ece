import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createManualClock, startWorld, type World } from '../../../src/playground/world/world.ts';
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

/** The case, the message, the path of the error in it, and its code. */
type Row = [what: string, body: object, at: string, code: string];

// https://discord.com/developers/docs/components/reference
describe('a message is refused', () => {
  it.each<Row>([
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
      'components.0.components.0.options.1',
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
    [
      'with more to choose at least than at most',
      rows({ type: 5, custom_id: 'x', min_values: 3, max_values: 2 }),
      `${FIRST}.min_values`,
      'SELECT_COMPONENT_MIN_VALUES_TOO_LARGE',
    ],
    [
      'with two to choose at least where one is the most',
      rows({ type: 5, custom_id: 'x', min_values: 2 }),
      `${FIRST}.min_values`,
      'SELECT_COMPONENT_MIN_VALUES_TOO_LARGE',
    ],
    [
      'with 26 values chosen in advance',
      rows({ type: 5, custom_id: 'x', max_values: 25, default_values: chosen(26, 'user') }),
      `${FIRST}.default_values`,
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with more chosen in advance than may be',
      rows({ type: 5, custom_id: 'x', default_values: chosen(2, 'user') }),
      `${FIRST}.default_values`,
      'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES',
    ],
    ...([5, 6, 7, 8] as const).map(
      (type): Row => [
        `with something else chosen in advance in a select of type ${type}`,
        rows({ type, custom_id: 'x', default_values: chosen(1, type === 8 ? 'user' : 'channel') }),
        `${FIRST}.default_values.0.type`,
        'BASE_TYPE_CHOICES',
      ],
    ),
    [
      'with a value chosen in advance that is no id',
      rows({ type: 6, custom_id: 'x', default_values: [{ id: 'admins', type: 'role' }] }),
      `${FIRST}.default_values.0.id`,
      'NUMBER_TYPE_COERCE',
    ],
    [
      'with a channel type that does not exist',
      rows({ type: 8, custom_id: 'x', channel_types: [99] }),
      `${FIRST}.channel_types`,
      'BASE_TYPE_CHOICES',
    ],
    [
      'with a channel type named twice',
      rows({ type: 8, custom_id: 'x', channel_types: [2, 2] }),
      `${FIRST}.channel_types.1`,
      'SET_TYPE_ALREADY_CONTAINS_VALUE',
    ],
    [
      'with a select that is disabled in words',
      rows(select({ disabled: 'yes' })),
      `${FIRST}.disabled`,
      'BOOLEAN_TYPE_CONVERT',
    ],
    [
      'with an option that is the default in words',
      rows(offering({ default: 1 })),
      `${FIRST}.options.0.default`,
      'BOOLEAN_TYPE_CONVERT',
    ],
    [
      'with an emoji of 33 characters on a button',
      rows(button({ emoji: { name: 'x'.repeat(33) } })),
      `${FIRST}.emoji.name`,
      'BASE_TYPE_MAX_LENGTH',
    ],
    [
      'with an emoji of 33 characters in a select',
      rows(offering({ emoji: { name: 'x'.repeat(33) } })),
      `${FIRST}.options.0.emoji.name`,
      'BASE_TYPE_MAX_LENGTH',
    ],
    ['with a negative id', rows(button({ id: -1 })), `${FIRST}.id`, 'NUMBER_TYPE_MIN'],
    [
      'with a picture hidden in words',
      v2(gallery({ spoiler: 'yes' })),
      'components.0.items.0.spoiler',
      'BOOLEAN_TYPE_CONVERT',
    ],
    [
      'with a container hidden in words',
      v2({ type: 17, components: [words()], spoiler: 'yes' }),
      'components.0.spoiler',
      'BOOLEAN_TYPE_CONVERT',
    ],
    ['with a row of nothing', rows(), 'components.0.components', 'BASE_TYPE_BAD_LENGTH'],
    ['with a button of an unknown style', rows(button({ style: 7 })), `${FIRST}.style`, 'BASE_TYPE_CHOICES'],
    ['with a link to nowhere', rows(link({ url: undefined })), `${FIRST}.url`, 'BASE_TYPE_REQUIRED'],
    ['with a link of 513 characters', rows(link({ url: 'x'.repeat(513) })), `${FIRST}.url`, 'BASE_TYPE_BAD_LENGTH'],
    ['with a premium button that sells nothing', rows({ type: 2, style: 6 }), `${FIRST}.sku_id`, 'BASE_TYPE_REQUIRED'],
    [
      'with a premium button of a long id',
      rows({ type: 2, style: 6, sku_id: '1'.repeat(21) }),
      `${FIRST}.sku_id`,
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a placeholder of 151 characters',
      rows(select({ placeholder: 'x'.repeat(151) })),
      `${FIRST}.placeholder`,
      'BASE_TYPE_MAX_LENGTH',
    ],
    ['with at least 26 to choose', rows(select({ min_values: 26 })), `${FIRST}.min_values`, 'NUMBER_TYPE_MAX'],
    ['with at least -1 to choose', rows(select({ min_values: -1 })), `${FIRST}.min_values`, 'NUMBER_TYPE_MIN'],
    ['with at most 0 to choose', rows(select({ max_values: 0 })), `${FIRST}.max_values`, 'NUMBER_TYPE_MIN'],
    ...[5, 6, 7, 8].map(
      (type): Row => [
        `with at most 26 to choose in a select of type ${type}`,
        rows({ type, custom_id: 'x', max_values: 26 }),
        `${FIRST}.max_values`,
        'NUMBER_TYPE_MAX',
      ],
    ),
    ['with a select that offers nothing', rows(select({ options: [] })), `${FIRST}.options`, 'BASE_TYPE_BAD_LENGTH'],
    [
      'with an option labelled with 101 characters',
      rows(offering({ label: 'x'.repeat(101) })),
      `${FIRST}.options.0.label`,
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with an option of 101 characters',
      rows(offering({ value: 'x'.repeat(101) })),
      `${FIRST}.options.0.value`,
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with an option described with 101 characters',
      rows(offering({ description: 'x'.repeat(101) })),
      `${FIRST}.options.0.description`,
      'BASE_TYPE_MAX_LENGTH',
    ],
    ['with an empty text display', v2(words('')), 'components.0.content', 'BASE_TYPE_REQUIRED'],
    [
      'with a section of four texts',
      v2(section({ components: [words(), words(), words(), words()] })),
      'components.0.components',
      'BASE_TYPE_BAD_LENGTH',
    ],
    ['with a section of no text', v2(section({ components: [] })), 'components.0.components', 'BASE_TYPE_BAD_LENGTH'],
    [
      'with a section of buttons',
      v2(section({ components: [button({ custom_id: 'b' })] })),
      'components.0.components.0.type',
      'UNION_TYPE_CHOICES',
    ],
    [
      'with a text beside a section',
      v2(section({ accessory: words() })),
      'components.0.accessory.type',
      'UNION_TYPE_CHOICES',
    ],
    [
      'with a thumbnail of nothing',
      v2(section({ accessory: { type: 11 } })),
      'components.0.accessory.media',
      'BASE_TYPE_REQUIRED',
    ],
    [
      'with a picture at an address of 2049 characters',
      v2(gallery({ media: { url: 'x'.repeat(2_049) } })),
      'components.0.items.0.media.url',
      'BASE_TYPE_BAD_LENGTH',
    ],
    [
      'with a picture described with 1025 characters',
      v2(gallery({ description: 'x'.repeat(1_025) })),
      'components.0.items.0.description',
      'BASE_TYPE_MAX_LENGTH',
    ],
    ['with a gallery of nothing', v2(gallery()), 'components.0.items', 'BASE_TYPE_BAD_LENGTH'],
    [
      'with a gallery of 11 pictures',
      v2(gallery(...Array.from({ length: 11 }, () => ({})))),
      'components.0.items',
      'BASE_TYPE_BAD_LENGTH',
    ],
    ['with a file component of no file', v2({ type: 13 }), 'components.0.file', 'BASE_TYPE_REQUIRED'],
    ['with a separator of an unknown size', v2({ type: 14, spacing: 3 }), 'components.0.spacing', 'BASE_TYPE_CHOICES'],
    ['with an empty container', v2({ type: 17, components: [] }), 'components.0.components', 'BASE_TYPE_BAD_LENGTH'],
    [
      'with a colour that is none',
      v2({ type: 17, components: [words()], accent_color: 0x1000000 }),
      'components.0.accent_color',
      'NUMBER_TYPE_MAX',
    ],
  ])('%s', async (_, body, at, code) => {
    const answer = await post(body);
    expect([answer.status, answer.body.code]).toEqual([400, 50035]);
    expect(codesAt(answer, at), JSON.stringify(answer.body.errors)).toContain(code);
  });
});
