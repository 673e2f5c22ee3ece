import { DISCORD_LIMITS, type Modal } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import {
  areUnreadable,
  SERVER_SETTINGS,
  type ServerSettings,
  type SettingKind,
  type SettingName,
} from '../../services/servers/server-settings.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { type Control, type ControlCall, messageControl, type SpeakCall, serverControl } from '../framework/command.ts';
import { voiceNamed } from '../voice-options/voice-option.ts';
import { changeSettings, mustBeReadable, UNREADABLE, validSetting } from './change.ts';
import { editOfForm, pageOfForm, settingsForm } from './panel-forms.ts';
import { drawSettings, isPage, type PageName, SERVERS_OWN } from './panel-pages.ts';
import { inSetup, stepOf, stepOfPage } from './setup.ts';

export async function panelOf(call: SpeakCall<'cached'>, page: PageName, news: readonly Text[] = []) {
  const { bot, log, moderation, reading, settings: kept, spending, voices: catalog } = call.services;
  const { guildId } = call.interaction;
  const listing = catalog.list().catch((error: unknown) => {
    log.warn({ err: error }, 'Could not list the voices: showing the settings without them');
    return { voices: [] };
  });
  const [settings, { voices }] = await Promise.all([kept.get(guildId), listing]);
  const problem = reading.problem(guildId, settings.autoReadChannels ?? []);
  const context = {
    settings,
    voices,
    readingProblems: [...(reading.isOn ? [] : [text('settings.reading-off')]), ...(problem ? [problem] : [])],
    ownerLimits: spending.ownerLimits,
    isFree: bot.localVoice,
    moderationProblem: moderation.problem(guildId),
    autoJoinProblem: reading.autoJoinProblem(guildId, settings),
  };
  // If the stored settings cannot be read, only an import or a reset on the data page can replace them.
  return areUnreadable(settings)
    ? { lines: [], panel: drawSettings('data', context, [UNREADABLE, ...news]) }
    : { lines: [], panel: drawSettings(page, context, news) };
}

async function change(call: ControlCall<'cached'>, page: PageName, edit: (before: ServerSettings) => ServerSettings) {
  const lines = await changeSettings(call, edit);
  if (inSetup(call.argument)) return stepOf(call, stepOfPage(page));
  return panelOf(call, page, lines);
}

/** Throws a UserError if a custom id, which can be forged, names no setting whose kind is in `kinds`. */
function settingNamed(argument: string, ...kinds: readonly SettingKind[]): { name: SettingName; page: PageName } {
  const [name = ''] = argument.split(' ');
  const definition = Object.hasOwn(SERVER_SETTINGS, name) ? SERVER_SETTINGS[name as SettingName] : undefined;
  if (!definition || !kinds.includes(definition.kind)) throw new UserError(text('refused.over'));
  return { name: name as SettingName, page: definition.page };
}

/** Items beyond the 25 that a menu can show stay in the list. */
function withPicked(before: readonly string[] = [], picked: readonly string[]): readonly string[] | undefined {
  const all = [...new Set([...picked, ...before.slice(DISCORD_LIMITS.menuOptions)])];
  return all.length > 0 ? all : undefined;
}

const PICKED = ['roles', 'members', 'channels', 'channel', 'choice', 'language', 'models'] as const;

export const panelControls: readonly Control[] = [
  messageControl('settings-page', (call) => {
    const [page = ''] = call.values;
    return () => panelOf(call, isPage(page) ? page : 'voices');
  }),
  messageControl('settings-toggle', (call) => {
    const { name, page } = settingNamed(call.argument, 'switch');
    const [, to] = call.argument.split(' ');
    // The custom id holds the state to set, because a mere toggle could undo another admin's press.
    if (to !== 'on' && to !== 'off') throw new UserError(text('refused.over'));
    return () => change(call, page, (before) => ({ ...before, [name]: to === 'on' }));
  }),
  messageControl('settings-pick', (call) => {
    const { name, page } = settingNamed(call.argument, ...PICKED);
    const { kind } = SERVER_SETTINGS[name];
    const [first] = call.values;
    if (kind === 'channel' || kind === 'choice' || kind === 'language') {
      const value = validSetting(name, first === SERVERS_OWN ? undefined : first);
      return () => change(call, page, (before) => ({ ...before, [name]: value }));
    }
    // Discord's menu also offers the bot itself, but muting it would have no effect.
    const self = kind === 'members' ? call.interaction.client.user.id : undefined;
    const values = call.values.filter((id) => id !== self);
    return () =>
      change(call, page, (before) => ({
        ...before,
        [name]: validSetting(name, withPicked(before[name] as readonly string[] | undefined, values)),
      }));
  }),
  serverControl({
    name: 'settings-form',
    replyTo: 'message',
    async begin(call) {
      if (call.argument === 'import') return IMPORT_FORM;
      const modal = await formNow(call);
      if (!modal) throw new UserError(text('refused.over'));
      return modal;
    },
  }),
  {
    ...messageControl('settings-fill', (call) => async () => {
      const [form = ''] = call.argument.split(' ');
      const page = pageOfForm(form);
      if (page === undefined) throw new UserError(text('refused.over'));
      const present = await call.services.settings.get(call.interaction.guildId);
      const edit = await editOfForm(form, call.fields, present, {
        voiceNamed: (asked) => voiceNamed(call, asked),
        isFree: call.services.bot.localVoice,
      });
      return change(call, page, edit);
    }),
    form: formNow,
  },
];

async function formNow({ interaction: { guildId }, services, argument }: ControlCall): Promise<Modal | undefined> {
  if (guildId === null) return undefined;
  const [form = ''] = argument.split(' ');
  const modal = settingsForm(form, mustBeReadable(await services.settings.get(guildId)), services.bot.localVoice);
  return modal && { ...modal, argument };
}

const IMPORT_FORM: Modal = {
  title: text('settings.import'),
  control: 'settings-import',
  argument: '',
  fields: [
    { kind: 'file', name: 'file', label: text('settings.import-file'), description: text('settings.import-hint') },
  ],
};
