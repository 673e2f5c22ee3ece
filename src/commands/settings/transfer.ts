import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Guild } from 'discord.js';
import * as z from 'zod';
import { button } from '../../discord/replies/layout.ts';
import { quote } from '../../discord/replies/quote.ts';
import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { UserError } from '../../errors/user-errors.ts';
import {
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  type SettingKind,
  type SettingName,
  serverSettingsSchema,
  type VoiceChoice,
} from '../../services/servers/server-settings.ts';
import type { EmojiWords } from '../../services/text/blockable-words.ts';
import { importDictionary } from '../../services/text/dictionary-file.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { isLanguage, LANGUAGES, type Text, text } from '../../texts/catalogue.ts';
import { cancelButton, cancelControl } from '../framework/cancel.ts';
import type { Control, Services } from '../framework/command.ts';
import { messageControl, serverControl } from '../framework/server-call.ts';
import { readUpload } from '../framework/upload.ts';
import { changeSettings } from './change.ts';
import { settingLabel } from './describe.ts';
import { blockedInDictionary, emojiWordsIn, panelOf, voicesOf } from './panel-controls.ts';
import { badWord } from './panel-forms.ts';
import { settingsFile, withReplaced } from './settings-file.ts';

/** The content of an exported file; the format is for later versions that have to tell them apart. */
const fileSchema = z.object({ format: z.literal('crier-settings-1'), settings: serverSettingsSchema.strict() });

/** Generous for every list at its longest. */
const FILE_BYTES = 256 * 1024;

/** Throws a UserError that says where the file is wrong; nothing is taken from a file with a mistake in it. */
export async function importSettings(file: string, emojiWords: EmojiWords): Promise<ServerSettings> {
  let value: unknown;
  try {
    value = JSON.parse(file);
  } catch {
    throw new UserError(text('settings.import-not-json'));
  }
  const parsed = fileSchema.safeParse(value);
  if (parsed.success) {
    const problem = await problemWith(parsed.data.settings, emojiWords);
    if (problem) throw new UserError(problem);
    return parsed.data.settings;
  }
  const [issue] = parsed.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const where = [...(issue?.path ?? []), ...unknown].join('.');
  if (where === '') throw new UserError(text('settings.import-other'));
  throw new UserError(wrongAt(where, issue ? problemOf(issue) : ''));
}

/** The same, and a dictionary is named for what it is. */
export async function importFile(file: string, emojiWords: EmojiWords): Promise<ServerSettings> {
  try {
    return await importSettings(file, emojiWords);
  } catch (error) {
    const isDictionary = error instanceof UserError && (await importDictionary(file)).ok;
    throw isDictionary ? new UserError(text('settings.import-dictionary')) : error;
  }
}

/** Without the channels and roles of another server, which would shut everybody out; and which settings named some. */
function ofThisServer(settings: ServerSettings, { channels, roles }: Guild) {
  const changed = SETTING_NAMES.flatMap((name) => {
    const { kind } = SERVER_SETTINGS[name];
    const there =
      kind === 'roles' ? roles.cache : kind === 'channel' || kind === 'channels' ? channels.cache : undefined;
    const ids = there ? [settings[name] ?? []].flat().map(String) : [];
    const left = ids.filter((id) => there?.has(id));
    if (left.length === ids.length) return [];
    return [{ name, value: kind === 'channel' || left.length === 0 ? undefined : left }];
  });
  const list = changed.map(({ name }) => settingLabel(name));
  return {
    settings: { ...settings, ...Object.fromEntries(changed.map(({ name, value }) => [name, value])) } as ServerSettings,
    lines: list.length > 0 ? [text('settings.import-elsewhere', { settings: { list } })] : [],
  };
}

const OF_VOICES: readonly SettingKind[] = ['voice', 'voices', 'languageVoices'];
/** Named in one line. */
const MOST_NAMED = 5;

/** The models and voices of a setting that are none of these. */
function missingIn(name: SettingName, settings: ServerSettings, voices: readonly Voice[]) {
  const values = [settings[name] ?? []].flat();
  const { kind } = SERVER_SETTINGS[name];
  const isOfVoices = OF_VOICES.includes(kind);
  return {
    models: (kind === 'models' ? (values as string[]) : []).filter((named) =>
      voices.every(({ model }) => model !== named),
    ),
    voices: (isOfVoices ? (values as VoiceChoice[]) : []).filter(({ voiceId }) =>
      voices.every(({ id }) => id !== voiceId),
    ),
  };
}

/**
 * What is said of voices and models in these settings that are not there; nothing while the service lists none. They may be back
 * later, and to leave them out of a list of allowed ones would allow others.
 */
