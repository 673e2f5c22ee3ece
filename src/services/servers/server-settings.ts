import * as z from 'zod';
import type { NumberRange } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { DEFAULT_SPEAKER_LIMITS } from '../presence/channel-presence.ts';
import { createRecords, type Records, type Store } from '../storage/store.ts';

export const voiceChoiceSchema = z.object({
  voiceId: z.string(),
  name: z.string(),
  model: z.string(),
  gender: z.enum(['female', 'male']).optional(),
  accent: z.string().optional(),
  isVariant: z.boolean().optional(),
});

export const languageVoiceSchema = voiceChoiceSchema.extend({ language: z.string().regex(/^[a-z]{2}$/) });
export type LanguageVoice = z.infer<typeof languageVoiceSchema>;

export const withLanguageVoice = (
  voices: readonly LanguageVoice[] | undefined,
  chosen: LanguageVoice,
): LanguageVoice[] =>
  [...(voices ?? []).filter(({ language }) => language !== chosen.language), chosen].sort((one, other) =>
    one.language < other.language ? -1 : 1,
  );

/** The stored choice of a voice, with the parts of its label, so that the label stays known after the voice is gone. */
export type VoiceChoice = z.infer<typeof voiceChoiceSchema>;

export const choiceOf = (voice: Voice): VoiceChoice => voiceChoiceSchema.parse({ ...voice, voiceId: voice.id });

/** Maximum sizes of settings. Discord's selects have up to 25 items. Other lists are limited because the bot often reads all settings. */
export const SETTINGS_LIMITS = {
  models: 25,
  languageVoices: 25,
  roles: 25,
  channels: 25,
  members: 200,
  blockedWords: 300,
  blockedWordCharacters: 50,
  queue: 100,
  characters: 4_000,
  /** The highest credit limit: more than any account holds, but low enough for exact sums in thousandths of a credit. */
  credits: 1_000_000_000,
  seconds: 24 * 60 * 60,
} as const;

export type SettingsPage = 'voices' | 'people' | 'limits' | 'reading' | 'presence' | 'words';

export type FormName =
  | 'defaultVoice'
  | 'forcedVoice'
  | 'languageVoices'
  | 'texts'
  | 'credits'
  | 'times'
  | 'blockedWords';

/** The kind of value of a setting, which decides how the settings panel changes it. */
type Kind =
  | { readonly kind: 'voice' | 'languageVoices' | 'words'; readonly form: FormName }
  | {
      readonly kind: 'number';
      readonly form: FormName;
      readonly range: NumberRange;
      readonly zeroSeconds?: 'at-once' | 'none';
    }
  | { readonly kind: 'choice'; readonly options: readonly string[] }
  | { readonly kind: 'channel' | 'channels'; readonly channels: 'posting' | 'speaking' | 'voice' }
  | { readonly kind: 'switch' | 'language' | 'models' | 'roles' | 'members' };

export type SettingKind = Kind['kind'];

/** A setting's label is the text `setting.<name>`; that of a choice's option is `setting.<name>.<option>`. */
export type SettingDefinition = Kind & {
  readonly schema: z.ZodType;
  /** Without a default, a server's rules do not contain the setting until admins choose a value. */
  readonly default?: unknown;
  /** The settings panel shows the text `setting.unset.<unset>`, or `setting.unset.default`, for a missing value. */
  readonly unset?: 'none' | 'all' | 'server';
  readonly page: SettingsPage;
  /** The owner's credit limit that applies besides the admins' setting. */
  readonly ownerLimit?: 'perServer' | 'perMember';
};

const idSchema = z.string().regex(/^\d{1,20}$/);
const idsSchema = (limit: number) => z.array(idSchema).min(1).max(limit);

function number({ min, max, integer }: NumberRange) {
  const schema = (integer ? z.number().int() : z.number()).min(min).max(max);
  return { kind: 'number', range: { min, max, integer }, schema } as const;
}

function choice<const Options extends readonly [string, ...string[]]>(...options: Options) {
  return { kind: 'choice', options, schema: z.enum(options) } as const;
}

