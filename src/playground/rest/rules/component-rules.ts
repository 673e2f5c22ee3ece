import { COMPONENT } from '../../state/model.ts';
import { apiError, Fields, isObject, type Path, type Problems } from '../problems.ts';
import { CHANNEL_TYPES, checkChannelTypes } from './command-rules.ts';

const SELECTS: readonly number[] = [3, 5, 6, 8];
/** Discord's OpenAPI document limits the ids of components to 32-bit integers. */
const MAX_ID = 2 ** 31 - 1;
// Other components are rejected like unknown components, because Crier never sends them.
const INTERACTIVE: readonly number[] = [2, 3, 4, 5, 6, 8, 19];
const V2_TOP: readonly number[] = [1, 9, 10, 14, 17];
const IN_CONTAINER: readonly number[] = [1, 9, 10, 14];
const IN_LABEL: readonly number[] = [3, 4, 5, 6, 8, 19];
const MAX_V2_COMPONENTS = 40;
const MAX_V2_TEXT = 4_000;
/** Discord rejects a message with more UTF-8 bytes of text, counting BYTES_PER_TEXT more for each text. */
const MAX_V2_BYTES = 10_170;
const BYTES_PER_TEXT = 12;

interface Walk {
  readonly problems: Problems;
  readonly customIds: Set<string>;
  count: number;
  textLength: number;
  textBytes: number;
}

function wrongType(problems: Problems, path: Path, allowed: readonly number[]): void {
  const message = `Value of field "type" must be one of (${allowed.join(', ')},).`;
  problems.add([...path, 'type'], 'UNION_TYPE_CHOICES', message);
}

export function checkMessageComponents(problems: Problems, components: readonly unknown[], isV2: boolean): void {
  const walk: Walk = { problems, customIds: new Set(), count: 0, textLength: 0, textBytes: 0 };
  if (!isV2 && components.length > 5) problems.add(['components'], 'BASE_TYPE_BAD_LENGTH');
  for (const [index, component] of components.entries()) {
    checkComponent(walk, component, ['components', index], isV2 ? V2_TOP : [COMPONENT.actionRow]);
  }
  if (isV2 && walk.count > MAX_V2_COMPONENTS) {
    problems.add(
      ['components'],
      'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED',
      `The total number of components cannot exceed ${MAX_V2_COMPONENTS}`,
    );
  }
  if (walk.textBytes > MAX_V2_BYTES) throw apiError('serverError');
  if (walk.textLength > MAX_V2_TEXT) {
    problems.add(
      ['components'],
      'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED',
      `The displayable text size exceeds maximum size of ${MAX_V2_TEXT}`,
    );
  }
}

export function checkModal(problems: Problems, data: unknown): void {
  const fields = new Fields(problems, data, ['data']);
  fields.text('custom_id', { min: 1, max: 100, required: true });
  fields.text('title', { min: 1, max: 45, required: true });
  const components = fields.list('components', { min: 1, max: 5, required: true }) ?? [];
  const walk: Walk = { problems, customIds: new Set(), count: 0, textLength: 0, textBytes: 0 };
  for (const [index, component] of components.entries()) {
    checkComponent(walk, component, ['data', 'components', index], [COMPONENT.textDisplay, COMPONENT.label]);
  }
}

function checkComponent(walk: Walk, value: unknown, path: Path, allowed: readonly number[]) {
  const { problems } = walk;
  const fields = new Fields(problems, value, path);
  const type = fields.json.type;
  if (typeof type !== 'number' || !allowed.includes(type)) return wrongType(problems, path, allowed);
  walk.count += 1;
  fields.integer('id', { min: 0, max: MAX_ID });
  if (INTERACTIVE.includes(type) && !(type === COMPONENT.button && fields.json.style === 5)) {
    checkCustomId(walk, fields);
  }
  CHECKS[type]?.(walk, fields);
}

function checkCustomId(walk: Walk, fields: Fields): void {
  const customId = fields.text('custom_id', { min: 1, max: 100, required: true });
  if (customId === undefined) return;
  if (walk.customIds.has(customId)) fields.fail('custom_id', 'COMPONENT_CUSTOM_ID_DUPLICATED');
  walk.customIds.add(customId);
}

type Check = (walk: Walk, fields: Fields) => void;

