import type { Modal, ModalField } from '../../discord/replies/layout.ts';
import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import { UserError } from '../../errors/user-errors.ts';
import { rulesOf } from '../../services/servers/server-rules.ts';
import {
  choiceOf,
  SETTINGS_LIMITS,
  type ServerSettings,
  type SettingName,
  serverSettingsSchema,
  type VoiceChoice,
} from '../../services/servers/server-settings.ts';
import { blockedWordProblem } from '../../services/text/blocked-words.ts';
import { type NumberRange, SPEED_RANGE, TEMPERATURE_RANGE } from '../../speech/interface/models.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Services } from '../framework/command.ts';
import { chooseFreshly } from '../voice-options/voice-option.ts';
import { settingLabel } from './describe.ts';
import { marksOf, touchedBy } from './form-marks.ts';
import { typedNumber } from './typed-number.ts';

/** Room for the most credits there can be, with thousands set apart. */
const NUMBER_CHARACTERS = 16;

export type FormFields = Readonly<Record<string, string>>;

/** A form of the panel: what it shows, and the edit that what was filled in makes. */
interface Form {
  readonly title: Text;
  fields(settings: ServerSettings): readonly ModalField[];
  edit(fields: FormFields, services: Pick<Services, 'voices'>): Promise<(before: ServerSettings) => ServerSettings>;
}

const CHARACTERS: NumberRange = { min: 1, max: SETTINGS_LIMITS.characters, integer: true };
const TEXTS: NumberRange = { min: 1, max: SETTINGS_LIMITS.queue, integer: true };
const SECONDS: NumberRange = { min: 0, max: SETTINGS_LIMITS.seconds, integer: true };
const CREDITS: NumberRange = { min: 0, max: SETTINGS_LIMITS.credits, integer: false };

/** What each number may be, as the settings' schema has it. */
const RANGES = {
  speed: SPEED_RANGE,
  temperature: TEMPERATURE_RANGE,
  maxCharacters: CHARACTERS,
  confirmAboveCharacters: CHARACTERS,
  queueLimit: TEXTS,
  memberQueueLimit: TEXTS,
  cooldownSeconds: SECONDS,
  creditsPerServer: CREDITS,
  creditsPerMember: CREDITS,
  aloneSeconds: SECONDS,
  idleSeconds: SECONDS,
} as const satisfies Partial<Record<SettingName, NumberRange>>;

type NumberSetting = keyof typeof RANGES;

/** Without a hint of its own a field names its range. */
const numberField = (name: NumberSetting, settings: ServerSettings, hint?: Text): ModalField => ({
  kind: 'line',
  name,
  label: settingLabel(name),
  description: hint ?? text('settings.range', { min: RANGES[name].min, max: RANGES[name].max }),
  required: false,
  value: String(rulesOf(settings)[name] ?? ''),
  maxLength: NUMBER_CHARACTERS,
});

/** Numbers by name; an empty field takes the setting back. A UserError names the first that makes no sense. */
function numbers(names: readonly NumberSetting[]): Form['edit'] {
  return async (fields) => {
    const changes: Partial<Record<NumberSetting, number | undefined>> = {};
    for (const name of names) {
      const typed = (fields[name] ?? '').trim();
      const value = typed === '' ? undefined : typedNumber(typed, RANGES[name]);
      const parsed = serverSettingsSchema.shape[name].safeParse(value);
      if (!parsed.success) {
        const { min, max, integer } = RANGES[name];
        const whole = integer ? 'yes' : 'no';
        throw new UserError(text('settings.bad-number', { setting: settingLabel(name), whole, min, max }));
      }
      changes[name] = parsed.data;
    }
    return (before) => ({ ...before, ...changes });
  };
}

const voiceForm = (name: 'defaultVoice' | 'forcedVoice', title: Text, hint: Text): Form => ({
  title,
  fields: ({ [name]: present }) => [
    {
      kind: 'line',
      name: 'voice',
      label: settingLabel(name),
      description: hint,
      required: false,
      ...(present && { value: `${present.name} (${present.model})` }),
      maxLength: 100,
    },
  ],
  async edit({ voice: typed = '' }, services) {
    const asked = typed.trim();
    if (asked === '') return ({ [name]: _, ...rest }) => rest;
    const { voice } = await chooseFreshly(services, { asked });
    return (before) => ({ ...before, [name]: choiceOf(voice) });
  },
});

const lines = (typed: string | undefined): string[] => [
  ...new Set(
    (typed ?? '')
      .split(/[\n,;]/)
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  ),
];

/** As many of the first words as a field holds, which are fewer than can be imported. */
function wordsShown(words: readonly string[]): readonly string[] {
  let length = 0;
  const end = words.findIndex((word) => {
    length += word.length + 1;
    return length > DISCORD_LIMITS.fieldCharacters;
  });
  return end === -1 ? words : words.slice(0, end);
}

