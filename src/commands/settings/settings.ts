import { MANAGE_SERVER, mayManage } from '../../discord/channels/server-managers.ts';
import { voiceLabel } from '../../discord/replies/voice-label.ts';
import { UserError } from '../../errors/user-errors.ts';
import {
  choiceOf,
  EVERYBODY,
  SETTINGS_LIMITS,
  type ServerSettings,
  type SettingName,
  withLanguageVoice,
} from '../../services/servers/server-settings.ts';
import { isUnlimited } from '../../services/spending/spending-types.ts';
import { keptByServer, keptVoices, NO_PREFERENCES } from '../../services/voices/preferences.ts';
import { chooseVoice } from '../../services/voices/voice-choice.ts';
import { isChoiceAllowed } from '../../services/voices/voice-rules.ts';
import { languageLabel } from '../../speech/voice-languages.ts';
import { LANGUAGES, type Text, text } from '../../texts/catalogue.ts';
import type { CommandCall, Reply, Work } from '../framework/command.ts';
import {
  booleanOption,
  channelOption,
  numberOption,
  stringOption,
  subcommand,
  userOption,
} from '../framework/options.ts';
import { serverCommand } from '../framework/server-call.ts';
import { bySubcommand } from '../framework/subcommand.ts';
import {
  completeVoice,
  foreignLine,
  languageOption,
  languageVoiceLabel,
  mustBeChosen,
  voiceNamed,
  voiceOption,
} from '../voice-options/voice-option.ts';
import { setDefaultVoice } from '../voices/default-voice.ts';
import { changeSettings, shownSettings } from './change.ts';
import { describeHolding, settingLabel } from './describe.ts';
import { panelControls, panelOf } from './panel-controls.ts';
import { TEXT_AND_VOICE_CHANNELS } from './panel-pages.ts';
import { transferControls } from './transfer.ts';

type ServerCall = CommandCall<'cached'>;

export const settings = serverCommand({
  name: 'settings',
  description: 'settings.description',
  options: [
    subcommand('panel', 'settings.panel.description'),
    subcommand('voice', 'settings.voice.description', [
      voiceOption('settings.voice.voice'),
      languageOption('settings.voice.language'),
      booleanOption('reset', 'settings.voice.reset'),
    ]),
    subcommand('read', 'settings.read.description', [
      channelOption('channel', 'settings.read.channel', {
        channelTypes: TEXT_AND_VOICE_CHANNELS.speaking,
        required: true,
      }),
      booleanOption('on', 'settings.read.on'),
    ]),
    subcommand('mute', 'settings.mute.description', [
      userOption('member', 'settings.mute.member', { required: true }),
      booleanOption('on', 'settings.mute.on'),
    ]),
    subcommand('name', 'settings.name.description', [
      userOption('member', 'settings.name.member', { required: true }),
      booleanOption('on', 'settings.name.on'),
    ]),
    subcommand('limits', 'settings.limits.description', [
      numberOption('server', 'settings.limits.server', { min: 0, max: SETTINGS_LIMITS.credits }),
      numberOption('member', 'settings.limits.member', { min: 0, max: SETTINGS_LIMITS.credits }),
    ]),
    subcommand('language', 'settings.language.description', [
      stringOption('language', 'settings.language.language', {
        choices: LANGUAGES.map(({ locale, name: label }) => ({ value: locale, label })),
      }),
      booleanOption('reset', 'settings.language.reset'),
    ]),
  ],
  defaultMemberPermissions: MANAGE_SERVER,
  replyTo: 'caller',
  deferred: true,
  complete: completeVoice,
  controls: [...panelControls, ...transferControls],

  begin: (call) => bySubcommand(SUBCOMMANDS, call),
});

type Subcommand = 'panel' | 'voice' | 'read' | 'mute' | 'name' | 'limits' | 'language';

