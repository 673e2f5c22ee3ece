import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Guild } from 'discord.js';
import * as z from 'zod';
import { MANAGE_SERVER, mayManage } from '../../discord/channels/permissions.ts';
import { button, quote } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import {
  areUnreadable,
  SERVER_SETTINGS,
  SETTING_NAMES,
  SETTINGS_LIMITS,
  type ServerSettings,
  serverSettingsSchema,
} from '../../services/servers/server-settings.ts';
import { firstLines, isLanguage, type Text, text } from '../../texts/catalog.ts';
import { cancelButton, cancelControl } from '../framework/buttons.ts';
import { type CommandCall, messageControl, serverCommand, serverControl, type Work } from '../framework/command.ts';
import { readAttachment, uploadedFile } from '../framework/forms.ts';
import { booleanOption, bySubcommand, channelOption, required, subcommand, userOption } from '../framework/options.ts';
import { changeLines, changeSettings, compact, mustBeReadable, settingLabel } from './change.ts';
import { panelControls, panelOf } from './panel-controls.ts';
import { badWord } from './panel-forms.ts';
import { TEXT_AND_VOICE_CHANNELS } from './panel-pages.ts';

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
  const { settings } = parsed.data;
  const problem = await problemWith(settings);
  if (problem) throw new UserError(text('settings.mistakes', { first: problem, second: text('settings.unchanged') }));
  return settings;
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
    const lines = changeLines(before, after, services.spending.ownerLimits, services.bot.localVoice);
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
    if (areUnreadable(before)) return { lines: [text('settings.was-reset', { file: 'no' })] };
    const files = [settingsFile(before, 'crier-settings-before')];
    return { lines: [text('settings.was-reset', { file: 'yes' })], files };
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
    const { id } = call.interaction.options.getChannel('channel', true);
    const on = call.interaction.options.getBoolean('on') ?? true;
    const { reading } = call.services;
    const problem = on ? reading.problem(call.interaction.guildId, [id]) : undefined;
    const note = reading.isOn ? [] : [text('settings.reading-off')];
    if (problem) note.push(problem);
    return () => change(call, (before) => withListed(before, 'autoReadChannels', id, on), note);
  },
  mute(call) {
    const { options, client } = call.interaction;
    const { id } = options.getUser('member', true);
    const on = options.getBoolean('on') ?? true;
    if (on && id === client.user.id) throw new UserError(text('settings.mute.itself'));
    const note = on ? [text('settings.mute.undo', { member: `<@${id}>` })] : [];
    if (on && mayManage(options.getMember('member')?.permissions)) note.push(text('settings.managers-exempt'));
    return () => change(call, (before) => withListed(before, 'mutedMembers', id, on), note);
  },
};

async function change(call: ServerCall, edit: (before: ServerSettings) => ServerSettings, note: readonly Text[]) {
  return { lines: [...(await changeSettings(call, edit)), ...note] };
}

function withListed(
  before: ServerSettings,
  name: 'autoReadChannels' | 'mutedMembers',
  id: string,
  isIn: boolean,
): ServerSettings {
  const others = (before[name] ?? []).filter((other) => other !== id);
  const limit = SETTINGS_LIMITS[name === 'autoReadChannels' ? 'channels' : 'members'];
  if (isIn && others.length >= limit)
    throw new UserError(text('settings.too-many', { setting: settingLabel(name), limit }));
  return { ...before, [name]: isIn ? [...others, id] : others };
}
