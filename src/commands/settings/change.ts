import { quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { DEFAULT_RULES } from '../../services/servers/admission.ts';
import {
  areUnreadable,
  type ChoiceText,
  type LanguageVoice,
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  type SettingKind,
  type SettingName,
  serverSettingsSchema,
  type VoiceChoice,
} from '../../services/servers/server-settings.ts';
import type { OwnerLimits } from '../../services/spending/limits.ts';
import type { VoiceRules } from '../../services/voices/preferences.ts';
import {
  firstItems,
  isLanguage,
  LANGUAGES,
  type Text,
  type TextKey,
  type TextList,
  text,
} from '../../texts/catalog.ts';
import type { Services, SpeakCall } from '../framework/command.ts';
import { chosenVoiceLabel, languageVoiceLabel } from '../voice-options/voice-option.ts';

const NAMED = 10;

type Words = Text | TextList | string;
type Value = ServerSettings[SettingName];

/** If speech is free, limits on credits are limits on characters. */
export function settingLabel(name: SettingName, isFree = false): Text {
  const countsCredits = name === 'creditsPerServer' || name === 'creditsPerMember';
  return text(isFree && countsCredits ? `setting.${name}.free` : (`setting.${name}` satisfies TextKey));
}

export function choiceLabel(name: SettingName, option: string): Text {
  return text(`setting.${name}.${option}` as ChoiceText);
}

/** Shows the owner's limit if the value is missing or higher. Marks voices that the server's `rules` forbid. */
export function describeHolding(name: SettingName, value: Value, limits: OwnerLimits, rules?: VoiceRules): Words {
  const { ownerLimit } = SERVER_SETTINGS[name];
  if (ownerLimit === undefined) return describeSetting(name, value, rules);
  const limit = limits[ownerLimit];
  if (typeof value !== 'number') {
    return limit === Number.POSITIVE_INFINITY ? text('setting.no-limit') : text('setting.owners-limit', { limit });
  }
  return value > limit ? text('setting.above-owners-limit', { value, limit }) : describeSetting(name, value);
}

/** Lists a setting's words before a change, because their number would not show which words the change removed. */
function describeBefore(name: SettingName, value: Value, limits: OwnerLimits): Words {
  const isWords = SERVER_SETTINGS[name].kind === 'words' && Array.isArray(value) && value.length > 0;
  if (!isWords) return describeHolding(name, value, limits);
  const words = (value as readonly string[]).map((word) => quote(word, 60));
  return firstItems(words, NAMED);
}

function describeSetting(name: SettingName, value: Value, rules: VoiceRules = {}): Words {
  const definition = SERVER_SETTINGS[name];
  const { kind, unset = 'default' } = definition;
  if (value === undefined || (Array.isArray(value) && value.length === 0)) {
    const held = DEFAULT_RULES[name];
    if (held === undefined || Array.isArray(held)) return text(`setting.unset.${unset}`);
    return text('setting.default-of', { value: describeSetting(name, held) });
  }
  if (typeof value === 'boolean') return text(value ? 'setting.on' : 'setting.off');
  if (typeof value === 'number') {
    const zero = definition.kind === 'number' ? definition.zeroSeconds : undefined;
    return zero === undefined ? text('setting.number', { value }) : describeSeconds(value, zero);
  }
  if (Array.isArray(value)) return describeList(kind, value, rules);
  if (typeof value === 'object') return chosenVoiceLabel(value as VoiceChoice, rules);
  if (kind === 'choice') return choiceLabel(name, value);
  if (kind === 'language') return LANGUAGES.find(({ locale }) => locale === value)?.name ?? quote(value, 100);
  return `<#${value}>`;
}

function describeSeconds(value: number, zero: 'at-once' | 'none'): Words {
  if (value === 0) return text(zero === 'none' ? 'setting.off' : 'setting.at-once');
  const minutes = Math.floor(value / 60);
  const units = [
    ['setting.hours', Math.floor(minutes / 60)],
    ['setting.minutes', minutes % 60],
    ['setting.seconds', value % 60],
  ] as const;
  return { list: units.filter(([, count]) => count > 0).map(([key, count]) => text(key, { count })) };
}

/** The beginnings of mentions in Discord's markup. */
const MENTIONS: Partial<Record<SettingKind, string>> = { roles: '<@&', members: '<@', channels: '<#' };

function describeList(kind: SettingKind, values: readonly (string | LanguageVoice)[], rules: VoiceRules): Words {
  if (kind === 'words') return text('words.count', { count: values.length });
  const prefix = MENTIONS[kind];
  const items = values.map((value) => {
    if (typeof value !== 'string') return languageVoiceLabel(value, rules);
    return prefix === undefined ? quote(value, 60) : `${prefix}${value}>`;
  });
  return firstItems(items, NAMED);
}

export const UNREADABLE = text('settings.unreadable', { page: text('settings.page.data') });

/** Throws a UserError if stored settings are unreadable: a change would save the strictest values in their place. */
export function mustBeReadable(settings: ServerSettings): ServerSettings {
  if (areUnreadable(settings)) throw new UserError(UNREADABLE);
  return settings;
}

export async function changeSettings(
  { interaction: { guildId }, services }: SpeakCall<'cached'>,
  edit: (before: ServerSettings) => ServerSettings,
): Promise<readonly Text[]> {
  const { before, after } = await services.settings.change(guildId, (present) =>
    compact(edit(mustBeReadable(present))),
  );
  return changeLines(before, after, services);
}

export function changeLines(before: ServerSettings, after: ServerSettings, { bot, spending }: Services): Text[] {
  const changed = SETTING_NAMES.filter((name) => comparable(before[name]) !== comparable(after[name]));
  if (changed.length === 0) return [text('settings.unchanged')];
  return changed.map((name) =>
    text('settings.changed', {
      setting: settingLabel(name, bot.localVoice),
      after: describeHolding(name, after[name], spending.ownerLimits),
      before: describeBefore(name, before[name], spending.ownerLimits),
    }),
  );
}

/** The order of a list's items has no meaning. */
const comparable = (value: unknown): string =>
  [value ?? []]
    .flat()
    .map((one) => JSON.stringify(one))
    .sort()
    .join();

export function compact(settings: ServerSettings): ServerSettings {
  const chosen = Object.entries(settings).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(chosen);
}

/** Throws a UserError for a value that no menu offers, since a client can send any value. */
export function validSetting<Name extends SettingName>(name: Name, value: unknown): ServerSettings[Name] {
  const parsed = serverSettingsSchema.shape[name].safeParse(value);
  const isOffered = SERVER_SETTINGS[name].kind !== 'language' || value === undefined || isLanguage(String(value));
  if (!parsed.success || !isOffered) throw new UserError(text('refused.over'));
  return parsed.data as ServerSettings[Name];
}
