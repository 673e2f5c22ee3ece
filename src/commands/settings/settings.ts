import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Guild } from 'discord.js';
import * as z from 'zod';
import { MANAGE_SERVER, mayManage } from '../../discord/channels/permissions.ts';
import { button, DISCORD_LIMITS, type Modal, quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import {
  areUnreadable,
  SERVER_SETTINGS,
  SETTING_NAMES,
  SETTINGS_LIMITS,
  type ServerSettings,
  type SettingKind,
  type SettingName,
  serverSettingsSchema,
} from '../../services/servers/server-settings.ts';
import { firstLines, isLanguage, type Text, text } from '../../texts/catalog.ts';
import { cancelButton, cancelControl } from '../framework/buttons.ts';
import {
  type CommandCall,
  type Control,
  type ControlCall,
  messageControl,
  type SpeakCall,
  serverCommand,
  serverControl,
  type Work,
} from '../framework/command.ts';
import { readAttachment, uploadedFile } from '../framework/forms.ts';
import { booleanOption, bySubcommand, channelOption, required, subcommand, userOption } from '../framework/options.ts';
import {
  changeLines,
  changeSettings,
  compact,
  mustBeReadable,
  settingLabel,
  UNREADABLE,
  validSetting,
} from './change.ts';
import { badWord, changesOfForm, pageOfForm, settingsForm } from './panel-forms.ts';
import {
  drawSettings,
  isPage,
  type PageName,
  readingProblems,
  SERVERS_OWN,
  TEXT_AND_VOICE_CHANNELS,
} from './panel-pages.ts';
import { inSetup, stepOf, stepOfPage } from './setup.ts';

async function panelOf(call: SpeakCall<'cached'>, page: PageName, news: readonly Text[] = []) {
  const { services } = call;
  const { guildId } = call.interaction;
  const listing = services.voices.list().catch((error: unknown) => {
    services.log.warn({ err: error }, 'Could not list the voices: showing the settings without them');
    return { voices: [] };
  });
  const [settings, { voices }] = await Promise.all([services.settings.get(guildId), listing]);
  const context = { guildId, settings, voices, services };
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

const PICKED = ['roles', 'members', 'channels', 'channel', 'choice', 'language', 'models'] as const;

const panelControls: readonly Control[] = [
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
    const picked = call.values.filter((id) => id !== self);
    return () =>
      change(call, page, (before) => {
        // Items beyond the 25 that a menu can show stay in the list.
        const unseen = ((before[name] ?? []) as readonly string[]).slice(DISCORD_LIMITS.menuOptions);
        const all = [...new Set([...picked, ...unseen])];
        return { ...before, [name]: all.length > 0 ? validSetting(name, all) : undefined };
      });
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
      const changes = await changesOfForm(form, present, call);
      return change(call, page, (before) => ({ ...before, ...changes }));
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

const FORMAT = 'crier-settings-1';

/** Later versions of the bot recognize a file of this version by its `format`. */
const fileSchema = z.object({ format: z.literal(FORMAT), settings: serverSettingsSchema.strict() });

const FILE_BYTES = 256 * 1024;

export const exportSettings = (settings: ServerSettings): string =>
  `${JSON.stringify({ format: FORMAT, settings }, undefined, 2)}\n`;

const settingsFile = (settings: ServerSettings, name: string) => ({
  name: `${name}.json`,
  bytes: new TextEncoder().encode(exportSettings(settings)),
});

/** Rejects with a UserError that names a mistake in the file. */
export async function importSettings(file: string): Promise<ServerSettings> {
  let value: unknown;
  try {
    value = JSON.parse(file);
  } catch {
    throw new UserError(wrongAt(''));
  }
  const parsed = fileSchema.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const unknown = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
    throw new UserError(wrongAt([...(issue?.path ?? []), ...unknown].join('.')));
  }
  const problem = await problemWith(parsed.data.settings);
  if (problem) throw new UserError(text('settings.mistakes', { first: problem, second: text('settings.unchanged') }));
  return parsed.data.settings;
}

const wrongAt = (where: string): Text =>
  text('settings.import-wrong', { where: where === '' ? 'nowhere' : quote(where, 60) });

/** Finds a setting that fits the schema, but that the settings panel would reject. */
async function problemWith(settings: ServerSettings): Promise<Text | undefined> {
  const { language, blockedWords = [], blockedWordsExceptions = [] } = settings;
  if (language !== undefined && !isLanguage(language)) return wrongAt('settings.language');
  for (const words of [blockedWords, blockedWordsExceptions]) {
    // The event loop gets a turn before each list of words, because a check of 300 blocked words takes a few milliseconds.
    await nextTurn();
    const problem = words.map(badWord).find((found) => found !== undefined);
    if (problem) return problem;
  }
  return undefined;
}

/** Removes channels and roles of other servers: they would lock everyone out. `lines` names the changed settings. */
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

/** 15 changed settings fit into a message, however long they are. */
const CHANGES = 15;

const transferControls = [
  serverControl({
    name: 'settings-export',
    deferred: true,
    begin({ interaction, services }) {
      return async () => {
        const settings = mustBeReadable(await services.settings.get(interaction.guildId));
        return { lines: [text('settings.exported')], files: [settingsFile(settings, 'crier-settings')] };
      };
    },
  }),
  messageControl('settings-import', (call) => async () => {
    const { interaction, services, signal } = call;
    const file = await readAttachment(uploadedFile(interaction, 'file'), { maxBytes: FILE_BYTES, signal });
    const written = await importSettings(file);
    const imported = ofThisServer(written, interaction.guild);
    const { before, after } = await services.settings.change(interaction.guildId, () => compact(imported.settings));
    const lines = changeLines(before, after, services);
    const panel = await panelOf(call, 'data', [...firstLines(lines, CHANGES), ...imported.lines]);
    if (areUnreadable(before)) return panel;
    // An admin can undo the import with the attached file.
    return {
      ...panel,
      also: { lines: [text('settings.before')], files: [settingsFile(before, 'crier-settings-before')] },
    };
  }),
  serverControl({
    name: 'settings-reset',
    begin() {
      const yes = button('settings-reset-yes', text('settings.reset-yes'), '', 'danger');
      return async () => ({ lines: [text('settings.reset-sure')], rows: [[yes, cancelButton('settings-reset')]] });
    },
  }),
  cancelControl('settings-reset'),
  messageControl('settings-reset-yes', ({ interaction, services }) => async () => {
    const { before } = await services.settings.change(interaction.guildId, () => ({}));
    const files = areUnreadable(before) ? [] : [settingsFile(before, 'crier-settings-before')];
    return { lines: [text('settings.was-reset', { file: files.length > 0 ? 'yes' : 'no' })], files };
  }),
];

type ServerCall = CommandCall<'cached'>;

export const settings = serverCommand({
  name: 'settings',
  options: [
    subcommand('panel', 'settings.panel.description'),
    subcommand('read', 'settings.read.description', [
      required(channelOption('channel', 'settings.read.channel', TEXT_AND_VOICE_CHANNELS.speaking)),
      booleanOption('on', 'settings.read.on'),
    ]),
    subcommand('mute', 'settings.mute.description', [
      required(userOption('member', 'settings.mute.member')),
      booleanOption('on', 'settings.mute.on'),
    ]),
  ],
  defaultMemberPermissions: MANAGE_SERVER,
  deferred: true,
  controls: [...panelControls, ...transferControls],

  begin: (call) => bySubcommand(SUBCOMMANDS, call),
});

const SUBCOMMANDS: Readonly<Record<'panel' | 'read' | 'mute', (call: ServerCall) => Work>> = {
  panel: (call) => () => panelOf(call, 'voices'),
  read(call) {
    const { options, guildId } = call.interaction;
    const { id } = options.getChannel('channel', true);
    const on = options.getBoolean('on') ?? true;
    const problems = readingProblems(call.services.reading, guildId, on ? [id] : []);
    return () => changeList(call, 'autoReadChannels', id, on, problems);
  },
  mute(call) {
    const { options, client } = call.interaction;
    const { id } = options.getUser('member', true);
    const on = options.getBoolean('on') ?? true;
    if (on && id === client.user.id) throw new UserError(text('settings.mute.itself'));
    const notes = on ? [text('settings.mute.undo', { member: `<@${id}>` })] : [];
    if (on && mayManage(options.getMember('member')?.permissions)) notes.push(text('settings.managers-exempt'));
    return () => changeList(call, 'mutedMembers', id, on, notes);
  },
};

/** Puts `id` into a list of the settings, or takes it out. */
async function changeList(
  call: ServerCall,
  name: 'autoReadChannels' | 'mutedMembers',
  id: string,
  isIn: boolean,
  notes: readonly Text[],
) {
  const limit = SETTINGS_LIMITS[name === 'autoReadChannels' ? 'channels' : 'members'];
  const lines = await changeSettings(call, (before) => {
    const others = (before[name] ?? []).filter((other) => other !== id);
    if (isIn && others.length >= limit)
      throw new UserError(text('settings.too-many', { setting: settingLabel(name), limit }));
    return { ...before, [name]: isIn ? [...others, id] : others };
  });
  return { lines: [...lines, ...notes] };
}
