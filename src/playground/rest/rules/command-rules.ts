import { OPTION } from '../../state/model.ts';
import { apiError, type Fields, isObject, type Json, type Path, readForm, refuseForm } from '../problems.ts';

/** Valid names in any letter case: application-commands#application-command-object-application-command-naming */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
/** The languages of Discord's client: https://discord.com/developers/docs/reference#locales */
const DISCORD_LOCALES = new Set(
  'ar bg cs da de el en-GB en-US es-419 es-ES fi fr he hi hr hu id it ja ko lt nl no pl pt-BR ro ru sv-SE th tr uk vi zh-CN zh-TW'.split(
    ' ',
  ),
);

function checkName(fields: Fields, key: Path, name: string, isChatInput: boolean): void {
  const fail = (code: string) => fields.fail(key, code);
  const length = [...name].length;
  if (length < 1 || length > 32) fail('BASE_TYPE_BAD_LENGTH');
  else if (isChatInput && !NAME.test(name)) fail('STRING_TYPE_REGEX');
  else if (isChatInput && name !== name.toLowerCase()) fail('APPLICATION_COMMAND_INVALID_NAME');
}

function readName(fields: Fields, isChatInput: boolean): string | undefined {
  const name = fields.text('name', { max: Number.POSITIVE_INFINITY, required: true });
  if (name !== undefined) checkName(fields, ['name'], name, isChatInput);
  readLocalizations(fields, 'name_localizations', (locale, text) =>
    checkName(fields, ['name_localizations', locale], text, isChatInput),
  );
  return name;
}

function readDescription(fields: Fields): void {
  fields.text('description', { min: 1, max: 100, required: true });
  readTranslations(fields, 'description_localizations');
}

export function readTranslations(fields: Fields, key: string): void {
  readLocalizations(fields, key, (locale, text) => {
    const length = [...text].length;
    if (length < 1 || length > 100) fields.fail([key, locale], 'BASE_TYPE_BAD_LENGTH');
  });
}

function readLocalizations(fields: Fields, key: string, check: (locale: string, text: string) => void) {
  const given = fields.json[key];
  if (given === undefined || given === null) return;
  if (!isObject(given)) return fields.fail(key, 'DICT_TYPE_CONVERT');
  for (const [locale, text] of Object.entries(given)) {
    if (!DISCORD_LOCALES.has(locale)) {
      fields.fail([key, locale], 'ENUM_TYPE_COERCE', `Value "${locale}" is not a valid enum value.`);
    } else if (typeof text === 'string') check(locale, text);
    else if (text === null) fields.fail([key, locale], 'BASE_TYPE_REQUIRED');
    else fields.fail([key, locale], 'STRING_TYPE_CONVERT');
  }
}

const OPTION_TYPES = Object.values(OPTION);
const WITH_CHOICES: readonly number[] = [OPTION.string, OPTION.integer, OPTION.number];
export const CHANNEL_TYPES: readonly unknown[] = [0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15, 16];

type Level = 'command' | 'group' | 'subcommand';

