import type { CacheType } from 'discord.js';
import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import { UserError } from '../../errors/user-errors.ts';
import { type ServerSettings, type SettingName, serverSettingsSchema } from '../../services/servers/server-settings.ts';
import { isLanguage, type Text, text } from '../../texts/catalogue.ts';
import type { Control, ControlCall, Reply, Services } from '../framework/command.ts';
import { IN_SERVERS } from '../framework/contexts.ts';
import { serverCall } from '../framework/server-call.ts';
import { changeSettings } from './change.ts';
import { editOfForm, nameOfForm, PAGE_OF_FORM, settingsForm } from './forms.ts';
import { drawSettings, isPage, type PageName, SERVERS_OWN } from './pages.ts';
import { withPicked } from './picked.ts';

const needs = { contexts: IN_SERVERS };

/** The panel as it is now, on one page. */
export async function panelOf(
  services: Services,
  guildId: string,
  page: PageName,
  news: readonly Text[] = [],
): Promise<Reply> {
  const [settings, models] = await Promise.all([services.settings.get(guildId), modelsOf(services)]);
  const context = {
    settings,
    models,
    canRead: services.readsMessages,
    readingProblem: services.readingProblem(guildId, settings.autoReadChannels ?? []),
    ownerLimits: services.spending.ownerLimits,
    moderationProblem: services.moderation.problem(guildId),
  };
  return { lines: [], panel: drawSettings(page, context, news) };
}

async function modelsOf({ voices, log }: Services): Promise<readonly string[]> {
  try {
    const list = await voices.list();
    return [...new Set(list.voices.map(({ model }) => model))]
      .filter((model) => model.length <= DISCORD_LIMITS.menuOptionCharacters)
      .sort();
  } catch (error) {
    log.info({ err: error }, 'The settings are shown without the models: the speech service does not answer');
    return [];
  }
}

/** Changes something and shows the panel again, with what is different on top. */
async function change(
  { interaction, services }: ControlCall<'cached'>,
  page: PageName,
  edit: (before: ServerSettings) => ServerSettings,
): Promise<Reply> {
  const { lines } = await changeSettings(services, interaction.guildId, edit);
  return panelOf(services, interaction.guildId, page, lines);
}

const onMessage = (name: string, begin: (call: ControlCall<'cached'>) => () => Promise<Reply>): Control => ({
  name,
  needs,
  replyTo: 'message',
  deferred: true,
  begin: (call: ControlCall<CacheType>) => begin(serverCall(call)),
});

const TOGGLES = {
  tags: 'voices',
  autoReadVoiceChat: 'reading',
  autoReadBots: 'reading',
  announceJoins: 'reading',
  announceLeaves: 'reading',
  hushed: 'presence',
} as const satisfies Partial<Record<SettingName, PageName>>;

const ID_LISTS = {
  allowedRoles: 'people',
  blockedRoles: 'people',
  mutedMembers: 'people',
  allowedChannels: 'people',
  autoReadChannels: 'reading',
  moderationChannel: 'presence',
} as const satisfies Partial<Record<SettingName, PageName>>;

const CHOICES = {
  autoReadNames: 'reading',
  blockedWordsMode: 'words',
  language: 'presence',
} as const satisfies Partial<Record<SettingName, PageName>>;

/** Whatever a custom id holds: only what is in the table is taken. */
function known<Table extends object>(table: Table, argument: string): keyof Table & string {
  if (!Object.hasOwn(table, argument)) throw new UserError(text('refused.over'));
  return argument as keyof Table & string;
}

/** A value that the settings take; anything else was made up. */
function valid<Name extends SettingName>(name: Name, value: unknown): ServerSettings[Name] {
  const parsed = serverSettingsSchema.shape[name].safeParse(value);
  const isOffered = name !== 'language' || value === undefined || isLanguage(String(value));
  if (!parsed.success || !isOffered) throw new UserError(text('refused.over'));
  return parsed.data as ServerSettings[Name];
}

export const panelControls: readonly Control[] = [
  onMessage(
    'settings-page',
    ({ interaction, services, values: [page = ''] }) =>
      async () =>
        panelOf(services, interaction.guildId, isPage(page) ? page : 'voices'),
  ),
  onMessage('settings-toggle', (call) => {
    const [asked = '', to = ''] = call.argument.split(' ');
    const name = known(TOGGLES, asked);
    // What the button says, and not the other way round: somebody else may have pressed it meanwhile.
    const isOn = known({ on: true, off: false }, to) === 'on';
    return () => change(call, TOGGLES[name], (before) => ({ ...before, [name]: isOn }));
  }),
  onMessage('settings-ids', (call) => {
    const name = known(ID_LISTS, call.argument);
    // Discord's menu of members offers the bot, too: that would be to mute nobody.
    const self = name === 'mutedMembers' ? call.interaction.client.user.id : undefined;
    const values = call.values.filter((id) => id !== self);
    if (name === 'moderationChannel') {
      const moderationChannel = valid(name, values[0]);
      return () => change(call, ID_LISTS[name], (before) => ({ ...before, moderationChannel }));
    }
    return () =>
      change(call, ID_LISTS[name], (before) => ({ ...before, [name]: valid(name, withPicked(before[name], values)) }));
  }),
  onMessage('settings-choice', (call) => {
    const name = known(CHOICES, call.argument);
    const [chosen] = call.values;
    const value = valid(name, chosen === SERVERS_OWN ? undefined : chosen);
    return () => change(call, CHOICES[name], (before) => ({ ...before, [name]: value }));
  }),
  onMessage('settings-models', (call) => {
    const allowedModels = valid('allowedModels', call.values.length > 0 ? [...call.values] : undefined);
    return () => change(call, 'voices', (before) => ({ ...before, allowedModels }));
  }),
  {
    name: 'settings-form',
    needs,
    replyTo: 'message',
    // Discord takes a form only as the first answer.
    deferred: false,
    async begin(anywhere) {
      const { interaction, services, argument } = serverCall(anywhere);
      if (argument === 'import') return { modal: importForm() };
      const modal = settingsForm(argument, await services.settings.get(interaction.guildId));
      if (!modal) throw new UserError(text('refused.over'));
      return { modal };
    },
  },
  onMessage('settings-fill', (call) => async () => {
    const page = PAGE_OF_FORM[known(PAGE_OF_FORM, nameOfForm(call.argument))];
    return change(call, page, await editOfForm(call.argument, call.fields, call.services));
  }),
];

function importForm() {
  return {
    title: text('settings.import'),
    control: 'settings-import',
    fields: [
      { kind: 'file', name: 'file', label: text('settings.import-file'), description: text('settings.import-hint') },
    ],
  } as const;
}