const SWITCH = { kind: 'switch', schema: z.boolean() } as const;
const VOICE = { kind: 'voice', schema: voiceChoiceSchema } as const;
const ROLES = { kind: 'roles', schema: idsSchema(SETTINGS_LIMITS.roles) } as const;
const CHANNELS = { kind: 'channels', schema: idsSchema(SETTINGS_LIMITS.channels) } as const;
const CHARACTERS = number({ min: 1, max: SETTINGS_LIMITS.characters, integer: true });
const TEXTS = number({ min: 1, max: SETTINGS_LIMITS.queue, integer: true });
const WORDS = {
  kind: 'words',
  schema: z
    .array(z.string().min(1).max(SETTINGS_LIMITS.blockedWordCharacters))
    .min(1)
    .max(SETTINGS_LIMITS.blockedWords),
  unset: 'none',
  page: 'words',
  form: 'blockedWords',
} as const;
const SECONDS = number({ min: 0, max: SETTINGS_LIMITS.seconds, integer: true });
const STAY = { ...SECONDS, zeroSeconds: 'at-once', page: 'presence', form: 'times' } as const;
const CREDITS = number({ min: 0, max: SETTINGS_LIMITS.credits, integer: false });

/** Every setting of a server, in the order in which exports and the settings panel show them. */
const TABLE = {
  defaultVoice: { ...VOICE, page: 'voices', form: 'defaultVoice' },
  /** Voices by the language of the text, for members who have not chosen a voice. */
  languageVoices: {
    kind: 'languageVoices',
    schema: z.array(languageVoiceSchema).min(1).max(SETTINGS_LIMITS.languageVoices),
    unset: 'none',
    page: 'voices',
    form: 'languageVoices',
  },
  /** True if each member without a chosen voice gets a voice by the member's id instead of the default voice. */
  giveOwnVoices: { ...SWITCH, default: false, page: 'voices' },
  forcedVoice: { ...VOICE, unset: 'none', page: 'voices', form: 'forcedVoice' },
  allowedModels: {
    kind: 'models',
    schema: z.array(z.string().max(100)).min(1).max(SETTINGS_LIMITS.models),
    unset: 'all',
    page: 'voices',
  },

  allowedRoles: { ...ROLES, unset: 'all', page: 'people' },
  blockedRoles: { ...ROLES, unset: 'none', page: 'people' },
  mutedMembers: { kind: 'members', schema: idsSchema(SETTINGS_LIMITS.members), unset: 'none', page: 'people' },
  /**
   * Requests must be written in a listed channel, or by a member in a listed voice channel. If the list contains voice
   * channels, the bot speaks only in them.
   */
  allowedChannels: { ...CHANNELS, channels: 'speaking', unset: 'all', page: 'people' },

  // By default, even the longest possible texts are spoken, because the bot asks for confirmation of expensive texts.
  maxCharacters: { ...CHARACTERS, default: 4_000, page: 'limits', form: 'texts' },
  /** The number of billed characters above which the bot asks for confirmation, unless speech is free. */
  confirmAboveCharacters: { ...CHARACTERS, default: 1_000, page: 'limits', form: 'texts' },
  queueLimit: { ...TEXTS, default: DEFAULT_SPEAKER_LIMITS.queueLimit, page: 'limits', form: 'texts' },
  catchUp: { ...SWITCH, default: false, page: 'limits' },
  cooldownSeconds: { ...SECONDS, zeroSeconds: 'none', default: 0, page: 'limits', form: 'texts' },
  textsInTenSeconds: { ...TEXTS, default: 5, page: 'limits', form: 'texts' },
  /** A server's maximum credits a day; never more than the owner allows. */
  creditsPerServer: { ...CREDITS, ownerLimit: 'perServer', page: 'limits', form: 'credits' },
  creditsPerMember: { ...CREDITS, ownerLimit: 'perMember', page: 'limits', form: 'credits' },

  /** Channels whose messages are read aloud. The text chat of a voice channel is spoken in that channel only. */
  autoReadChannels: { ...CHANNELS, channels: 'speaking', default: [], unset: 'none', page: 'reading' },
  /** When the text chat of the bot's voice channel is read aloud; 'joined' means after a member's /join. */
  autoReadVoiceChat: { ...choice('always', 'joined', 'never'), default: 'joined', page: 'reading' },
  autoReadOnlyInVoice: { ...SWITCH, default: true, page: 'reading' },
  autoReadNames: { ...choice('always', 'on-change', 'never'), default: 'on-change', page: 'reading' },
  autoReadBots: { ...SWITCH, default: false, page: 'reading' },
  announceMembers: { ...SWITCH, default: false, page: 'reading' },

  aloneSeconds: { ...STAY, default: DEFAULT_SPEAKER_LIMITS.aloneMs / 1000 },
  idleSeconds: { ...STAY, default: DEFAULT_SPEAKER_LIMITS.idleMs / 1000 },
  autoJoinChannel: { kind: 'channel', channels: 'voice', schema: idSchema, unset: 'none', page: 'presence' },
  /** True if the bot leaves a voice channel without a message in the text channel. */
  hushed: { ...SWITCH, default: false, page: 'presence' },
  /** A locale code of Discord for the bot's language; if absent, the server's locale applies. */
  language: { kind: 'language', schema: z.string().max(10), unset: 'server', page: 'presence' },
  blockedWords: WORDS,
  /** Words that are spoken although they contain a blocked word. They match only with the same accents. */
  blockedWordsExceptions: WORDS,
  blockedWordsMode: { ...choice('refuse', 'bleep'), default: 'refuse', page: 'words' },
  /** The channel in which the bot posts who requested which kind of text, never the text itself. */
  moderationChannel: { kind: 'channel', channels: 'posting', schema: idSchema, unset: 'none', page: 'presence' },
} as const satisfies Readonly<Record<string, SettingDefinition>>;

