import { COMPONENT } from '../../state/model.ts';
import { type Fields, fieldsOf, type Problems } from './body-problems.ts';

/**
 * The rules of Discord for the components in which members choose: menus, radio and checkbox groups, uploads.
 * https://discord.com/developers/docs/components/reference, and the schemas of the same names in Discord's OpenAPI document
 */
type Check = (walk: { readonly problems: Problems }, fields: Fields) => void;

type Choosable = 'user' | 'role' | 'channel';

const DEFAULT_VALUE_TYPES: Readonly<Record<number, readonly Choosable[]>> = {
  [COMPONENT.userSelect]: ['user'],
  [COMPONENT.roleSelect]: ['role'],
  [COMPONENT.mentionableSelect]: ['user', 'role'],
  [COMPONENT.channelSelect]: ['channel'],
};
/** https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
const CHANNEL_TYPES: readonly unknown[] = [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16];
const MOST = { ofSelect: 25, ofGroup: 10, ofFiles: 10 } as const;

export const CHOICE_CHECKS: Readonly<Record<number, Check>> = {
  [COMPONENT.stringSelect]({ problems }, fields) {
    const count = checkOptions(problems, fields, { min: 1, max: MOST.ofSelect });
    checkSelect(fields);
    refuseMoreThanOffered(fields, count);
  },
  [COMPONENT.userSelect]: checkAutomaticSelect,
  [COMPONENT.roleSelect]: checkAutomaticSelect,
  [COMPONENT.mentionableSelect]: checkAutomaticSelect,
  [COMPONENT.channelSelect](walk, fields) {
    checkAutomaticSelect(walk, fields);
    const types = fields.list('channel_types', { max: CHANNEL_TYPES.length, unique: true });
    if (types?.some((type) => !CHANNEL_TYPES.includes(type))) {
      fields.fail('channel_types', 'BASE_TYPE_CHOICES', `Value must be one of {${CHANNEL_TYPES.join(', ')}}.`);
    }
  },
  [COMPONENT.fileUpload](_walk, fields) {
    checkBounds(fields, MOST.ofFiles, 1);
    fields.flag('required');
  },
  [COMPONENT.radioGroup]({ problems }, fields) {
    checkOptions(problems, fields, { min: 2, max: MOST.ofGroup });
    fields.flag('required');
  },
  [COMPONENT.checkboxGroup]({ problems }, fields) {
    const count = checkOptions(problems, fields, { min: 1, max: MOST.ofGroup });
    checkBounds(fields, MOST.ofGroup, count);
    refuseMoreThanOffered(fields, count);
    fields.flag('required');
  },
  [COMPONENT.checkbox](_walk, fields) {
    fields.flag('default');
  },
};

/** A name of at most 32 characters, an id that is one: ComponentEmojiForRequest. */
export function checkEmoji(problems: Problems, fields: Fields): void {
  if (fields.json.emoji === undefined || fields.json.emoji === null) return;
  const emoji = fieldsOf(problems, fields.json.emoji, [...fields.path, 'emoji']);
  emoji.text('name', { max: 32 });
  emoji.snowflake('id');
  emoji.flag('animated');
}

/** Returns how many options there are. */
function checkOptions(problems: Problems, fields: Fields, count: { readonly min: number; readonly max: number }) {
  const options = fields.list('options', { ...count, required: true }) ?? [];
  const values = new Set<unknown>();
  for (const [index, option] of options.entries()) {
    const at = fieldsOf(problems, option, [...fields.path, 'options', index]);
    at.text('label', { min: 1, max: 100, required: true });
    const value = at.text('value', { min: 1, max: 100, required: true });
    at.text('description', { max: 100 });
    at.flag('default');
    checkEmoji(problems, at);
    if (value !== undefined && values.has(value)) {
      at.fail(undefined, 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', 'The specified option value is already used');
    }
    values.add(value);
  }
  return options.length;
}

function checkSelect(fields: Fields): number {
  fields.text('placeholder', { max: 150 });
  fields.flag('disabled');
  fields.flag('required');
  return checkBounds(fields, MOST.ofSelect, 1);
}

function checkAutomaticSelect({ problems }: { readonly problems: Problems }, fields: Fields): void {
  const maxValues = checkSelect(fields);
  const types = DEFAULT_VALUE_TYPES[Number(fields.json.type)] ?? [];
  const values = fields.list('default_values', { max: MOST.ofSelect }) ?? [];
  for (const [index, value] of values.entries()) {
    const one = fieldsOf(problems, value, [...fields.path, 'default_values', index]);
    one.snowflake('id', true);
    if (types.includes(one.json.type as Choosable)) continue;
    if (one.json.type === undefined) one.fail('type', 'BASE_TYPE_REQUIRED', 'This field is required');
    else one.fail('type', 'BASE_TYPE_CHOICES', `Value must be one of {${types.join(', ')}}.`);
  }
  if (values.length > maxValues) {
    fields.fail(
      'default_values',
      'SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES',
      'The specified number of default values exceeds the specified maximum values',
    );
  }
}

/** How few and how many are chosen; returns the latter. Discord documents no code for the first above the second. */
function checkBounds(fields: Fields, most: number, usually: number): number {
  const min = fields.integer('min_values', { min: 0, max: most });
  const max = fields.integer('max_values', { min: 1, max: most }) ?? usually;
  if (min !== undefined && min > max) {
    fields.fail('min_values', 'SELECT_COMPONENT_MIN_VALUES_TOO_LARGE', 'min_values cannot exceed max_values');
  }
  return max;
}

function refuseMoreThanOffered(fields: Fields, count: number): void {
  if (Number(fields.json.max_values ?? 0) <= count) return;
  const message = 'max_values cannot exceed the number of options';
  fields.fail('max_values', 'SELECT_COMPONENT_MAX_VALUES_TOO_LARGE', message);
}
