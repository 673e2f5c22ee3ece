import { apiError } from './errors.ts';
import { createProblems, type Fields, fieldsOf, isObject, type Json, type Path, type Problems } from './form.ts';

/**
 * What Discord accepts as an application command.
 * https://discord.com/developers/docs/interactions/application-commands#application-command-object
 */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const OPTION = {
  subcommand: 1,
  group: 2,
  string: 3,
  integer: 4,
  boolean: 5,
  user: 6,
  channel: 7,
  role: 8,
  mentionable: 9,
  number: 10,
  attachment: 11,
} as const;
const OPTION_TYPES = Object.values(OPTION);
const WITH_CHOICES: readonly number[] = [OPTION.string, OPTION.integer, OPTION.number];
const CHANNEL_TYPES = [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16] as const;
const TOTAL_CHARACTERS = 8_000;
/** https://discord.com/developers/docs/reference#locales */
const LOCALES = new Set(
  'id da de en-GB en-US es-ES es-419 fr hr it lt hu nl no pl pt-BR ro fi sv-SE vi tr cs el bg ru uk hi th zh-CN ja zh-TW ko'.split(
    ' ',
  ),
);

export interface CommandDraft {
  readonly type: 1 | 2 | 3;
  readonly name: string;
  /** The fields as Discord keeps and returns them, ids aside. */
  readonly fields: Json;
}

