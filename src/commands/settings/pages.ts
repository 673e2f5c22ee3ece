import type { ChannelType } from 'discord.js';
import type { Button, PanelPart, Row, Select } from '../../discord/replies/layout.ts';
import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import { rulesOf } from '../../services/servers/server-rules.ts';
import type { ServerSettings, SettingName } from '../../services/servers/server-settings.ts';
import { SETTINGS_LIMITS } from '../../services/servers/server-settings.ts';
import type { OwnerLimits } from '../../services/spending/spending-types.ts';
import { LANGUAGES, type Text, text } from '../../texts/catalogue.ts';
import { POSTING_CHANNELS, SPEAKING_CHANNELS, WRITING_CHANNELS } from './channel-types.ts';
import { describeHolding, settingLabel } from './describe.ts';

export const PAGES = ['voices', 'people', 'limits', 'reading', 'presence', 'words', 'data'] as const;
export type PageName = (typeof PAGES)[number];

export const isPage = (name: string): name is PageName => (PAGES as readonly string[]).includes(name);

/** What the panel needs to know besides the settings themselves. */
export interface PanelContext {
  readonly settings: ServerSettings;
  /** Ids of the models there are, as far as they are known. */
  readonly models: readonly string[];
  /** Whether the bot may read messages at all: the owner has to switch that on. */
  readonly canRead: boolean;
  /** Why nothing is read in some of the channels. */
  readonly readingProblem?: Text | undefined;
  readonly ownerLimits: OwnerLimits;
  /** Why nothing can be written into the moderation log. */
  readonly moderationProblem?: Text | undefined;
}

/** The whole panel on one page, with what was just changed on top. */
export function drawSettings(page: PageName, context: PanelContext, news: readonly Text[] = []): PanelPart[] {
  return [
    { kind: 'text', lines: [text('settings.title')] },
    ...(news.length > 0 ? [{ kind: 'text', lines: news } as const] : []),
    { kind: 'row', row: pageSelect(page) },
    { kind: 'separator' },
    ...DRAWN[page](context),
  ];
}

function pageSelect(page: PageName): Select {
  return {
    kind: 'select',
    control: 'settings-page',
    options: PAGES.map((name) => ({ value: name, label: text(`settings.page.${name}`), chosen: name === page })),
  };
}

const value = (name: SettingName, { settings, ownerLimits }: PanelContext): Text => {
  const rules = rulesOf(settings);
  const shown = describeHolding(name, rules[name] as never, ownerLimits);
  const isDefault = settings[name] === undefined && rules[name] !== undefined && !Array.isArray(rules[name]);
  return text(isDefault ? 'settings.value-default' : 'settings.value', { setting: settingLabel(name), value: shown });
};

const values = (names: readonly SettingName[], context: PanelContext): PanelPart => ({
  kind: 'text',
  lines: names.map((name) => value(name, context)),
});

const row = (drawn: Row): PanelPart => ({ kind: 'row', row: drawn });

/** Opens a form; its argument is the form's name. */
const form = (name: string, label: Text): Button => ({
  kind: 'button',
  label,
  control: 'settings-form',
  argument: name,
});

/** Switches a setting that is on or off. */
function toggle(name: SettingName, { settings }: PanelContext): Button {
  const on = rulesOf(settings)[name] === true;
  return {
    kind: 'button',
    label: text(on ? 'settings.turn-off' : 'settings.turn-on', { setting: settingLabel(name) }),
    control: 'settings-toggle',
    argument: `${name} ${on ? 'off' : 'on'}`,
  };
}

const idSelect = (
  kind: 'role-select' | 'user-select' | 'channel-select',
  name: SettingName,
  { settings }: PanelContext,
  extra: { readonly atMost?: number; readonly channelTypes?: readonly ChannelType[] } = {},
): PanelPart =>
  row({
    kind,
    control: 'settings-ids',
    argument: name,
    placeholder: settingLabel(name),
    atLeast: 0,
    atMost: DISCORD_LIMITS.menuOptions,
    chosen: [settings[name] ?? []].flat().slice(0, DISCORD_LIMITS.menuOptions) as string[],
    ...extra,
  });