type Table = typeof TABLE;

export type SettingName = keyof Table;

export const SERVER_SETTINGS: Readonly<Record<SettingName, SettingDefinition>> = TABLE;

export const SETTING_NAMES = Object.keys(TABLE) as readonly SettingName[];

export type ChoiceText = {
  [Name in SettingName]: Table[Name] extends { readonly options: readonly (infer Option extends string)[] }
    ? `setting.${Name}.${Option}`
    : never;
}[SettingName];

/** Settings that admins chose, without the bot's defaults. Exported settings have the same shape. */
export const serverSettingsSchema = z.object(
  Object.fromEntries(SETTING_NAMES.map((name) => [name, TABLE[name].schema.optional()])) as {
    [Name in SettingName]: z.ZodOptional<Table[Name]['schema']>;
  },
);

export type ServerSettings = Readonly<z.infer<typeof serverSettingsSchema>>;

export type DefaultSettings = {
  readonly [Name in SettingName as Table[Name] extends { readonly default: unknown } ? Name : never]: NonNullable<
    ServerSettings[Name]
  >;
};

export type Settings = Records<ServerSettings>;

/** No role, channel or model has this id or name, so a list of allowed items with only this one allows nothing. */
const NOTHING = '0';

/** In a list of blocked members or roles, this id stands for everybody. */
export const EVERYBODY = NOTHING;
/** In a list of blocked words, `*` stands for every word. Only the bot adds `*`: admins cannot block a lone `*`. */
export const EVERY_WORD = '*';

/** These values replace settings that cannot be read, because an absent restriction would allow everything. */
const STRICTEST: ServerSettings = {
  allowedModels: [NOTHING],
  allowedRoles: [NOTHING],
  allowedChannels: [NOTHING],
  blockedRoles: [EVERYBODY],
  mutedMembers: [EVERYBODY],
  blockedWords: [EVERY_WORD],
  autoReadVoiceChat: 'never',
  creditsPerServer: 0,
  creditsPerMember: 0,
};

/** True if a server's stored settings are invalid: the strictest values then replace them. */
export const areUnreadable = (settings: ServerSettings): boolean =>
  settings.blockedWords?.includes(EVERY_WORD) ?? false;

export function createSettings(store: Store): Settings {
  const table = store.table<ServerSettings>('server-settings', serverSettingsSchema, { unreadable: STRICTEST });
  return createRecords<ServerSettings>(table, {});
}