/** Validates one command; problems are noted below `path`. */
export function readCommand(problems: Problems, value: unknown, path: Path, scope: 'global' | 'guild'): CommandDraft {
  const fields = fieldsOf(problems, value, path);
  const type = fields.oneOf('type', [1, 2, 3] as const) ?? 1;
  const isChatInput = type === 1;
  const name = readName(fields, 'name', isChatInput) ?? '';
  readLocalizations(fields, 'name_localizations', (key, text) =>
    checkName(fields, ['name_localizations', key], text, isChatInput),
  );
  if (isChatInput) readDescription(fields);
  else if (fields.json.description) {
    fields.fail(
      'description',
      'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION',
      'Context menu commands cannot have description',
    );
  }
  const given = fields.list('options', { max: 25 });
  if (!isChatInput && given?.length) {
    fields.fail('options', 'APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS', 'Context menu commands cannot have options');
  }
  const options = isChatInput ? readOptions(problems, given ?? [], [...path, 'options'], 'command') : [];
  const memberPermissions = readPermissions(fields);
  readSet(fields, 'integration_types', [0, 1]);
  readSet(fields, 'contexts', [0, 1, 2]);
  if (scope === 'guild') {
    for (const key of ['contexts', 'integration_types', 'dm_permission']) {
      if (fields.json[key] === undefined || fields.json[key] === null) continue;
      fields.fail(key, 'APPLICATION_COMMAND_GUILD_SCOPE', 'This field is only available to globally-scoped commands');
    }
  }
  const total = characters(fields.json);
  if (total > TOTAL_CHARACTERS) {
    fields.fail(undefined, 'APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${TOTAL_CHARACTERS})`);
  }
  return {
    type,
    name,
    fields: {
      type,
      name,
      name_localizations: fields.json.name_localizations ?? null,
      description: isChatInput ? (fields.json.description ?? '') : '',
      description_localizations: fields.json.description_localizations ?? null,
      default_member_permissions: memberPermissions,
      nsfw: fields.flag('nsfw') ?? false,
      ...(options.length === 0 ? {} : { options }),
      ...(scope === 'guild'
        ? { contexts: null, integration_types: [0] }
        : {
            dm_permission: fields.flag('dm_permission') ?? true,
            contexts: fields.json.contexts ?? null,
            integration_types: fields.json.integration_types ?? [0],
          }),
    },
  };
}

/** Validates the whole list of a bulk overwrite, with the limits on how many there may be. */
export function readCommands(value: unknown, scope: 'global' | 'guild'): CommandDraft[] {
  const problems = createProblems();
  if (!Array.isArray(value)) {
    problems.add([], 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
    problems.throwIfAny();
    return [];
  }
  const drafts = value.map((command, index) => readCommand(problems, command, [index], scope));
  for (const [index, draft] of drafts.entries()) {
    if (drafts.findIndex((other) => other.type === draft.type && other.name === draft.name) < index) {
      problems.add([index], 'APPLICATION_COMMANDS_DUPLICATE_NAME', 'Application command names must be unique');
    }
  }
  problems.throwIfAny();
  checkCommandCount(drafts);
  return drafts;
}

/** 100 chat input, 15 user and 15 message commands in each scope: application-commands#registering-a-command */
export function checkCommandCount(commands: readonly { readonly type: number }[]): void {
  const limits = { 1: 100, 2: 15, 3: 15 } as const;
  for (const [type, limit] of Object.entries(limits)) {
    if (commands.filter((command) => command.type === Number(type)).length > limit) throw apiError('tooManyCommands');
  }
}

function checkName(fields: Fields, key: Path, name: string, isChatInput: boolean): void {
  const fail = (code: string, message: string) => fields.fail(key, code, message);
  const length = [...name].length;
  if (length < 1 || length > 32) fail('BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 32 in length.');
  else if (isChatInput && !NAME.test(name)) fail('STRING_TYPE_REGEX', 'String value did not match validation regex.');
  else if (isChatInput && name !== name.toLowerCase())
    fail('APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
}

function readName(fields: Fields, key: string, isChatInput: boolean): string | undefined {
  const name = fields.text(key, { max: Number.POSITIVE_INFINITY, required: true });
  if (name !== undefined) checkName(fields, [key], name, isChatInput);
  return name;
}

function readDescription(fields: Fields): void {
  fields.text('description', { min: 1, max: 100, required: true });
  readLocalizations(fields, 'description_localizations', (key, text) => {
    const length = [...text].length;
    if (length < 1 || length > 100) {
      fields.fail(['description_localizations', key], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
    }
  });
}

function readLocalizations(fields: Fields, key: string, check: (locale: string, text: string) => void) {
  const given = fields.json[key];
  if (given === undefined || given === null) return;
  if (!isObject(given)) return fields.fail(key, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
  for (const [locale, text] of Object.entries(given)) {
    if (!LOCALES.has(locale)) {
      fields.fail([key, locale], 'ENUM_TYPE_COERCE', `Value "${locale}" is not a valid enum value.`);
    } else if (typeof text === 'string') check(locale, text);
    else if (text !== null) fields.fail([key, locale], 'STRING_TYPE_CONVERT', 'Could not interpret as string.');
  }
}

function readPermissions(fields: Fields): string | null {
  const given = fields.json.default_member_permissions;
  if (given === undefined || given === null) return null;
  if (/^\d+$/.test(String(given))) return String(given);
  fields.fail('default_member_permissions', 'BITFIELD_TYPE_CONVERT', 'Could not interpret as a bitfield.');
  return null;
}

function readSet(fields: Fields, key: string, allowed: readonly number[]): void {
  const given = fields.list(key, { min: key === 'contexts' ? 0 : 1, max: allowed.length });
  if (!given) return;
  if (given.some((entry) => !allowed.includes(entry as number))) {
    fields.fail(key, 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
  }
  if (new Set(given).size !== given.length) fields.fail(key, 'SET_TYPE_DUPLICATE', 'Values must be unique.');
}

type Level = 'command' | 'group' | 'subcommand';

function readOptions(problems: Problems, given: readonly unknown[], path: Path, level: Level): Json[] {
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
    readOptions(problems, nested ?? [], [...path, 'options'], type === OPTION.group ? 'group' : 'subcommand');
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
    checkChoiceValue(at, type);
  }
}

function checkChoiceValue(at: Fields, type: number): void {
  if (type === OPTION.string) at.text('value', { min: 1, max: 100, required: true });
  else if (type === OPTION.integer) at.integer('value', { min: -(2 ** 53), max: 2 ** 53, required: true });
  else if (typeof at.json.value !== 'number') at.fail('value', 'NUMBER_TYPE_COERCE', 'Value is not a number.');
}

function readBounds(fields: Fields, type: number): void {
  const numeric = type === OPTION.integer || type === OPTION.number;
  for (const key of ['min_value', 'max_value']) {
    const bound = fields.json[key];
    if (bound === undefined || bound === null) continue;
    if (!numeric)
      fields.fail(
        key,
        'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID',
        'Only numbers can have a minimum or maximum value',
      );
    else if (typeof bound !== 'number' || (type === OPTION.integer && !Number.isInteger(bound))) {
      fields.fail(key, 'NUMBER_TYPE_COERCE', `Value "${String(bound)}" is not a number of this type.`);
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

/** "8000 characters … for combined name, description, and value properties for each command", the longest localization counting. */
function characters(json: Json): number {
  const longest = (key: string) => {
    const localized = Object.values((json[`${key}_localizations`] as Record<string, unknown> | null | undefined) ?? {});
    return Math.max(...[json[key], ...localized].map((text) => (typeof text === 'string' ? [...text].length : 0)));
  };
  const value = typeof json.value === 'string' ? json.value.length : 0;
  const nested = [json.options, json.choices].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  return longest('name') + longest('description') + value + nested.reduce((sum, entry) => sum + characters(entry), 0);
}
