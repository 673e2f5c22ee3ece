import { COMPONENT } from '../../state/model.ts';
import { apiError, type Fields, type Json } from '../problems.ts';
import { CHANNEL_TYPES, checkChannelTypes } from './command-rules.ts';

const SELECTS: readonly number[] = [3, 5, 6, 8];
/** Discord's OpenAPI document limits the ids of components to 32-bit integers. */
const MAX_ID = 2 ** 31 - 1;
// These lists omit component types that Crier never sends: the playground rejects such types as unknown.
const INTERACTIVE: readonly number[] = [2, 3, 4, 5, 6, 8, 19];
const V2_TOP: readonly number[] = [1, 9, 10, 14, 17];
const IN_CONTAINER: readonly number[] = [1, 9, 10, 14];
const IN_LABEL: readonly number[] = [3, 4, 5, 6, 8, 19];
const MAX_V2_COMPONENTS = 40;
const MAX_V2_TEXT = 4_000;
/** Discord rejects a message if its texts' UTF-8 bytes, plus BYTES_PER_TEXT for each text, exceed this maximum. */
const MAX_V2_BYTES = 10_170;
const BYTES_PER_TEXT = 12;

type Walk = ReturnType<typeof beginWalk>;

const beginWalk = () => ({ customIds: new Set<string>(), count: 0, textLength: 0, textBytes: 0 });

export function readMessageComponents(fields: Fields, isV2: boolean): Json[] {
  const walk = beginWalk();
  const components = fields.objects('components', { max: isV2 ? MAX_V2_COMPONENTS : 5 });
  for (const component of components) checkComponent(walk, component, isV2 ? V2_TOP : [COMPONENT.actionRow]);
  if (isV2 && walk.count > MAX_V2_COMPONENTS) {
    const message = `The total number of components cannot exceed ${MAX_V2_COMPONENTS}`;
    fields.fail('components', 'COMPONENT_MAX_TOTAL_COMPONENTS_EXCEEDED', message);
  }
  if (walk.textBytes > MAX_V2_BYTES) throw apiError('serverError');
  if (walk.textLength > MAX_V2_TEXT) {
    const message = `The displayable text size exceeds maximum size of ${MAX_V2_TEXT}`;
    fields.fail('components', 'COMPONENT_DISPLAYABLE_TEXT_SIZE_EXCEEDED', message);
  }
  return components.map(({ json }) => json);
}

export function checkModal(fields: Fields): void {
  fields.text('custom_id', { min: 1, max: 100, required: true });
  fields.text('title', { min: 1, max: 45, required: true });
  checkChildren(beginWalk(), fields, 5, [COMPONENT.textDisplay, COMPONENT.label]);
}

function checkChildren(walk: Walk, fields: Fields, max: number, allowed: readonly number[]): Fields[] {
  const children = fields.objects('components', { min: 1, max, required: true });
  for (const child of children) checkComponent(walk, child, allowed);
  return children;
}

function checkComponent(walk: Walk, fields: Fields, allowed: readonly number[]): void {
  const type = fields.json.type;
  if (typeof type !== 'number' || !allowed.includes(type)) {
    fields.fail('type', 'UNION_TYPE_CHOICES', `Value of field "type" must be one of (${allowed.join(', ')},).`);
    return;
  }
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
    const children = checkChildren(walk, fields, 5, [COMPONENT.button, ...SELECTS]);
    const hasSelect = children.some(({ json }) => SELECTS.includes(json.type as number));
    if (hasSelect && children.length > 1) fields.fail('components', 'COMPONENT_LAYOUT_WIDTH_EXCEEDED');
  },
  [COMPONENT.button](_walk, fields) {
    const style = fields.oneOf('style', [1, 2, 3, 4, 5] as const, true);
    fields.text('label', { max: 80 });
    fields.flag('disabled');
    checkEmoji(fields);
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
    checkChildren(walk, fields, 3, [COMPONENT.textDisplay]);
    if (fields.json.accessory === undefined) fields.fail('accessory', 'BASE_TYPE_REQUIRED');
    else checkComponent(walk, fields.object('accessory'), [COMPONENT.button]);
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
    checkChildren(walk, fields, MAX_V2_COMPONENTS, IN_CONTAINER);
    fields.integer('accent_color', { min: 0, max: 0xffffff });
    fields.flag('spoiler');
  },
  [COMPONENT.label](walk, fields) {
    fields.text('label', { min: 1, max: 45, required: true });
    fields.text('description', { max: 100 });
    const inner = fields.object('component');
    if (inner.json.disabled === true) inner.fail('disabled', 'COMPONENT_DISABLED_IN_MODAL');
    checkComponent(walk, inner, IN_LABEL);
  },
  [COMPONENT.stringSelect](_walk, fields) {
    const count = checkOptions(fields);
    checkSelect(fields);
    if (Number(fields.json.max_values ?? 0) > count) fields.fail('max_values', 'SELECT_COMPONENT_MAX_VALUES_TOO_LARGE');
  },
  [COMPONENT.userSelect]: (_walk, fields) => checkAutomaticSelect(fields),
  [COMPONENT.roleSelect]: (_walk, fields) => checkAutomaticSelect(fields),
  [COMPONENT.channelSelect](_walk, fields) {
    checkAutomaticSelect(fields);
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

function checkEmoji(fields: Fields): void {
  if (fields.json.emoji === undefined || fields.json.emoji === null) return;
  const emoji = fields.object('emoji');
  emoji.text('name', { max: 32 });
  emoji.snowflake('id');
  emoji.flag('animated');
}

function checkOptions(fields: Fields): number {
  const options = fields.objects('options', { min: 1, max: MAX_CHOICES, required: true });
  const values = new Set<unknown>();
  for (const at of options) {
    at.text('label', { min: 1, max: 100, required: true });
    const value = at.text('value', { min: 1, max: 100, required: true });
    at.text('description', { max: 100 });
    at.flag('default');
    checkEmoji(at);
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

function checkAutomaticSelect(fields: Fields): void {
  const maxValues = checkSelect(fields);
  const type = DEFAULT_VALUE_TYPES[Number(fields.json.type)];
  const values = fields.objects('default_values', { max: MAX_CHOICES });
  for (const one of values) {
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