function readCommandOptions(options: readonly Fields[], level: Level): Json[] {
  const read = options.map((option) => readOption(option, level));
  const isNested = (option: Json) => option.type === OPTION.subcommand || option.type === OPTION.group;
  let optionalSeen = false;
  for (const [index, at] of options.entries()) {
    const { json } = at;
    if (read.findIndex(({ name }) => name === json.name) < index) {
      at.fail(undefined, 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS');
    }
    if (isNested(json) !== isNested(read[0] as Json)) at.fail(undefined, 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID');
    if (json.required === true && optionalSeen) at.fail(undefined, 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID');
    if (json.required !== true) optionalSeen = true;
  }
  return read;
}

/** Subcommands can be in a group, but not in each other. */
const ALLOWED: Readonly<Record<Level, readonly number[]>> = {
  command: OPTION_TYPES,
  group: [OPTION.subcommand],
  subcommand: OPTION_TYPES.filter((type) => type > OPTION.group),
};

function readOption(fields: Fields, level: Level): Json {
  const type = fields.oneOf('type', OPTION_TYPES, true);
  readName(fields, true);
  readDescription(fields);
  if (type === undefined) return fields.json;
  if (!ALLOWED[level].includes(type)) fields.fail('type', 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID');
  const nested = fields.objects('options', { max: 25 });
  if (type === OPTION.subcommand || type === OPTION.group) {
    if (fields.json.required !== undefined && fields.json.required !== false) {
      fields.fail('required', 'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID');
    }
    readCommandOptions(nested, type === OPTION.group ? 'group' : 'subcommand');
  } else if (nested.length > 0) {
    fields.fail('options', 'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID');
  }
  fields.flag('required');
  readChoices(fields, type);
  readBounds(fields, type);
  return fields.json;
}

function readChoices(fields: Fields, type: number): void {
  const choices = fields.objects('choices', { max: 25 });
  const autocomplete = fields.flag('autocomplete') ?? false;
  if (choices.length > 0 && !WITH_CHOICES.includes(type)) {
    fields.fail('choices', 'APPLICATION_COMMAND_OPTIONS_CHOICES_INVALID');
  }
  if (autocomplete && !WITH_CHOICES.includes(type)) {
    fields.fail('autocomplete', 'APPLICATION_COMMAND_AUTOCOMPLETE_INVALID');
  }
  if (autocomplete && choices.length > 0) fields.fail('autocomplete', 'APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES');
  const names = new Set<unknown>();
  for (const at of choices) {
    const name = at.text('name', { min: 1, max: 100, required: true });
    if (names.has(name)) at.fail('name', 'APPLICATION_COMMAND_OPTIONS_CHOICE_NAME_ALREADY_EXISTS');
    names.add(name);
    readTranslations(at, 'name_localizations');
    if (type === OPTION.string) at.text('value', { min: 1, max: 100, required: true });
    else readNumber(at, 'value', type, true);
  }
}

/** Limits of numeric option values: application-commands#application-command-object-application-command-option-type */
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
      fields.fail(key, 'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID');
    }
  }
  for (const [key, min] of [
    ['min_length', 0],
    ['max_length', 1],
  ] as const) {
    if (fields.integer(key, { min, max: 6_000 }) !== undefined && type !== OPTION.string) {
      fields.fail(key, 'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID');
    }
  }
  for (const kind of ['value', 'length']) {
    const [min, max] = [fields.json[`min_${kind}`], fields.json[`max_${kind}`]];
    if (typeof min === 'number' && typeof max === 'number' && min > max) {
      fields.fail(`min_${kind}`, 'APPLICATION_COMMAND_OPTIONS_BOUNDS_INVALID');
    }
  }
  const channelTypes = fields.list('channel_types', { max: CHANNEL_TYPES.length });
  if (!channelTypes) return;
  if (type !== OPTION.channel) fields.fail('channel_types', 'APPLICATION_COMMAND_OPTIONS_CHANNEL_TYPES');
  checkChannelTypes(fields, channelTypes);
}

export function checkChannelTypes(fields: Fields, types: readonly unknown[] = []): void {
  if (types.some((type) => !CHANNEL_TYPES.includes(type))) {
    fields.fail('channel_types', 'BASE_TYPE_CHOICES', `Value must be one of {${CHANNEL_TYPES.join(', ')}}.`);
  }
}

/** The limit for all texts of a command: application-commands#application-command-object */
const TOTAL_CHARACTERS = 8_000;

export interface CommandDraft {
  readonly type: 1 | 2 | 3;
  readonly name: string;
  readonly fields: Json;
}

function readCommand(fields: Fields, isGlobal: boolean): CommandDraft {
  const type = fields.oneOf('type', [1, 2, 3] as const) ?? 1;
  const isChatInput = type === 1;
  const name = readName(fields, isChatInput) ?? '';
  if (isChatInput) readDescription(fields);
  else {
    readTranslations(fields, 'description_localizations');
    if (fields.json.description) fields.fail('description', 'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION');
  }
  const given = fields.objects('options', { max: 25 });
  if (!isChatInput && given.length > 0) fields.fail('options', 'APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS');
  const options = isChatInput ? readCommandOptions(given, 'command') : [];
  const memberPermissions = readPermissions(fields);
  readSet(fields, 'integration_types', [0, 1]);
  readSet(fields, 'contexts', [0, 1, 2]);
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
      options: options.length === 0 ? undefined : options,
      // In a server's command, the fields of global commands are ignored, because Discord documents no error for them.
      dm_permission: isGlobal ? (fields.flag('dm_permission') ?? true) : undefined,
      contexts: isGlobal ? (fields.json.contexts ?? null) : null,
      integration_types: isGlobal ? (fields.json.integration_types ?? [0]) : [0],
    },
  };
}

/** Discord's maximum number of commands by type, global or in a server: application-commands#registering-a-command */
const COMMAND_LIMITS = { 1: 100, 2: 15, 3: 15 } as const;

/** Reads a bulk overwrite of all commands, global or of a server. Throws if one is invalid or there are too many. */
export function readCommands(value: unknown, isGlobal: boolean): CommandDraft[] {
  if (!Array.isArray(value)) return refuseForm([], 'LIST_TYPE_CONVERT');
  const drafts = readForm({ ...value }, [], (list) => {
    const read = value.map((_command, index) => readCommand(list.object(String(index)), isGlobal));
    for (const [index, draft] of read.entries()) {
      if (read.findIndex((other) => other.type === draft.type && other.name === draft.name) < index) {
        list.fail([index], 'APPLICATION_COMMANDS_DUPLICATE_NAME');
      }
    }
    return read;
  });
  for (const [type, limit] of Object.entries(COMMAND_LIMITS)) {
    if (drafts.filter((draft) => draft.type === Number(type)).length > limit) throw apiError('tooManyCommands');
  }
  return drafts;
}

function readPermissions(fields: Fields): string | null {
  const given = fields.json.default_member_permissions;
  if (given === undefined || given === null) return null;
  if (/^\d+$/.test(String(given))) return String(given);
  fields.fail('default_member_permissions', 'BITFIELD_TYPE_CONVERT');
  return null;
}

/** In Discord's OpenAPI document, `contexts` and `integration_types` need at least one entry and no duplicates. */
function readSet(fields: Fields, key: string, allowed: readonly number[]): void {
  const given = fields.set(key, { min: 1, max: allowed.length });
  if (given?.some((entry) => !allowed.includes(entry as number))) {
    fields.fail(key, 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
  }
}

/** Discord counts names, descriptions and values together, each in its longest translation. */
function characters(json: Json): number {
  const longest = (key: string) => {
    const localized = Object.values((json[`${key}_localizations`] as Record<string, unknown> | null | undefined) ?? {});
    return Math.max(...[json[key], ...localized].map((text) => (typeof text === 'string' ? [...text].length : 0)));
  };
  const value = typeof json.value === 'string' ? json.value.length : 0;
  const nested = [json.options, json.choices].flatMap((list) => (Array.isArray(list) ? list.filter(isObject) : []));
  return longest('name') + longest('description') + value + nested.reduce((sum, entry) => sum + characters(entry), 0);
}
