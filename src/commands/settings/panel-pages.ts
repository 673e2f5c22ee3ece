import { ChannelType } from 'discord.js';
import {
  button,
  DISCORD_LIMITS,
  type PanelPart,
  type Row,
  type Select,
  voiceLabel,
} from '../../discord/replies/layout.ts';
import { rulesOf } from '../../services/servers/admission.ts';
import {
  SERVER_SETTINGS,
  SETTING_NAMES,
  SETTINGS_LIMITS,
  type ServerSettings,
  type SettingName,
  type SettingsPage,
} from '../../services/servers/server-settings.ts';
import { isUnlimited } from '../../services/spending/limits.ts';
import { isAllowed, voicesUnder } from '../../services/voices/preferences.ts';
import { listedVoice, takesSpeed, type Voice } from '../../speech/interface/schemas.ts';
import { LANGUAGES, type Text, text } from '../../texts/catalog.ts';
import type { Services } from '../framework/command.ts';
import { choiceLabel, describeHolding, settingLabel } from './change.ts';

export type PageName = SettingsPage | 'data';

export const PAGES: readonly PageName[] = [...new Set(SETTING_NAMES.map((name) => SERVER_SETTINGS[name].page)), 'data'];

export const isPage = (name: string): name is PageName => (PAGES as readonly string[]).includes(name);

const POSTING = [ChannelType.GuildText, ChannelType.GuildAnnouncement] as const;
const VOICE = [ChannelType.GuildVoice, ChannelType.GuildStageVoice] as const;

export const TEXT_AND_VOICE_CHANNELS = {
  posting: POSTING,
  voice: VOICE,
  /** The list has no types of threads, because a text in a thread counts as written in the thread's parent channel. */
  speaking: [...POSTING, ChannelType.GuildForum, ChannelType.GuildMedia, ...VOICE],
} as const;

export interface PanelContext {
  readonly guildId: string;
  readonly settings: ServerSettings;
  readonly voices: readonly Voice[];
  readonly services: Services;
}

export function drawSettings(page: PageName, context: PanelContext, news: readonly Text[] = []): PanelPart[] {
  return [
    { kind: 'text', lines: [text('settings.title')] },
    ...(news.length > 0 ? [{ kind: 'text', lines: news } as const] : []),
    row({
      kind: 'select',
      control: 'settings-page',
      argument: '',
      placeholder: text(`settings.page.${page}`),
      options: PAGES.map((name) => ({ value: name, label: text(`settings.page.${name}`), chosen: name === page })),
    }),
    { kind: 'separator' },
    ...problemsOn(page, context).map(note),
    ...(page === 'data' ? DATA : drawPage(page, context)),
  ];
}

/** The data page shows problems of other pages, too, because an import there may have caused them. */
function problemsOn(page: PageName, { guildId, settings, voices, services }: PanelContext): Text[] {
  const { reading } = services;
  const problems = page === 'reading' ? readingProblems(reading, guildId, settings.autoReadChannels) : [];
  const isSilent = voices.length > 0 && voicesUnder(settings, { voices }).length === 0;
  if (isSilent && (page === 'voices' || page === 'data')) problems.push(text('refused.none-allowed'));
  const isOfAutoJoin = page === 'people' || page === 'presence' || page === 'data';
  const autoJoinProblem = isOfAutoJoin && reading.autoJoinProblem(guildId, settings);
  if (autoJoinProblem) problems.push(autoJoinProblem);
  return problems;
}

/** Why the bot cannot read messages aloud, or not those in these channels. */
export function readingProblems(reading: Services['reading'], guildId: string, channelIds: readonly string[] = []) {
  const problem = reading.problem(guildId, channelIds);
  return [...(reading.isOn ? [] : [text('settings.reading-off')]), ...(problem ? [problem] : [])];
}

function drawPage(page: SettingsPage, context: PanelContext): PanelPart[] {
  const names = SETTING_NAMES.filter((name) => SERVER_SETTINGS[name].page === page);
  return [...names.flatMap((name) => drawSetting(name, context)), ...hintsOn(page, context).map(note)];
}

/**
 * Empty for a setting that would change nothing in this bot or server. `end` is added to custom ids, to mark a setting
 * that /setup shows outside the settings panel.
 */
export function drawSetting(name: SettingName, context: PanelContext, end = ''): PanelPart[] {
  const definition = SERVER_SETTINGS[name];
  if (definition.ownerLimit && isUnlimited(context.services.spending.ownerLimits)) return [];
  if (name === 'catchUp' && isIdle(context)) return [];
  const line = value(name, context);
  if ('form' in definition) {
    // Discord rejects a message with two equal custom ids.
    const argument = `${definition.form} ${name}${end}`;
    return [{ kind: 'section', line, button: button('settings-form', text('settings.change'), argument) }];
  }
  if (definition.kind === 'switch') {
    const on = rulesOf(context.settings)[name] === true;
    const label = text(on ? 'settings.turn-off' : 'settings.turn-on');
    return [{ kind: 'section', line, button: button('settings-toggle', label, `${name} ${on ? 'off' : 'on'}${end}`) }];
  }
  const select = selectOf(name, context, end);
  return select ? [note(line), row(select)] : [note(line)];
}

