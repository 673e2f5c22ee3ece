import { quote } from '../../discord/replies/quote.ts';
import { voiceLabel } from '../../discord/replies/voice-label.ts';
import type { ServerSettings, SettingName, VoiceChoice } from '../../services/servers/server-settings.ts';
import type { OwnerLimits } from '../../services/spending/spending-types.ts';
import { languageName, type Text, type TextKey, type TextList, text } from '../../texts/catalogue.ts';

/** How many of a long list are named; the rest is counted. */
const NAMED = 10;

type Words = Text | TextList | string;

/** The name of a setting, as the panel, the confirmations and the exported file's readers know it. */
export function settingLabel(name: SettingName): Text {
  return text(`setting.${name}` satisfies TextKey);
}

/** What a setting is, in words; what is not set says what holds then. */
function describeSetting<Name extends SettingName>(name: Name, value: ServerSettings[Name] | undefined): Words {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return text(`setting.unset.${kindOf(name)}`);
  if (typeof value === 'boolean') return text(value ? 'setting.on' : 'setting.off');
  if (typeof value === 'number') return text('setting.number', { value });
  if (name === 'autoReadNames') return text(`setting.autoReadNames.${value as 'always' | 'on-change' | 'never'}`);
  if (name === 'blockedWordsMode') return text(`setting.blockedWordsMode.${value as 'refuse' | 'bleep'}`);
  if (name === 'language') return languageName(value as string) ?? quote(value as string, 100);
  if (typeof value === 'string') return name === 'moderationChannel' ? `<#${value}>` : quote(value, 100);
  if (Array.isArray(value)) return describeList(name, value);
  return voiceLabel(value as VoiceChoice);
}

/** As it holds: what the bot's owner allows goes before what admins chose, and stands where they chose nothing. */
export function describeHolding<Name extends SettingName>(
  name: Name,
  value: ServerSettings[Name] | undefined,
  { perServer, perMember }: OwnerLimits,
): Words {
  if (name !== 'creditsPerServer' && name !== 'creditsPerMember') return describeSetting(name, value);
  const limit = name === 'creditsPerServer' ? perServer : perMember;
  if (typeof value !== 'number') return text('setting.owners-limit', { limit });
  return value > limit ? text('setting.above-owners-limit', { value, limit }) : describeSetting(name, value);
}

function describeList(name: SettingName, values: readonly (string | VoiceChoice)[]): Words {
  if (name === 'blockedWords') return text('setting.words', { count: values.length });
  const mark = {
    allowedRoles: '<@&',
    blockedRoles: '<@&',
    mutedMembers: '<@',
    allowedChannels: '<#',
    autoReadChannels: '<#',
  };
  const prefix = mark[name as keyof typeof mark] as string | undefined;
  const named = values.slice(0, NAMED).map((value) => {
    if (typeof value !== 'string') return voiceLabel(value);
    return text('setting.plain', { value: prefix === undefined ? quote(value, 60) : `${prefix}${value}>` });
  });
  const rest = values.length - named.length;
  return { list: rest > 0 ? [...named, text('setting.more', { count: rest })] : named };
}

/**
 * What is said where nothing is chosen: there is none (of a voice or of several things, or of something else: languages
 * with genders have other words for it), all may, or what the server has in Discord or the bot by itself holds.
 */
function kindOf(name: SettingName): 'none' | 'nothing' | 'all' | 'server' | 'default' {
  switch (name) {
    case 'style':
    case 'moderationChannel':
      return 'nothing';
    case 'forcedVoice':
    case 'blockedRoles':
    case 'mutedMembers':
    case 'autoReadChannels':
    case 'blockedWords':
      return 'none';
    case 'allowedModels':
    case 'allowedVoices':
    case 'allowedRoles':
    case 'allowedChannels':
      return 'all';
    case 'language':
      return 'server';
    default:
      return 'default';
  }
}