const DRAWN: Readonly<Record<PageName, (context: PanelContext) => PanelPart[]>> = {
  voices: (context) => [
    values(
      ['defaultVoice', 'style', 'speed', 'temperature', 'forcedVoice', 'allowedModels', 'allowedVoices', 'tags'],
      context,
    ),
    row([
      form('defaultVoice', text('settings.choose-default')),
      form('forcedVoice', text('settings.choose-forced')),
      form('speechOptions', text('settings.choose-manner')),
      form('allowedVoices', text('settings.choose-voices')),
      toggle('tags', context),
    ]),
    ...modelSelect(context),
  ],
  people: (context) => [
    values(['allowedRoles', 'blockedRoles', 'mutedMembers', 'allowedChannels'], context),
    { kind: 'text', lines: [text('settings.managers-exempt')] },
    idSelect('role-select', 'allowedRoles', context),
    idSelect('role-select', 'blockedRoles', context),
    idSelect('user-select', 'mutedMembers', context),
    idSelect('channel-select', 'allowedChannels', context, { channelTypes: SPEAKING_CHANNELS }),
  ],
  limits: (context) => [
    values(
      [
        'maxCharacters',
        'confirmAboveCharacters',
        'queueLimit',
        'memberQueueLimit',
        'cooldownSeconds',
        'creditsPerServer',
        'creditsPerMember',
      ],
      context,
    ),
    row([form('texts', text('settings.choose-texts')), form('credits', text('settings.choose-credits'))]),
  ],
  reading: (context) => [
    ...(context.canRead ? [] : [{ kind: 'text', lines: [text('settings.reading-off')] } as const]),
    ...(context.readingProblem ? [{ kind: 'text', lines: [context.readingProblem] } as const] : []),
    values(
      ['autoReadChannels', 'autoReadVoiceChat', 'autoReadNames', 'autoReadBots', 'announceJoins', 'announceLeaves'],
      context,
    ),
    idSelect('channel-select', 'autoReadChannels', context, { channelTypes: WRITING_CHANNELS }),
    row(namesSelect(context)),
    row([
      toggle('autoReadVoiceChat', context),
      toggle('autoReadBots', context),
      toggle('announceJoins', context),
      toggle('announceLeaves', context),
    ]),
  ],
  presence: (context) => [
    values(['aloneSeconds', 'idleSeconds', 'hushed', 'language', 'moderationChannel'], context),
    row([form('times', text('settings.choose-times')), toggle('hushed', context)]),
    row(languageSelect(context)),
    idSelect('channel-select', 'moderationChannel', context, { atMost: 1, channelTypes: POSTING_CHANNELS }),
    ...(context.moderationProblem ? [{ kind: 'text', lines: [context.moderationProblem] } as const] : []),
  ],
  words: (context) => [
    values(['blockedWords', 'blockedWordsMode'], context),
    row([form('blockedWords', text('settings.choose-words'))]),
    row(modeSelect(context)),
    { kind: 'text', lines: [text('settings.dictionary-hint')] },
  ],
  data: () => [
    { kind: 'text', lines: [text('settings.data')] },
    row([
      { kind: 'button', label: text('settings.export'), control: 'settings-export' },
      form('import', text('settings.import')),
      { kind: 'button', label: text('settings.reset'), control: 'settings-reset', style: 'danger' },
    ]),
  ],
};

function modelSelect({ models, settings: { allowedModels = [] } }: PanelContext): PanelPart[] {
  const options = models.slice(0, SETTINGS_LIMITS.models);
  if (options.length === 0) return [];
  return [
    row({
      kind: 'select',
      control: 'settings-models',
      placeholder: settingLabel('allowedModels'),
      atLeast: 0,
      atMost: options.length,
      options: options.map((model) => ({ value: model, label: model, chosen: allowedModels.includes(model) })),
    }),
  ];
}

function namesSelect({ settings }: PanelContext): Select {
  const { autoReadNames: present } = rulesOf(settings);
  const options = (['always', 'on-change', 'never'] as const).map((one) => ({
    value: one,
    label: text(`setting.autoReadNames.${one}`),
    chosen: one === present,
  }));
  return { kind: 'select', control: 'settings-choice', argument: 'autoReadNames', options };
}

function modeSelect({ settings }: PanelContext): Select {
  const { blockedWordsMode: present } = rulesOf(settings);
  const options = (['refuse', 'bleep'] as const).map((one) => ({
    value: one,
    label: text(`setting.blockedWordsMode.${one}`),
    chosen: one === present,
  }));
  return { kind: 'select', control: 'settings-choice', argument: 'blockedWordsMode', options };
}

/** What a select sends for no language of its own: Discord takes no empty value. */
export const SERVERS_OWN = '*';

function languageSelect({ settings: { language } }: PanelContext): Select {
  return {
    kind: 'select',
    control: 'settings-choice',
    argument: 'language',
    placeholder: settingLabel('language'),
    options: [
      { value: SERVERS_OWN, label: text('setting.unset.server'), chosen: language === undefined },
      ...LANGUAGES.map(({ locale, name }) => ({ value: locale, label: name, chosen: locale === language })),
    ],
  };
}
