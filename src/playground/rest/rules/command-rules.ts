import { apiError } from '../errors.ts';
import {
  createProblems,
  type Fields,
  fieldsOf,
  isObject,
  type Json,
  type Path,
  type Problems,
} from './body-problems.ts';
import { checkName, readDescription, readLocalizations, readName, readTranslations } from './command-names.ts';
import { readCommandOptions } from './option-rules.ts';

/**
 * The rules of Discord for an application command.
 * https://discord.com/developers/docs/interactions/application-commands#application-command-object
 */
const TOTAL_CHARACTERS = 8_000;

export interface CommandDraft {
  readonly type: 1 | 2 | 3;
  readonly name: string;
  /** The fields as Discord keeps and returns them, ids aside. */
  readonly fields: Json;
}

/** Validates one command; problems are noted below `path`. */
function readCommand(problems: Problems, value: unknown, path: Path, scope: 'global' | 'guild'): CommandDraft {
  const fields = fieldsOf(problems, value, path);
  const type = fields.oneOf('type', [1, 2, 3] as const) ?? 1;
  const isChatInput = type === 1;
  const name = readName(fields, 'name', isChatInput) ?? '';
  readLocalizations(fields, 'name_localizations', (key, text) =>
    checkName(fields, ['name_localizations', key], text, isChatInput),
  );
  if (isChatInput) readDescription(fields);
  else {
    readTranslations(fields, 'description_localizations');
    if (fields.json.description) {
      fields.fail(
        'description',
        'APPLICATION_COMMAND_CONTEXT_MENU_DESCRIPTION',
        'Context menu commands cannot have description',
      );
    }
  }
  const given = fields.list('options', { max: 25 });
  if (!isChatInput && given?.length) {
    fields.fail('options', 'APPLICATION_COMMAND_CONTEXT_MENU_OPTIONS', 'Context menu commands cannot have options');
  }
  const options = isChatInput ? readCommandOptions(problems, given ?? [], [...path, 'options'], 'command') : [];
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
      ...(options.length === 0 ? {} : { options }),
      // Fields for globally-scoped commands are dropped elsewhere; the documents name no refusal.
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
function checkCommandCount(commands: readonly { readonly type: number }[]): void {
  const limits = { 1: 100, 2: 15, 3: 15 } as const;
  for (const [type, limit] of Object.entries(limits)) {
    if (commands.filter((command) => command.type === Number(type)).length > limit) throw apiError('tooManyCommands');
  }
}

function readPermissions(fields: Fields): string | null {
  const given = fields.json.default_member_permissions;
  if (given === undefined || given === null) return null;
  if (/^\d+$/.test(String(given))) return String(given);
  fields.fail('default_member_permissions', 'BITFIELD_TYPE_CONVERT', 'Could not interpret as a bitfield.');
  return null;
}

/** At least one entry and none twice: `minItems` and `uniqueItems` in Discord's OpenAPI document, ApplicationCommandCreateRequest. */
function readSet(fields: Fields, key: string, allowed: readonly number[]): void {
  const given = fields.list(key, { min: 1, max: allowed.length, unique: true });
  if (given?.some((entry) => !allowed.includes(entry as number))) {
    fields.fail(key, 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
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
