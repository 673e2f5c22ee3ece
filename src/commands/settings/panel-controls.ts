import type { Modal } from '../../discord/replies/layout.ts';
import { DISCORD_LIMITS } from '../../discord/replies/limits.ts';
import { quote } from '../../discord/replies/quote.ts';
import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { UserError } from '../../errors/user-errors.ts';
import { rulesOf } from '../../services/servers/server-rules.ts';
import {
  SERVER_SETTINGS,
  type ServerSettings,
  type SettingKind,
  type SettingName,
} from '../../services/servers/server-settings.ts';
import type { Change } from '../../services/storage/editable-records.ts';
import type { EmojiWords } from '../../services/text/blockable-words.ts';
import { isChoiceAllowed, voicesUnder } from '../../services/voices/voice-rules.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import { blockedEntries } from '../dictionary/entries.ts';
import type { Control, ControlCall, Reply, Services } from '../framework/command.ts';
import { messageControl, serverControl } from '../framework/server-call.ts';
import { foreignLine, voiceNamed } from '../voice-options/voice-option.ts';
import { ignoredDefaults } from '../voices/default-voice.ts';
import { changeSettings, shownSettings, validSetting } from './change.ts';
import { type Circumstances, describeHolding, settingLabel } from './describe.ts';
import { editOfForm, nameOfForm, pageOfForm, settingsForm } from './panel-forms.ts';
import { drawSettings, isPage, limitingLists, type PageName, SERVERS_OWN } from './panel-pages.ts';
import { withBefore } from './settings-file.ts';

/** What the panel shows and changes. */
/** The panel as it is now, on one page. */
export async function panelOf(
  services: Services,
  guildId: string,
  page: PageName,
  news: readonly Text[] = [],
): Promise<Reply> {
  const [{ settings, warning }, voices] = await Promise.all([shownSettings(services, guildId), voicesOf(services)]);
  const allowed = voicesUnder(settings, { voices });
  const context = {
    settings,
    models: modelsOf(voices),
    firstVoice: allowed[0]?.name,
    isFirstAllowed: allowed[0] !== voices[0],
    noneAllowed: voices.length > 0 && allowed.length === 0,
    canRead: services.readsMessages,
    readingProblem: services.readingProblem(guildId, settings.autoReadChannels ?? []),
    ownerLimits: services.spending.ownerLimits,
    localVoice: services.localVoice,
    moderationProblem: services.moderation.problem(guildId),
    autoJoinProblem: services.autoJoinProblem(guildId, settings),
  };
  return { lines: [], panel: drawSettings(page, context, [...warning, ...news]) };
}

export async function voicesOf({ voices, log }: Services): Promise<readonly Voice[]> {
  try {
    return (await voices.list()).voices;
  } catch (error) {
    log.info({ err: error }, 'The settings are shown without the voices: the speech service does not answer');
    return [];
  }
}

function modelsOf(voices: readonly Voice[]): readonly string[] {
  return [...new Set(voices.map(({ model }) => model))]
    .filter((model) => model.length <= DISCORD_LIMITS.menuOptionCharacters)
    .sort();
}

/** Makes an edit and shows the panel again, with the changed settings on top. */
async function change(
  { interaction, services }: ControlCall<'cached'>,
  page: PageName,
  edit: (before: ServerSettings) => ServerSettings,
  notesOn?: (after: ServerSettings, voices: readonly Voice[]) => readonly Text[],
): Promise<Reply> {
  const voices = page === 'voices' ? await voicesOf(services) : [];
  const change = await changeSettings(services, interaction.guildId, edit, ({ before, after }) => {
    if (before.allowedModels === after.allowedModels && before.allowedVoices === after.allowedVoices) return;
    mustLeaveVoice(after, voices, { localVoice: services.localVoice, limits: services.spending.ownerLimits });
  });
  const notes = notesOn?.(change.after, voices) ?? (await blockedInDictionary(services, interaction.guildId, change));
  return withBefore(await panelOf(services, interaction.guildId, page, [...change.lines, ...notes]), change);
}

