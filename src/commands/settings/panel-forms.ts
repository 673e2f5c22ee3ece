import { DISCORD_LIMITS, type Modal, type ModalField, quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { rulesOf } from '../../services/servers/admission.ts';
import {
  choiceOf,
  type FormName,
  type LanguageVoice,
  SERVER_SETTINGS,
  SETTING_NAMES,
  SETTINGS_LIMITS,
  type ServerSettings,
  type SettingName,
  serverSettingsSchema,
  type VoiceChoice,
  withLanguageVoice,
} from '../../services/servers/server-settings.ts';
import { blockedWordProblem } from '../../services/text/blocked-words.ts';
import { spokenLanguageNamed } from '../../services/voices/preferences.ts';
import { nameWithModel } from '../../speech/interface/schemas.ts';
import { firstLines, type Text, text } from '../../texts/catalog.ts';
import type { ControlCall } from '../framework/command.ts';
import { voiceNamed } from '../voice-options/voice-option.ts';
import { settingLabel } from './change.ts';

/** Maximum length of a typed number: enough for the highest credit limit with thousands separators. */
const NUMBER_CHARACTERS = 16;
const VOICE_CHARACTERS = 100;

export const FORMS: Readonly<Record<FormName, Text>> = {
  defaultVoice: settingLabel('defaultVoice'),
  forcedVoice: settingLabel('forcedVoice'),
  languageVoices: settingLabel('languageVoices'),
  texts: text('settings.choose-texts'),
  credits: text('settings.choose-credits'),
  times: text('settings.choose-times'),
  blockedWords: settingLabel('blockedWords'),
};

const HINTS: Partial<Record<SettingName, Text>> = {
  defaultVoice: text('settings.voice-hint'),
  forcedVoice: text('settings.voice-hint'),
  languageVoices: text('settings.language-voices-hint'),
  creditsPerServer: text('settings.credits-hint'),
  creditsPerMember: text('settings.credits-hint'),
  blockedWords: text('settings.words-hint'),
  blockedWordsExceptions: text('settings.exceptions-hint'),
};

type Typed = ReturnType<typeof settingsIn>[number];

function settingsIn(form: string) {
  return SETTING_NAMES.flatMap((name) => {
    const definition = SERVER_SETTINGS[name];
    return 'form' in definition && definition.form === form ? [{ name, definition }] : [];
  });
}

export const pageOfForm = (form: string) => settingsIn(form)[0]?.definition.page;

export function settingsForm(form: string, settings: ServerSettings, isFree: boolean): Modal | undefined {
  // The name comes from a custom id, which can be forged.
  if (!Object.hasOwn(FORMS, form)) return undefined;
  const fields = settingsIn(form).map((setting) => fieldOf(setting, settings, isFree));
  return { title: FORMS[form as FormName], control: 'settings-fill', argument: form, fields };
}

/** Returns the changed values: fields that still show the present value change nothing. Rejects with a UserError for invalid input. */
export async function changesOfForm(form: string, present: ServerSettings, call: ControlCall) {
  const typedIn = settingsIn(form).flatMap((setting) => {
    const typed = call.fields[setting.name]?.replaceAll('\r\n', '\n').trim();
    return typed === undefined || typed === shownValue(setting, present).trim() ? [] : [{ setting, typed }];
  });
  const changes = await readAll(
    typedIn,
    async ({ setting, typed }) => [setting.name, await readField(setting, typed, present, call)] as const,
    text('settings.unchanged'),
  );
  return Object.fromEntries(changes);
}

/** Eight mistakes fit into a message, however long they are. */
const MISTAKES = 8;

/** Rejects with a UserError that names the mistakes of all items, so that an admin can fix them together. */
async function readAll<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
  ending?: Text,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  const mistakes: Text[] = [];
  for (const item of items) {
    try {
      results.push(await read(item));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      mistakes.push(error.text);
    }
  }
  if (mistakes.length === 0) return results;
  const lines = [...firstLines(mistakes, MISTAKES), ...(ending ? [ending] : [])];
  throw new UserError(lines.reduce((first, second) => text('settings.mistakes', { first, second })));
}

function fieldOf({ name, definition }: Typed, settings: ServerSettings, isFree: boolean): ModalField {
  const { kind } = definition;
  return {
    kind: kind === 'languageVoices' || kind === 'words' ? 'paragraph' : 'line',
    name,
    label: settingLabel(name, isFree),
    description: HINTS[name] ?? rangeHint(definition),
    required: false,
    value: shownValue({ name, definition }, settings),
    maxLength:
      kind === 'number' ? NUMBER_CHARACTERS : kind === 'voice' ? VOICE_CHARACTERS : DISCORD_LIMITS.fieldCharacters,
  };
}

