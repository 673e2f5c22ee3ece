import { OPTION } from '../../state/model.ts';
import { type Fields, fieldsOf, type Json, type Path, type Problems } from './body-problems.ts';
import { checkName, readDescription, readLocalizations, readName, readTranslations } from './command-names.ts';

/** https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-option-structure */
const OPTION_TYPES = Object.values(OPTION);
const WITH_CHOICES: readonly number[] = [OPTION.string, OPTION.integer, OPTION.number];
const CHANNEL_TYPES = [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16] as const;

type Level = 'command' | 'group' | 'subcommand';

export function readCommandOptions(problems: Problems, given: readonly unknown[], path: Path, level: Level): Json[] {
  const options = given.map((value, index) => readOption(problems, value, [...path, index], level));
  const isNested = (option: Json) => option.type === OPTION.subcommand || option.type === OPTION.group;
  let optionalSeen = false;
  for (const [index, option] of options.entries()) {
    const at = [...path, index];
    if (options.findIndex((other) => other.name === option.name) < index) {
      problems.add(at, 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', 'Option names must be unique');
    }
    if (isNested(option) !== isNested(options[0] as Json)) {
      problems.add(
        at,
        'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
        'Sub-command and sub-command group option types are mutually exclusive to all other types',
      );
    }
    if (option.required === true && optionalSeen) {
      problems.add(
        at,
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      );
    }
    if (option.required !== true) optionalSeen = true;
  }
  return options;
}

/** Which option types may stand at a level: subcommands nest one group deep and no further. */
const ALLOWED: Readonly<Record<Level, readonly number[]>> = {
  command: OPTION_TYPES,
  group: [OPTION.subcommand],
  subcommand: OPTION_TYPES.filter((type) => type > OPTION.group),
};

function readOption(problems: Problems, value: unknown, path: Path, level: Level): Json {
  const fields = fieldsOf(problems, value, path);
  const type = fields.oneOf('type', OPTION_TYPES, true);
  readName(fields, 'name', true);
  readLocalizations(fields, 'name_localizations', (key, text) =>
    checkName(fields, ['name_localizations', key], text, true),
  );
  readDescription(fields);
  if (type === undefined) return fields.json;
  if (!ALLOWED[level].includes(type)) {
    fields.fail('type', 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Invalid command option type at this level');
  }
  const nested = fields.list('options', { max: 25 });
  if (type === OPTION.subcommand || type === OPTION.group) {
    if (fields.json.required !== undefined && fields.json.required !== false) {
      fields.fail('required', 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID', 'Subcommands cannot be required');
    }
    readCommandOptions(problems, nested ?? [], [...path, 'options'], type === OPTION.group ? 'group' : 'subcommand');
  } else if (nested?.length) {
    fields.fail('options', 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID', 'Only subcommands may have options');
  }
  fields.flag('required');
  readChoices(problems, fields, type);
  readBounds(fields, type);
  return fields.json;
}

function readChoices(problems: Problems, fields: Fields, type: number): void {
  const choices = fields.list('choices', { max: 25 }) ?? [];
  const autocomplete = fields.flag('autocomplete') ?? false;
  if (choices.length > 0 && !WITH_CHOICES.includes(type)) {
    fields.fail('choices', 'APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID', 'This option type cannot have choices');
  }
  if (autocomplete && !WITH_CHOICES.includes(type)) {
    fields.fail('autocomplete', 'APPLICATION_COMMAND_AUTOCOMPLETE_INVALID', 'This option type cannot be autocompleted');
  }
  if (autocomplete && choices.length > 0) {
    fields.fail(
      'autocomplete',
      'APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES',
      'Autocomplete cannot be enabled along with choices',
    );
  }
  const names = new Set<unknown>();
  for (const [index, choice] of choices.entries()) {
    const at = fieldsOf(problems, choice, [...fields.path, 'choices', index]);
    const name = at.text('name', { min: 1, max: 100, required: true });
    if (names.has(name))
      at.fail('name', 'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS', 'Choice names must be unique');
    names.add(name);
    readTranslations(at, 'name_localizations');
    checkChoiceValue(at, type);
  }
}

function checkChoiceValue(at: Fields, type: number): void {
  if (type === OPTION.string) at.text('value', { min: 1, max: 100, required: true });
  else readNumber(at, 'value', type, true);
}

/** https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-option-type */
function readNumber(fields: Fields, key: string, type: number, required = false): void {
  if (type === OPTION.integer) {
    fields.integer(key, { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, required });
  } else fields.number(key, { min: -(2 ** 53), max: 2 ** 53, required });
}

function readBounds(fields: Fields, type: number): void {
  const numeric = type === OPTION.integer || type === OPTION.number;
  for (const key of ['min_value', 'max_value']) {
    if (numeric) readNumber(fields, key, type);
    else if (fields.json[key] !== undefined && fields.json[key] !== null) {
      fields.fail(
        key,
        'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
        'Only numbers can have a minimum or maximum value',
      );
    }
  }
  for (const [key, min] of [
    ['min_length', 0],
    ['max_length', 1],
  ] as const) {
    if (fields.integer(key, { min, max: 6_000 }) !== undefined && type !== OPTION.string) {
      fields.fail(
        key,
        'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
        'Only strings can have a minimum or maximum length',
      );
    }
  }
  for (const kind of ['value', 'length']) {
    const [min, max] = [fields.json[`min_${kind}`], fields.json[`max_${kind}`]];
    if (typeof min === 'number' && typeof max === 'number' && min > max) {
      fields.fail(
        `min_${kind}`,
        'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
        'The minimum cannot be greater than the maximum',
      );
    }
  }
  const channelTypes = fields.list('channel_types', { max: CHANNEL_TYPES.length });
  if (!channelTypes) return;
  if (type !== OPTION.channel)
    fields.fail(
      'channel_types',
      'APPLICATION_COMMAND_OPTIONS_CHANNEL_TYPES',
      'Only channel options can have channel types',
    );
  if (channelTypes.some((entry) => !(CHANNEL_TYPES as readonly unknown[]).includes(entry))) {
    fields.fail('channel_types', 'BASE_TYPE_CHOICES', `Value must be one of {${CHANNEL_TYPES.join(', ')}}.`);
  }
}