const FORMS = {
  defaultVoice: voiceForm('defaultVoice', text('settings.choose-default'), text('settings.voice-hint')),
  forcedVoice: voiceForm('forcedVoice', text('settings.choose-forced'), text('settings.forced-hint')),
  speechOptions: {
    title: text('settings.choose-manner'),
    fields: (settings) => [
      {
        kind: 'line',
        name: 'style',
        label: settingLabel('style'),
        required: false,
        ...(settings.style !== undefined && { value: settings.style }),
        maxLength: SETTINGS_LIMITS.styleCharacters,
      },
      numberField('speed', settings),
      numberField('temperature', settings),
    ],
    async edit(fields, services) {
      const edit = await numbers(['speed', 'temperature'])(fields, services);
      const style = fields.style?.trim() || undefined;
      return (before) => ({ ...edit(before), style });
    },
  },
  allowedVoices: {
    title: text('settings.choose-voices'),
    fields: ({ allowedVoices = [] }) => [
      {
        kind: 'paragraph',
        name: 'voices',
        label: settingLabel('allowedVoices'),
        description: text('settings.voices-hint'),
        required: false,
        value: allowedVoices.map(({ name, model }) => `${name} (${model})`).join('\n'),
        maxLength: DISCORD_LIMITS.fieldCharacters,
      },
    ],
    async edit({ voices: typed }, services) {
      const named = lines(typed);
      if (named.length > SETTINGS_LIMITS.voices)
        throw new UserError(text('settings.too-many', { limit: SETTINGS_LIMITS.voices }));
      const allowedVoices: VoiceChoice[] = [];
      for (const asked of named) {
        const { voice } = await chooseFreshly(services, { asked });
        allowedVoices.push(choiceOf(voice));
      }
      return (before) => ({ ...before, allowedVoices });
    },
  },
  texts: {
    title: text('settings.choose-texts'),
    fields: (settings) => [
      numberField('maxCharacters', settings),
      numberField('confirmAboveCharacters', settings),
      numberField('queueLimit', settings),
      numberField('memberQueueLimit', settings),
      numberField('cooldownSeconds', settings),
    ],
    edit: numbers(['maxCharacters', 'confirmAboveCharacters', 'queueLimit', 'memberQueueLimit', 'cooldownSeconds']),
  },
  credits: {
    title: text('settings.choose-credits'),
    fields: (settings) => [
      numberField('creditsPerServer', settings, text('settings.credits-hint')),
      numberField('creditsPerMember', settings, text('settings.credits-hint')),
    ],
    edit: numbers(['creditsPerServer', 'creditsPerMember']),
  },
  times: {
    title: text('settings.choose-times'),
    fields: (settings) => [
      numberField('aloneSeconds', settings, text('settings.seconds-hint')),
      numberField('idleSeconds', settings, text('settings.seconds-hint')),
    ],
    edit: numbers(['aloneSeconds', 'idleSeconds']),
  },
  blockedWords: {
    title: text('settings.choose-words'),
    fields: ({ blockedWords = [] }) => [
      {
        kind: 'paragraph',
        name: 'words',
        label: settingLabel('blockedWords'),
        description: text('settings.words-hint'),
        required: false,
        value: wordsShown(blockedWords).join('\n'),
        maxLength: DISCORD_LIMITS.fieldCharacters,
      },
    ],
    async edit({ words }) {
      const blockedWords = lines(words);
      const { blockedWords: limit } = SETTINGS_LIMITS;
      if (blockedWords.length > limit) throw new UserError(text('settings.too-many', { limit }));
      for (const word of blockedWords) {
        const problem = blockedWordProblem(word);
        if (problem) throw new UserError(problem);
      }
      return (before) => {
        const { blockedWords: present = [] } = before;
        const unseen = present.slice(wordsShown(present).length);
        const all = [...new Set([...blockedWords, ...unseen])];
        if (all.length > limit) throw new UserError(text('settings.too-many', { limit }));
        return { ...before, blockedWords: all };
      };
    },
  },
} as const satisfies Readonly<Record<string, Form>>;

/** Whatever a custom id holds: only what is in the table is a form. */
function formNamed(name: string): Form | undefined {
  return Object.hasOwn(FORMS, name) ? FORMS[name as keyof typeof FORMS] : undefined;
}

/** The form of that name, filled in with what holds now; undefined where there is none of that name. */
export function settingsForm(name: string, settings: ServerSettings): Modal | undefined {
  const found = formNamed(name);
  if (!found) return undefined;
  const fields = found.fields(settings);
  return { title: found.title, control: 'settings-fill', argument: `${name} ${marksOf(fields)}`, fields };
}

/** Of the argument that a filled-in form comes back with. */
export function nameOfForm(argument: string): string {
  return argument.split(' ', 1)[0] ?? '';
}

/**
 * The edit that a filled-in form makes: of the fields that were changed in it, and no others. Rejects with a UserError for
 * what makes no sense; the edit throws one for what somebody else has changed since the form was opened.
 */
export async function editOfForm(
  argument: string,
  fields: FormFields,
  services: Pick<Services, 'voices'>,
): Promise<(before: ServerSettings) => ServerSettings> {
  const found = formNamed(nameOfForm(argument));
  if (!found) throw new UserError(text('refused.over'));
  const touched = touchedBy(fields, argument.split(' ')[1] ?? '', found.fields);
  return touched.isAny ? touched.settle(await found.edit(fields, services)) : (before) => before;
}

/** On which page a form's settings are shown. */
export const PAGE_OF_FORM = {
  defaultVoice: 'voices',
  forcedVoice: 'voices',
  speechOptions: 'voices',
  allowedVoices: 'voices',
  texts: 'limits',
  credits: 'limits',
  times: 'presence',
  blockedWords: 'words',
} as const;