export async function missingVoicesLines(settings: ServerSettings, services: Services) {
  const missingFrom = (voices: readonly Voice[]) =>
    SETTING_NAMES.map((name) => ({ name, ...missingIn(name, settings, voices) })).filter(
      (missing) => missing.models.length + missing.voices.length > 0,
    );
  const list = await voicesOf(services);
  if (list.length === 0 || missingFrom(list).length === 0) return [];
  // One may be newer than the list.
  const { voices } = await services.voices.refresh().catch(() => ({ voices: list }));
  const missing = voices.length === 0 ? [] : missingFrom(voices);
  if (missing.length === 0) return [];
  const choices = new Map(missing.flatMap((one) => one.voices).map((choice) => [choice.voiceId, choice]));
  const models = missing.flatMap((one) => one.models).map((model) => quote(model, 40));
  const labels = [...models, ...[...choices.values()].map(voiceLabel)];
  const shown = labels.length > MOST_NAMED ? [...labels.slice(0, MOST_NAMED), '…'] : labels;
  const told = { settings: { list: missing.map(({ name }) => settingLabel(name)) }, missing: { list: shown } };
  return [text('settings.import-no-voice', told)];
}

const wrongAt = (where: string, problem: Text | string): Text =>
  text('settings.import-wrong', { where: quote(where, 60), problem });

/** The first value that fits the schema and that a form or a menu of the panel would refuse all the same. */
async function problemWith(settings: ServerSettings, emojiWords: EmojiWords): Promise<Text | undefined> {
  for (const name of SETTING_NAMES) {
    const value = settings[name];
    const { kind } = SERVER_SETTINGS[name];
    // 300 words take a few milliseconds, in which nothing else has its turn.
    if (kind === 'words') await nextTurn();
    for (const word of kind === 'words' ? ((value ?? []) as readonly string[]) : []) {
      const problem = await badWord(name, word, emojiWords);
      if (problem) return problem;
    }
    if (kind === 'language' && value !== undefined && !isLanguage(String(value))) {
      return wrongAt(`settings.${name}`, oneOf(LANGUAGES.map(({ locale }) => locale)));
    }
  }
  return undefined;
}

const oneOf = (values: readonly unknown[]): Text =>
  text('settings.import-choice', {
    choices: { list: values.map((value) => text('settings.import-value', { value: String(value) })) },
  });

const COUNTED: readonly string[] = ['string', 'array'];

/** The mistake, in words for the file's editor. The schema's own words are English, for programmers. */
function problemOf(issue: z.core.$ZodIssue): Text {
  switch (issue.code) {
    case 'unrecognized_keys':
      return text('settings.import-unknown');
    case 'too_small':
      return COUNTED.includes(issue.origin)
        ? text('settings.import-empty')
        : text('settings.import-least', { limit: Number(issue.minimum) });
    case 'too_big':
      return text('settings.import-most', { limit: Number(issue.maximum), counted: issue.origin });
    case 'invalid_value':
      return oneOf(issue.values);
    default:
      return text('settings.import-kind');
  }
}

/** As many changes as a panel holds, however long they are; the others are on its pages. */
const CHANGES = 15;

function firstOf(lines: readonly Text[]): readonly Text[] {
  const left = lines.length - CHANGES;
  return left > 0 ? [...lines.slice(0, CHANGES), text('setting.more', { count: left })] : lines;
}

/** Asks before everything is reset; `settings-reset-yes` does it. */
const resetQuestion: readonly Control[] = [
  serverControl({
    name: 'settings-reset',
    replyTo: 'caller',
    deferred: false,
    begin() {
      return async () => ({
        lines: [text('settings.reset-sure')],
        rows: [
          [
            button('settings-reset-yes', text('settings.reset-yes'), undefined, 'danger'),
            cancelButton('settings-reset'),
          ],
        ],
      });
    },
  }),
  cancelControl('settings-reset'),
];

export const transferControls: readonly Control[] = [
  serverControl({
    name: 'settings-export',
    replyTo: 'caller',
    deferred: true,
    begin({ interaction, services }) {
      return async () => {
        const settings = await services.settings.get(interaction.guildId);
        return { lines: [text('settings.exported')], files: [settingsFile(settings, 'crier-settings')] };
      };
    },
  }),
  messageControl('settings-import', ({ interaction, services, signal }) => async () => {
    const file = await readUpload(interaction, 'file', { maxBytes: FILE_BYTES, signal });
    const written = await importFile(file, emojiWordsIn({ interaction, services }));
    const imported = ofThisServer(written, interaction.guild);
    const missing = await missingVoicesLines(imported.settings, services);
    const { before, after, lines } = await changeSettings(services, interaction.guildId, () => imported.settings);
    const notes = await blockedInDictionary(services, interaction.guildId, { before, after });
    const panel = await panelOf(services, interaction.guildId, 'data', [
      ...firstOf(lines),
      ...imported.lines,
      ...missing,
      ...notes,
    ]);
    return withReplaced(panel, { before, after });
  }),
  ...resetQuestion,
  messageControl('settings-reset-yes', ({ interaction, services }) => async () => {
    const { before } = await services.settings.change(interaction.guildId, () => ({}));
    // The file takes the reset back.
    return { lines: [text('settings.was-reset')], files: [settingsFile(before, 'crier-settings-before')] };
  }),
];