const SUBCOMMANDS: Readonly<Record<Subcommand, (call: ServerCall) => Work>> = {
  panel:
    ({ interaction, services }) =>
    () =>
      panelOf(services, interaction.guildId, 'voices'),
  voice,
  read(call) {
    const { id } = call.interaction.options.getChannel('channel', true);
    const on = call.interaction.options.getBoolean('on') ?? true;
    const { readsMessages, readingProblem } = call.services;
    const problem = on ? readingProblem(call.interaction.guildId, [id]) : undefined;
    const note = [...(readsMessages ? [] : [text('settings.reading-off')]), ...(problem ? [problem] : [])];
    return () => change(call, (before) => withListed(before, 'autoReadChannels', id, on), note);
  },
  mute(call) {
    const { options, client } = call.interaction;
    const { id } = options.getUser('member', true);
    const on = options.getBoolean('on') ?? true;
    if (on && id === client.user.id) throw new UserError(text('settings.mute.itself'));
    const note = on && mayManage(options.getMember('member')?.permissions) ? [text('settings.managers-exempt')] : [];
    return () => change(call, (before) => withListed(before, 'mutedMembers', id, on), note);
  },
  name(call) {
    const { options } = call.interaction;
    const { id } = options.getUser('member', true);
    const on = options.getBoolean('on') ?? true;
    const note = [text(on ? 'settings.name.done' : 'settings.name.undone', { member: `<@${id}>` })];
    return () => change(call, (before) => withListed(before, 'namesAsInDiscord', id, on), note);
  },
  limits(call) {
    const { options } = call.interaction;
    if (isUnlimited(call.services.spending.ownerLimits)) throw new UserError(text('settings.limits.free'));
    const [server, member] = [options.getNumber('server'), options.getNumber('member')];
    if (server === null && member === null) {
      return () => show(call, ['creditsPerServer', 'creditsPerMember'], text('settings.limits.hint'));
    }
    return () =>
      change(call, (before) => ({
        ...before,
        ...(server !== null && { creditsPerServer: server }),
        ...(member !== null && { creditsPerMember: member }),
      }));
  },
  language(call) {
    const { options } = call.interaction;
    const language = options.getString('language') ?? undefined;
    const reset = options.getBoolean('reset') ?? false;
    if (reset && language !== undefined) throw new UserError(text('settings.language.both'));
    if (!reset && language === undefined) return () => show(call, ['language'], text('settings.language.hint'));
    return () => change(call, (before) => ({ ...before, language }));
  },
};

/** What these settings are, and how they are changed. */
async function show({ interaction, services }: ServerCall, names: readonly SettingName[], hint: Text): Promise<Reply> {
  const { localVoice, spending } = services;
  const { settings: present, warning } = await shownSettings(services, interaction.guildId);
  const values = names.map((name) =>
    text('settings.value', {
      setting: settingLabel(name),
      value: describeHolding(name, present[name], { limits: spending.ownerLimits, localVoice }),
    }),
  );
  return { lines: [...warning, ...values, hint] };
}

async function change(
  { interaction, services }: ServerCall,
  edit: (before: ServerSettings) => ServerSettings,
  note: readonly Text[] = [],
): Promise<Reply> {
  const { lines } = await changeSettings(services, interaction.guildId, edit);
  return { lines: [...lines, ...note] };
}

/** A list of ids with or without this one. */
function withListed(
  before: ServerSettings,
  name: 'autoReadChannels' | 'mutedMembers' | 'namesAsInDiscord',
  id: string,
  isIn: boolean,
): ServerSettings {
  const others = (before[name] ?? []).filter((other) => other !== id && other !== EVERYBODY);
  const limit = SETTINGS_LIMITS[name === 'autoReadChannels' ? 'channels' : 'members'];
  if (isIn && others.length >= limit)
    throw new UserError(text('settings.too-many', { setting: settingLabel(name), limit }));
  return { ...before, [name]: isIn ? [...others, id] : others };
}

function voice(call: ServerCall): Work {
  const { options } = call.interaction;
  const asked = options.getString('voice') ?? undefined;
  const reset = options.getBoolean('reset') ?? false;
  if (reset && asked !== undefined) throw new UserError(text('settings.voice.both'));
  const language = options.getString('language') ?? undefined;
  if (language !== undefined) return () => languageVoice(call, language, reset ? undefined : asked, reset);
  if (reset) return () => resetVoice(call);
  return asked === undefined ? () => showVoice(call) : () => setVoice(call, asked);
}