/** Named in one line. */
const MOST_ENTRIES_NAMED = 5;

/** Where a change blocks words: which entries of the dictionary are spoken in blocked ones. */
export async function blockedInDictionary(
  services: Services,
  guildId: string,
  { before, after }: Change<ServerSettings>,
): Promise<readonly Text[]> {
  const hasMore = (words: readonly string[] = [], known: readonly string[] = []) =>
    words.some((word) => !known.includes(word));
  const blocksMore =
    hasMore(after.blockedWords, before.blockedWords) ||
    hasMore(before.blockedWordsExceptions, after.blockedWordsExceptions);
  if (!blocksMore) return [];
  try {
    const entries = await services.dictionaries.entries(guildId);
    const blocked = await blockedEntries(services, guildId, entries, MOST_ENTRIES_NAMED + 1);
    if (blocked.length === 0) return [];
    const named = blocked.slice(0, MOST_ENTRIES_NAMED).map(({ from }) => quote(from, 40));
    const list = blocked.length > named.length ? [...named, '…'] : named;
    return [text('settings.blocks-entries', { words: { list }, mode: rulesOf(after).blockedWordsMode })];
  } catch (error) {
    // The words are blocked all the same.
    services.log.warn({ err: error, guildId }, 'Blocked words could not be looked for in the dictionary');
    return [];
  }
}

/** Throws a UserError for lists that allow none of the voices. */
export function mustLeaveVoice(settings: ServerSettings, voices: readonly Voice[], circumstances: Circumstances): void {
  if (voices.length === 0 || voicesUnder(settings, { voices }).length > 0) return;
  const models = describeHolding('allowedModels', settings.allowedModels, circumstances);
  const voicesNamed = describeHolding('allowedVoices', settings.allowedVoices, circumstances);
  switch (limitingLists(settings)) {
    case 'models':
      throw new UserError(text('settings.leaves-no-voice.models', { models }));
    case 'voices':
      throw new UserError(text('settings.leaves-no-voice.voices', { voices: voicesNamed }));
    case 'both':
      throw new UserError(text('settings.leaves-no-voice.both', { models, voices: voicesNamed }));
  }
}

/** Of the chosen voices, those that are not allowed, do not speak their language, or cannot speak; ignored default options. */
function notesOnVoices(settings: ServerSettings, voices: readonly Voice[]): readonly Text[] {
  const { defaultVoice, forcedVoice, languageVoices = [] } = settings;
  const chosen = [
    { name: 'defaultVoice', choices: defaultVoice ? [defaultVoice] : [] },
    { name: 'forcedVoice', choices: forcedVoice ? [forcedVoice] : [] },
    { name: 'languageVoices', choices: languageVoices },
  ] as const;
  const forbidden = chosen.flatMap(({ name, choices }) =>
    choices
      .filter((choice) => !isChoiceAllowed(choice, settings))
      .map((choice) => text('settings.voice-not-allowed', { setting: settingLabel(name), voice: voiceLabel(choice) })),
  );
  const foreign = languageVoices.flatMap(({ voiceId, language }) =>
    voices.filter(({ id }) => id === voiceId).flatMap((voice) => foreignLine(voice, language)),
  );
  return [...forbidden, ...foreign, ...ignoredDefaults(settings, voices)];
}

/** A custom id can hold any text: only settings of these kinds are taken. */
function settingNamed(name: string, ...kinds: readonly SettingKind[]): { name: SettingName; page: PageName } {
  const definition = Object.hasOwn(SERVER_SETTINGS, name) ? SERVER_SETTINGS[name as SettingName] : undefined;
  if (!definition || !kinds.includes(definition.kind)) throw new UserError(text('refused.over'));
  return { name: name as SettingName, page: definition.page };
}

/** A list after picking in a menu that shows the first ones of it: those behind them stay. Undefined when none is left. */
export function withPicked(before: readonly string[] = [], picked: readonly string[]): readonly string[] | undefined {
  const all = [...new Set([...picked, ...before.slice(DISCORD_LIMITS.menuOptions)])];
  return all.length > 0 ? all : undefined;
}