/**
 * True if “Speak faster when the queue is long” is off and would change nothing, because the voice has a fixed speed.
 */
function isIdle({ settings, voices }: PanelContext): boolean {
  const chosen = voices.find(({ id }) => id === settings.defaultVoice?.voiceId);
  const [voice] = chosen ? [chosen] : voicesUnder(settings, { voices });
  return voice !== undefined && !settings.catchUp && !takesSpeed({ input: '', voice: listedVoice(voice) });
}

/** Settings that restrict members; server managers are exempt. */
const RESTRICTIONS = ['allowedRoles', 'blockedRoles', 'mutedMembers', 'allowedChannels'] as const;

function hintsOn(page: SettingsPage, { guildId, settings, services }: PanelContext): Text[] {
  const { forcedVoice, blockedWordsMode } = settings;
  switch (page) {
    case 'people':
      return RESTRICTIONS.some((name) => settings[name]) ? [text('settings.managers-exempt')] : [];
    case 'voices':
      return forcedVoice && isAllowed(forcedVoice, settings) ? [text('settings.forced-note')] : [];
    case 'presence': {
      const problem = services.moderation.problem(guildId);
      return [text('settings.moderation-hint'), ...(problem ? [problem] : [])];
    }
    case 'words':
      return [
        text(blockedWordsMode === 'bleep' ? 'settings.bleep-hint' : 'settings.blocked-hint'),
        text('settings.dictionary-hint'),
      ];
    default:
      return [];
  }
}

export const note = (line: Text): PanelPart => ({ kind: 'text', lines: [line] });

export const row = (drawn: Row): PanelPart => ({ kind: 'row', row: drawn });

function value(name: SettingName, { settings, voices, services: { bot, spending } }: PanelContext): Text {
  const [firstVoice] = voicesUnder(settings, { voices });
  const isFirst = name === 'defaultVoice' && settings.defaultVoice === undefined && firstVoice !== undefined;
  const shown = isFirst
    ? text('setting.default-of', { value: voiceLabel(firstVoice) })
    : describeHolding(name, settings[name], spending.ownerLimits, settings);
  return text('settings.value', { setting: settingLabel(name, bot.localVoice), value: shown });
}

const DATA: readonly PanelPart[] = [
  { kind: 'text', lines: [text('settings.data')] },
  row([
    button('settings-export', text('settings.export')),
    button('settings-form', text('settings.import'), 'import'),
    button('settings-reset', text('settings.reset'), '', 'danger'),
  ]),
];

/** The menu value of “the server's language in Discord”, because Discord accepts no empty value in a menu. */
export const SERVERS_OWN = '*';

/** Undefined if a button or form changes the setting, or if there is nothing to choose from. */
function selectOf(name: SettingName, context: PanelContext, end: string): Select | undefined {
  const definition = SERVER_SETTINGS[name];
  const { settings } = context;
  const base = { control: 'settings-pick', argument: `${name}${end}`, placeholder: settingLabel(name) };
  const present = rulesOf(settings)[name];
  const ids = {
    ...base,
    choosable: { atLeast: 0, atMost: definition.kind === 'channel' ? 1 : DISCORD_LIMITS.menuOptions },
    chosen: ([settings[name] ?? []].flat() as string[]).slice(0, DISCORD_LIMITS.menuOptions),
  };
  switch (definition.kind) {
    case 'roles':
      return { ...ids, kind: 'role-select' };
    case 'members':
      return { ...ids, kind: 'user-select' };
    case 'channel':
    case 'channels':
      return { ...ids, kind: 'channel-select', channelTypes: TEXT_AND_VOICE_CHANNELS[definition.channels] };
    case 'models': {
      const options = modelOptions(context);
      return options.length === 0
        ? undefined
        : { ...base, kind: 'select', choosable: { atLeast: 0, atMost: options.length }, options };
    }
    case 'choice': {
      const options = definition.options.map((one) => ({
        value: one,
        label: choiceLabel(name, one),
        chosen: one === present,
      }));
      return { ...base, kind: 'select', options };
    }
    case 'language': {
      const options = [
        { value: SERVERS_OWN, label: text('setting.unset.server'), chosen: present === undefined },
        ...LANGUAGES.map(({ locale, name: label }) => ({ value: locale, label, chosen: locale === present })),
      ];
      return { ...base, kind: 'select', options };
    }
    default:
      return undefined;
  }
}

const modelOptions = ({ voices, settings: { allowedModels = [] } }: PanelContext) =>
  [...new Set(voices.map(({ model }) => model))]
    .filter((model) => model.length <= DISCORD_LIMITS.menuOptionCharacters)
    .sort()
    .slice(0, SETTINGS_LIMITS.models)
    .map((model) => ({ value: model, label: model, chosen: allowedModels.includes(model) }));