/** The server's voice for one language: set, taken back or shown. */
async function languageVoice(
  call: ServerCall,
  language: string,
  asked: string | undefined,
  reset: boolean,
): Promise<Reply> {
  if (reset) {
    return change(call, ({ languageVoices = [], ...rest }) => {
      const others = languageVoices.filter((choice) => choice.language !== language);
      return others.length > 0 ? { ...rest, languageVoices: others } : rest;
    });
  }
  if (asked === undefined) return showLanguageVoice(call, language);
  const chosen = await voiceNamed(call, asked);
  return change(
    call,
    (before) => ({
      ...before,
      languageVoices: withLanguageVoice(before.languageVoices, { language, ...choiceOf(chosen) }),
    }),
    foreignLine(chosen, language),
  );
}

/** The voice that speaks a language for members who chose none, also where no voice is set for it. */
async function showLanguageVoice({ interaction, services }: ServerCall, language: string): Promise<Reply> {
  const server = await services.settings.get(interaction.guildId);
  const { voices } = await services.voices.list();
  const kept = keptVoices({ ...NO_PREFERENCES, server }, language);
  // Its own name is written in its script.
  const words = languageLabel(language, language);
  const chosen = mustBeChosen(chooseVoice(voices, { kept, rules: server, words, areKanji: language === 'ja' }));
  const set = server.languageVoices?.find((choice) => choice.language === language);
  const what = { language: { language }, voice: voiceLabel(chosen.voice) };
  return {
    lines: [
      set
        ? text('settings.value', { setting: text('setting.languageVoices'), value: languageVoiceLabel(set, server) })
        : text('settings.voice.no-language-voice', { language: { language } }),
      ...chosen.vanished.map((gone) => text('settings.voice.gone', { voice: voiceLabel(gone.choice) })),
      ...(chosen.source === 'server-language' ? [] : [text('settings.voice.speaks-language', what)]),
      ...foreignLine(chosen.voice, language),
      ...(server.voiceByLanguage === false ? [text('settings.voice.not-by-language')] : []),
      text('settings.voice.language-hint'),
    ],
  };
}

async function setVoice(call: ServerCall, asked: string): Promise<Reply> {
  return setDefaultVoice(call.services, call.interaction.guildId, await voiceNamed(call, asked));
}

async function resetVoice(call: ServerCall): Promise<Reply> {
  const { services, interaction } = call;
  const { voices } = await services.voices.list();
  const { lines, before, after } = await changeSettings(
    services,
    interaction.guildId,
    ({ defaultVoice: _, ...rest }) => rest,
  );
  const chosen = chooseVoice(voices, { rules: after });
  const staying = languageVoicesLine('settings.voice.languages-stay', after);
  if (chosen.kind === 'none-allowed') return { lines: [...lines, text('refused.none-allowed'), ...staying] };
  const { voice: speaking, source } = mustBeChosen(chosen);
  const now = { voice: voiceLabel(speaking), which: source === 'allowed' ? 'allowed' : 'bot' } as const;
  const done = before.defaultVoice
    ? text('settings.voice.was-reset', { ...now, before: voiceLabel(before.defaultVoice) })
    : text('settings.voice.unset', now);
  return { lines: [done, ...staying] };
}

/** Names the voices by language, where there are any. */
function languageVoicesLine(
  key: 'settings.voice.by-language' | 'settings.voice.languages-stay',
  present: ServerSettings,
): readonly Text[] {
  const list = (present.languageVoices ?? []).map((choice) => languageVoiceLabel(choice, present));
  return list.length > 0 ? [text(key, { voices: { list } })] : [];
}

async function showVoice({ interaction, services }: ServerCall): Promise<Reply> {
  const present = await services.settings.get(interaction.guildId);
  const { defaultVoice } = present;
  const { voices } = await services.voices.list();
  const chosen = mustBeChosen(chooseVoice(voices, { kept: keptByServer({ defaultVoice }), rules: present }));
  const voice = voiceLabel(chosen.voice);
  const isForbidden = defaultVoice && !isChoiceAllowed(defaultVoice, present);
  return {
    lines: [
      ...chosen.vanished.map((gone) => text('settings.voice.gone', { voice: voiceLabel(gone.choice) })),
      ...(isForbidden ? [text('settings.voice.forbidden', { voice, chosen: voiceLabel(defaultVoice) })] : []),
      ...(chosen.source === 'server' ? [text('settings.voice.now', { voice })] : []),
      ...(chosen.source !== 'server' && !isForbidden
        ? [text('settings.voice.unset', { voice, which: chosen.source === 'allowed' ? 'allowed' : 'bot' })]
        : []),
      ...languageVoicesLine('settings.voice.by-language', present),
    ],
  };
}