export const panelControls: readonly Control[] = [
  messageControl(
    'settings-page',
    ({ interaction, services, values: [page = ''] }) =>
      async () =>
        panelOf(services, interaction.guildId, isPage(page) ? page : 'voices'),
  ),
  messageControl('settings-toggle', (call) => {
    const [asked = '', to = ''] = call.argument.split(' ');
    const { name, page } = settingNamed(asked, 'switch');
    // The state that the button names, and not the opposite of the present one: another admin may have pressed it.
    if (to !== 'on' && to !== 'off') throw new UserError(text('refused.over'));
    return () => change(call, page, (before) => ({ ...before, [name]: to === 'on' }));
  }),
  messageControl('settings-ids', (call) => {
    const { name, page } = settingNamed(call.argument, 'roles', 'members', 'channels', 'channel');
    const { kind } = SERVER_SETTINGS[name];
    if (kind === 'channel') {
      const channel = validSetting(name, call.values[0]);
      return () => change(call, page, (before) => ({ ...before, [name]: channel }));
    }
    // Discord's menu of members offers the bot, too: muting it would mute no member.
    const self = kind === 'members' ? call.interaction.client.user.id : undefined;
    const values = call.values.filter((id) => id !== self);
    return () =>
      change(call, page, (before) => ({
        ...before,
        [name]: validSetting(name, withPicked(before[name] as readonly string[] | undefined, values)),
      }));
  }),
  messageControl('settings-choice', (call) => {
    const { name, page } = settingNamed(call.argument, 'choice', 'language');
    const [chosen] = call.values;
    const value = validSetting(name, chosen === SERVERS_OWN ? undefined : chosen);
    return () => change(call, page, (before) => ({ ...before, [name]: value }));
  }),
  messageControl('settings-models', (call) => {
    const allowedModels = validSetting('allowedModels', call.values.length > 0 ? [...call.values] : undefined);
    return () => change(call, 'voices', (before) => ({ ...before, allowedModels }), notesOnVoices);
  }),
  serverControl({
    name: 'settings-form',
    replyTo: 'message',
    // Discord takes a form only as the first answer.
    deferred: false,
    async begin({ interaction, services, argument }) {
      if (argument === 'import') return { modal: importForm() };
      const modal = settingsForm(argument, await services.settings.get(interaction.guildId), services.localVoice);
      if (!modal) throw new UserError(text('refused.over'));
      return { modal };
    },
  }),
  {
    ...messageControl('settings-fill', (call) => async () => {
      const page = pageOfForm(nameOfForm(call.argument));
      if (page === undefined) throw new UserError(text('refused.over'));
      const edit = await editOfForm(call.argument, call.fields, {
        voiceNamed: (asked, options) => voiceNamed(call, asked, options),
        emojiWords: emojiWordsIn(call),
        localVoice: call.services.localVoice,
      });
      return change(call, page, edit, page === 'voices' ? notesOnVoices : undefined);
    }),
    form: formOfServer,
  },
];

/** The words that an emoji is spoken with in the server of a call. */
export const emojiWordsIn =
  ({ interaction, services }: Pick<ControlCall<'cached'>, 'interaction' | 'services'>): EmojiWords =>
  (emoji) =>
    services.spokenTexts.emojiWords(emoji, interaction.guildId, interaction.guildLocale);

/** A form of the panel as the settings are now, with what was changed in it before it was refused. */
export async function formOfServer({
  interaction,
  services,
  argument,
  fields,
}: Omit<ControlCall, 'signal'>): Promise<Modal | undefined> {
  if (interaction.guildId === null) return undefined;
  const settings = await services.settings.get(interaction.guildId);
  return settingsForm(nameOfForm(argument), settings, services.localVoice, { argument, fields });
}

function importForm() {
  return {
    title: text('settings.import'),
    control: 'settings-import',
    fields: [
      { kind: 'file', name: 'file', label: text('settings.import-file'), description: text('settings.import-hint') },
    ],
  } as const;
}