function rangeHint(definition: Typed['definition']): Text | undefined {
  if (definition.kind !== 'number') return undefined;
  const { min, max } = definition.range;
  return text('settings.range', { min, max, unit: definition.zeroSeconds === undefined ? 'none' : 'seconds' });
}

function shownValue({ name, definition: { kind } }: Typed, settings: ServerSettings): string {
  const value = rulesOf(settings)[name];
  if (value === undefined) return '';
  switch (kind) {
    case 'voice':
      return nameWithModel(value as VoiceChoice);
    case 'languageVoices':
      return (value as LanguageVoice[]).map((voice) => `${voice.language}: ${nameWithModel(voice)}`).join('\n');
    case 'words':
      // An imported phrase may contain commas and semicolons, which separate words in the form. With a space instead,
      // the phrase stays whole and blocks the same texts.
      return wordsShown(value as string[])
        .map((word) => word.replaceAll(/\s*[,;]\s*/g, ' '))
        .join('\n');
    case 'number':
      return String(value);
  }
}

/** An empty text resets the setting to its default. Rejects with a UserError for invalid input. */
async function readField({ name, definition }: Typed, typed: string, present: ServerSettings, call: ControlCall) {
  switch (definition.kind) {
    case 'words':
      return wordsIn(name, typed, (present[name] ?? []) as string[]);
    case 'languageVoices':
      return languageVoicesIn(name, typed, call);
    case 'voice':
      return typed === '' ? undefined : choiceOf(await voiceNamed(call, typed));
    case 'number': {
      const { range, zeroSeconds } = definition;
      const value = typed === '' ? undefined : typedNumber(typed);
      if (serverSettingsSchema.shape[name].safeParse(value).success) return value;
      const whole = zeroSeconds === undefined ? (range.integer ? 'yes' : 'no') : 'seconds';
      const { min, max } = range;
      const setting = settingLabel(name, call.services.bot.localVoice);
      throw new UserError(text('settings.bad-number', { setting, whole, min, max }));
    }
  }
}

/** Numbers with thousands separators, and decimals after a different mark: `4,000`, `12.000`, `12 000`, `1.234,5`. */
const WITH_THOUSANDS = /^[1-9]\d{0,2}([.,\s'’])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?$/;

/** NaN if the text is no number. */
function typedNumber(typed: string): number {
  const thousandsMark = WITH_THOUSANDS.exec(typed)?.[1];
  const plain = thousandsMark === undefined ? typed : typed.replaceAll(thousandsMark, '');
  return Number(plain.replace(',', '.'));
}

async function languageVoicesIn(name: SettingName, typed: string, call: ControlCall) {
  const lines = linesOf(typed);
  refuseAbove(name, SETTINGS_LIMITS.languageVoices, lines);
  const voices = await readAll(lines, async (line) => {
    const [, named = '', asked = ''] = /^([^:=]+)[:=]\s*(.+)$/u.exec(line) ?? [];
    const language = spokenLanguageNamed(named);
    if (language === undefined) throw new UserError(text('settings.bad-language-line', { line: quote(line, 60) }));
    return { language, ...choiceOf(await voiceNamed(call, asked)) };
  });
  return voices.reduce<readonly LanguageVoice[]>(withLanguageVoice, []);
}

export function badWord(word: string): Text | undefined {
  const problem = blockedWordProblem(word);
  return problem && text('settings.bad-word', { word: quote(word, 60), problem });
}

/** Words of `present` that did not fit into the form field stay. */
async function wordsIn(name: SettingName, typed: string, present: readonly string[]): Promise<readonly string[]> {
  // Quotation marks are removed, because admins type them around phrases.
  const words = linesOf(typed.replaceAll(/["“”„«»]/g, ''));
  const all = [...new Set([...words, ...present.slice(wordsShown(present).length)])];
  refuseAbove(name, SETTINGS_LIMITS.blockedWords, all);
  await readAll(words, async (word) => {
    const problem = badWord(word);
    if (problem) throw new UserError(problem);
  });
  return all;
}

/** Returns the first words of a list, as many as fit into a form field: an imported list can exceed the field. */
function wordsShown(words: readonly string[]): readonly string[] {
  let length = 0;
  const end = words.findIndex((word) => {
    length += word.length + 1;
    return length > DISCORD_LIMITS.fieldCharacters;
  });
  return end === -1 ? words : words.slice(0, end);
}

const linesOf = (typed: string): readonly string[] => [
  ...new Set(
    typed
      .split(/[\n,;]/)
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
];

function refuseAbove(name: SettingName, limit: number, list: readonly unknown[]): void {
  if (list.length > limit) throw new UserError(text('settings.too-many', { setting: settingLabel(name), limit }));
}