const CHECKS: Readonly<Record<number, Check>> = {
  [COMPONENT.actionRow](walk, fields) {
    const children = fields.list('components', { min: 1, max: 5, required: true }) ?? [];
    const selects = children.filter((child) => isObject(child) && SELECTS.includes(child.type as number)).length;
    if (selects > 0 && children.length > 1) fields.fail('components', 'COMPONENT_LAYOUT_WIDTH_EXCEEDED');
    for (const [index, child] of children.entries()) {
      checkComponent(walk, child, [...fields.path, 'components', index], [COMPONENT.button, ...SELECTS]);
    }
  },
  [COMPONENT.button](walk, fields) {
    const style = fields.oneOf('style', [1, 2, 3, 4, 5] as const, true);
    fields.text('label', { max: 80 });
    fields.flag('disabled');
    checkEmoji(walk.problems, fields);
    const { json } = fields;
    if (style === 5) {
      fields.text('url', { min: 1, max: 512, required: true });
      if (json.custom_id) fields.fail('custom_id', 'BUTTON_COMPONENT_CUSTOM_ID_INVALID');
    } else if (json.url) fields.fail('url', 'BUTTON_COMPONENT_URL_INVALID');
    if (!json.label && !json.emoji) fields.fail(undefined, 'BUTTON_COMPONENT_LABEL_REQUIRED');
  },
  [COMPONENT.textInput](_walk, fields) {
    fields.oneOf('style', [1, 2] as const, true);
    fields.text('label', { max: 45 });
    fields.integer('min_length', { min: 0, max: 4_000 });
    fields.integer('max_length', { min: 1, max: 4_000 });
    fields.text('value', { max: 4_000 });
    fields.text('placeholder', { max: 100 });
    fields.flag('required');
  },
  [COMPONENT.section](walk, fields) {
    const texts = fields.list('components', { min: 1, max: 3, required: true }) ?? [];
    for (const [index, text] of texts.entries()) {
      checkComponent(walk, text, [...fields.path, 'components', index], [COMPONENT.textDisplay]);
    }
    if (fields.json.accessory === undefined) fields.fail('accessory', 'BASE_TYPE_REQUIRED');
    else checkComponent(walk, fields.json.accessory, [...fields.path, 'accessory'], [COMPONENT.button]);
  },
  [COMPONENT.textDisplay](walk, fields) {
    const content = fields.text('content', { min: 1, max: MAX_V2_TEXT, required: true });
    walk.textLength += [...(content ?? '')].length;
    walk.textBytes += Buffer.byteLength(content ?? '') + BYTES_PER_TEXT;
  },
  [COMPONENT.separator](_walk, fields) {
    fields.flag('divider');
    fields.oneOf('spacing', [1, 2] as const);
  },
  [COMPONENT.container](walk, fields) {
    const children = fields.list('components', { min: 1, max: MAX_V2_COMPONENTS, required: true }) ?? [];
    for (const [index, child] of children.entries())
      checkComponent(walk, child, [...fields.path, 'components', index], IN_CONTAINER);
    fields.integer('accent_color', { min: 0, max: 0xffffff });
    fields.flag('spoiler');
  },
  [COMPONENT.label](walk, fields) {
    fields.text('label', { min: 1, max: 45, required: true });
    fields.text('description', { max: 100 });
    const inner = fields.json.component;
    if (isObject(inner) && inner.disabled === true) {
      fields.fail(['component', 'disabled'], 'COMPONENT_DISABLED_IN_MODAL');
    }
    checkComponent(walk, fields.json.component, [...fields.path, 'component'], IN_LABEL);
  },
  [COMPONENT.stringSelect]({ problems }, fields) {
    const count = checkOptions(problems, fields);
    checkSelect(fields);
    if (Number(fields.json.max_values ?? 0) > count) fields.fail('max_values', 'SELECT_COMPONENT_MAX_VALUES_TOO_LARGE');
  },
  [COMPONENT.userSelect]: checkAutomaticSelect,
  [COMPONENT.roleSelect]: checkAutomaticSelect,
  [COMPONENT.channelSelect](walk, fields) {
    checkAutomaticSelect(walk, fields);
    checkChannelTypes(fields, fields.set('channel_types', { max: CHANNEL_TYPES.length }));
  },
  [COMPONENT.fileUpload](_walk, fields) {
    checkBounds(fields, MAX_FILES);
    fields.flag('required');
  },
};

const DEFAULT_VALUE_TYPES: Readonly<Record<number, string>> = {
  [COMPONENT.userSelect]: 'user',
  [COMPONENT.roleSelect]: 'role',
  [COMPONENT.channelSelect]: 'channel',
};
const MAX_CHOICES = 25;
const MAX_FILES = 10;

function checkEmoji(problems: Problems, fields: Fields): void {
  if (fields.json.emoji === undefined || fields.json.emoji === null) return;
  const emoji = new Fields(problems, fields.json.emoji, [...fields.path, 'emoji']);
  emoji.text('name', { max: 32 });
  emoji.snowflake('id');
  emoji.flag('animated');
}

function checkOptions(problems: Problems, fields: Fields): number {
  const options = fields.list('options', { min: 1, max: MAX_CHOICES, required: true }) ?? [];
  const values = new Set<unknown>();
  for (const [index, option] of options.entries()) {
    const at = new Fields(problems, option, [...fields.path, 'options', index]);
    at.text('label', { min: 1, max: 100, required: true });
    const value = at.text('value', { min: 1, max: 100, required: true });
    at.text('description', { max: 100 });
    at.flag('default');
    checkEmoji(problems, at);
    if (value !== undefined && values.has(value)) at.fail(undefined, 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED');
    values.add(value);
  }
  return options.length;
}

function checkSelect(fields: Fields): number {
  fields.text('placeholder', { max: 150 });
  fields.flag('disabled');
  fields.flag('required');
  return checkBounds(fields, MAX_CHOICES);
}

function checkAutomaticSelect({ problems }: { readonly problems: Problems }, fields: Fields): void {
  const maxValues = checkSelect(fields);
  const type = DEFAULT_VALUE_TYPES[Number(fields.json.type)];
  const values = fields.list('default_values', { max: MAX_CHOICES }) ?? [];
  for (const [index, value] of values.entries()) {
    const one = new Fields(problems, value, [...fields.path, 'default_values', index]);
    one.snowflake('id', true);
    if (one.json.type === undefined) one.fail('type', 'BASE_TYPE_REQUIRED');
    else if (one.json.type !== type) one.fail('type', 'BASE_TYPE_CHOICES', `Value must be one of {${type}}.`);
  }
  if (values.length > maxValues) fields.fail('default_values', 'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES');
}

/** Discord does not document the name of the error for a minimum above the maximum. */
function checkBounds(fields: Fields, most: number): number {
  const min = fields.integer('min_values', { min: 0, max: most });
  const max = fields.integer('max_values', { min: 1, max: most }) ?? 1;
  if (min !== undefined && min > max) fields.fail('min_values', 'SELECT_COMPONENT_MIN_VALUES_TOO_LARGE');
  return max;
}
