import { type Fields, isObject, type Path } from './body-problems.ts';

/** Names and descriptions of commands and options: https://discord.com/developers/docs/interactions/application-commands#application-command-object-application-command-naming */
const NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
/** The languages of Discord's client: https://discord.com/developers/docs/reference#locales */
export const DISCORD_LOCALES = new Set(
  'ar bg cs da de el en-GB en-US es-419 es-ES fi fr he hi hr hu id it ja ko lt nl no pl pt-BR ro ru sv-SE th tr uk vi zh-CN zh-TW'.split(
    ' ',
  ),
);

export function checkName(fields: Fields, key: Path, name: string, isChatInput: boolean): void {
  const fail = (code: string, message: string) => fields.fail(key, code, message);
  const length = [...name].length;
  if (length < 1 || length > 32) fail('BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 32 in length.');
  else if (isChatInput && !NAME.test(name)) fail('STRING_TYPE_REGEX', 'String value did not match validation regex.');
  else if (isChatInput && name !== name.toLowerCase())
    fail('APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
}

export function readName(fields: Fields, key: string, isChatInput: boolean): string | undefined {
  const name = fields.text(key, { max: Number.POSITIVE_INFINITY, required: true });
  if (name !== undefined) checkName(fields, [key], name, isChatInput);
  return name;
}

export function readDescription(fields: Fields): void {
  fields.text('description', { min: 1, max: 100, required: true });
  readTranslations(fields, 'description_localizations');
}

/** Of a description or a choice's name: 1 to 100 characters, like the text that they translate. */
export function readTranslations(fields: Fields, key: string): void {
  readLocalizations(fields, key, (locale, text) => {
    const length = [...text].length;
    if (length < 1 || length > 100) {
      fields.fail([key, locale], 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
    }
  });
}

export function readLocalizations(fields: Fields, key: string, check: (locale: string, text: string) => void) {
  const given = fields.json[key];
  if (given === undefined || given === null) return;
  if (!isObject(given)) return fields.fail(key, 'DICT_TYPE_CONVERT', 'Only dictionaries may be used in a DictType');
  for (const [locale, text] of Object.entries(given)) {
    if (!DISCORD_LOCALES.has(locale)) {
      fields.fail([key, locale], 'ENUM_TYPE_COERCE', `Value "${locale}" is not a valid enum value.`);
    } else if (typeof text === 'string') check(locale, text);
    else if (text === null) fields.fail([key, locale], 'BASE_TYPE_REQUIRED', 'This field is required');
    else fields.fail([key, locale], 'STRING_TYPE_CONVERT', 'Could not interpret as string.');
  }
}
