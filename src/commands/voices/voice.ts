import { button, quote, voiceLabel, voiceName, voiceWithModel } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import { choiceOf, type LanguageVoice, withLanguageVoice } from '../../services/servers/server-settings.ts';
import { billedText } from '../../services/synthesis/parts.ts';
import { LEFT_OVER_TOKEN, spokenName } from '../../services/text/readable/names.ts';
import {
  isAllowed,
  keptVoices,
  type Preferences,
  plainOptions,
  preferredOptions,
  unforcedVoices,
  voicesUnder,
} from '../../services/voices/preferences.ts';
import type { VoiceList } from '../../services/voices/voice-catalog.ts';
import { chooseVoice } from '../../services/voices/voice-choice.ts';
import { MANNERS, MAX_SPOKEN_NAME, type Manner, type OwnSettings } from '../../services/voices/voices.ts';
import { isSpeakable } from '../../speech/interface/models.ts';
import { listedVoice, type Voice } from '../../speech/interface/schemas.ts';
import { type LanguageName, type Text, type TextList, text } from '../../texts/catalog.ts';
import type { ChatCommand, CommandCall, ControlCall, Services, Work } from '../framework/command.ts';
import { bySubcommand, choiceOption, required, stringOption, subcommand } from '../framework/options.ts';
import { namesFor } from '../say/wording.ts';
import {
  chooseFreshly,
  chosenVoiceLabel,
  completeVoice,
  foreignLine,
  givenOptions,
  ignoredBy,
  languageOption,
  languageVoiceLabel,
  MANNER_OPTIONS,
  mustBeChosen,
  mustBeInRange,
  preferencesOf,
  voiceOption,
} from '../voice-options/voice-option.ts';

/** The member's settings that apply to every text. */
const FIELDS = ['voice', ...MANNERS] as const;
/** The longest voice id in a button: a custom id holds 100 characters, and it also names the action of the button. */
export const VOICE_ID_CHARACTERS = 80;

const OWN_FIELDS = [...FIELDS, 'language', 'languageVoices', 'spokenName'] as const;
type OwnField = (typeof OWN_FIELDS)[number];
const FIELD_CHOICES = OWN_FIELDS.map((field) => ({ name: text(`parameter.${field}`), value: field }));

const WHERE = choiceOption('where', 'voice.where', [
  { name: text('voice.where.here'), value: 'here' },
  { name: text('voice.where.everywhere'), value: 'everywhere' },
]);

/** The command /voice fails with a UserError, a StoreError from the settings, or a SpeechError from the list of voices. */
export const voice: ChatCommand = {
  name: 'voice',
  options: [
    subcommand('set', 'voice.set.description', [
      voiceOption('voice.set.voice'),
      languageOption('voice.set.language'),
      ...MANNER_OPTIONS,
      WHERE,
    ]),
    subcommand('name', 'voice.name.description', [
      required(stringOption('name', 'voice.name.name', MAX_SPOKEN_NAME)),
      WHERE,
    ]),
    subcommand('show', 'voice.show.description'),
    subcommand('reset', 'voice.reset.description', [choiceOption('what', 'voice.reset.what', FIELD_CHOICES), WHERE]),
  ],
  deferred: true,
  complete: completeVoice,

  begin: (call) => bySubcommand(SUBCOMMANDS, call),
};

const SUBCOMMANDS: Readonly<Record<'set' | 'name' | 'show' | 'reset', (call: CommandCall) => Work>> = {
  set,
  name: (call) => () => setName(call),
  show: (call) => () => show(call),
  reset: (call) => () => reset(call),
};

function set(call: CommandCall): Work {
  const { options } = call.interaction;
  const asked = options.getString('voice')?.trim() || undefined;
  const speechOptions = givenOptions(options);
  const language = options.getString('language') ?? undefined;
  if ([asked, language, ...Object.values(speechOptions)].every((value) => value === undefined))
    throw new UserError(text('voice.set.nothing'));
  mustBeInRange(speechOptions);
  return async () => {
    const { interaction, services } = call;
    if (speechOptions.style !== undefined && interaction.inCachedGuild()) {
      const refusal = await services.texts.blockedInStyle(speechOptions.style, interaction.guildId);
      if (refusal) throw refusal;
    }
    const preferences = await preferencesOf(call);
    // A forbidden voice may be chosen: it may be allowed in other servers, or later.
    const orders = { asked, kept: unforcedVoices(preferences), rules: preferences.server, takesForbidden: true };
    const { voice, list } = await chooseFreshly(call.services, orders);
    const forLanguage = asked !== undefined && language !== undefined ? { ...choiceOf(voice), language } : undefined;
    const wanted: OwnSettings = {
      ...speechOptions,
      voice: asked === undefined || forLanguage ? undefined : choiceOf(voice),
      language: forLanguage ? undefined : language,
      languageVoices: forLanguage && [forLanguage],
    };
    const changed = OWN_FIELDS.filter((field) => wanted[field] !== undefined);
    const { before, after, where } = await change(call, changed, (own) => {
      const kept = { ...own, ...only(wanted, changed) };
      return forLanguage ? { ...kept, languageVoices: withLanguageVoice(own.languageVoices, forLanguage) } : kept;
    });
    const now = { ...preferences, [where]: after };
    const { speaker, absent, ignored, rows } = inEffect(list, now);
    const lines = [text('voice.set.kept', { where }), ...changed.map((field) => settingLine(field, before, after))];
    if (where === 'everywhere') lines.push(...shadowedLines(changed, now.here));
    if (forLanguage) lines.push(...foreignLine(voice, language));
    else if (asked !== undefined) lines.push(...overruledLines(voice, list, now));
    lines.push(...absent, ...ignored);
    const characters = paidCharacters(speaker, wanted.style, call.services);
    if (characters > 0) lines.push(text('style.billed', { whose: 'own', characters }));
    return { lines, rows };
  };
}

async function setName(call: CommandCall) {
  const { interaction, services } = call;
  const { id: userId } = interaction.user;
  const hereId = interaction.inCachedGuild() ? interaction.guildId : undefined;
  const typed = interaction.options.getString('name', true);
  const name = nameToSay(await namingMembers(call, typed), interaction.locale, typed);
  const refusal = await services.texts.blockedIn(name, hereId);
  if (refusal) throw new UserError(text('voice.name.blocked', { name: quote(name) }));
  const { where } = await change(call, ['spokenName'], (own) => ({ ...own, spokenName: name }));
  const lines = [text('voice.name.kept', { where, name: quote(name) })];
  if (where === 'here' || hereId === undefined) return { lines };
  const here = await services.voices.members.get({ userId, guildId: hereId });
  return { lines: [...lines, ...shadowedLines(['spokenName'], here)] };
}

/** Mentions of anything but members are removed, because they would be spoken as digits. */
async function namingMembers(call: CommandCall, written: string): Promise<string> {
  const { users } = await namesFor(call, written);
  return written
    .replaceAll(/<@!?(\d{1,20})>/g, (_mention, id: string) => users(id) ?? '')
    .replaceAll(LEFT_OVER_TOKEN, ' ');
}

/** Cuts a name after a whole word. Even a single emoji, spoken as its description, may exceed the limit. */
const KEPT = new RegExp(`^.{0,${MAX_SPOKEN_NAME}}(?!\\S)`);

/** Emoji are spoken only in a name without letters and digits. Throws a UserError if nothing is left to speak. */
function nameToSay(written: string, locale: string, typed: string): string {
  const said = spokenName(written, locale, MAX_SPOKEN_NAME);
  const name = KEPT.exec(said)?.[0] ?? said.slice(0, MAX_SPOKEN_NAME).toWellFormed();
  if (!isSpeakable(name)) throw new UserError(text('voice.name.unspeakable', { name: quote(typed) }));
  return name;
}

async function reset(call: CommandCall) {
  const what = call.interaction.options.getString('what');
  const fields = OWN_FIELDS.filter((field) => what === null || field === what);
  const others = OWN_FIELDS.filter((field) => !fields.includes(field));
  const preferences = await preferencesOf(call);
  // The reply must name the voice that speaks afterwards, so the list is fetched before anything is changed.
  const { list } = await chooseFreshly(call.services, { kept: keptVoices(preferences) });
  const { before, after, where } = await change(call, fields, (own) => only(own, others));
  const taken = fields.filter((field) => before[field] !== undefined);
  if (taken.length === 0) {
    const other = where === 'here' ? 'everywhere' : 'here';
    const elsewhere = fields.some((field) => preferences[other][field] !== undefined) ? other : 'nowhere';
    return { lines: [text('voice.reset.nothing', { where, elsewhere })] };
  }
  const { values, absent } = inEffect(list, { ...preferences, [where]: after });
  const lines = taken.map((field) => {
    const present = values[field];
    const parameter = text(`parameter.${field}`);
    if (!present) return settingLine(field, before, {});
    return text('voice.reset.value', { parameter, ...present, before: keptValue(field, before) ?? NOT_SET });
  });
  return { lines: [text('voice.reset.done', { where }), ...lines, ...absent] };
}

async function show(call: CommandCall) {
  const preferences = await preferencesOf(call);
  const { list } = await chooseFreshly(call.services, { kept: keptVoices(preferences) });
  const { speaker, values, absent, ignored } = inEffect(list, preferences);
  const characters = paidCharacters(speaker, preferredOptions({}, preferences).style?.value, call.services);
  const own = { ...preferences.everywhere, ...preferences.here };
  const fieldLines = FIELDS.flatMap((field) => {
    const present = values[field];
    if (!present) return [];
    const isBilled = field === 'style' && characters > 0;
    const value = isBilled ? text('voice.style-billed', { style: present.value, characters }) : present.value;
    return [text('voice.show.value', { parameter: text(`parameter.${field}`), value, source: present.source })];
  });
  return {
    lines: [
      text('voice.show.title', { where: call.interaction.inCachedGuild() ? 'here' : 'everywhere' }),
      ...fieldLines,
      ...(await nameLine(call, preferences)),
      ...languageLines(preferences),
      ...absent,
      ...ignored,
      text('voice.show.hint', { own: OWN_FIELDS.some((field) => own[field] !== undefined) ? 'yes' : 'no' }),
    ],
  };
}

async function nameLine({ interaction, services }: CommandCall, preferences: Preferences): Promise<Text[]> {
  const name = preferences.here.spokenName ?? preferences.everywhere.spokenName;
  if (name === undefined) return [];
  const isBlocked =
    interaction.inCachedGuild() && (await services.texts.blockedIn(name, interaction.guildId)) !== undefined;
  const source = text(preferences.here.spokenName === undefined ? 'source.own-everywhere' : 'source.own-here');
  return [text('voice.show.name', { name: quote(name), source, use: isBlocked ? 'blocked' : 'used' })];
}

function languageLines({ everywhere, server }: Preferences): Text[] {
  const { language } = everywhere;
  const own = text('source.own-everywhere');
  const parameter = text('parameter.language');
  const voiceLine = (source: Text) => (choice: LanguageVoice) => {
    const value = chosenVoiceLabel(choice, server);
    return text('voice.show.value', { parameter: { language: choice.language }, value, source });
  };
  return [
    ...(language === undefined ? [] : [text('voice.show.value', { parameter, value: { language }, source: own })]),
    ...(everywhere.languageVoices ?? []).map(voiceLine(own)),
    ...(server.languageVoices ?? []).map(voiceLine(text('source.server'))),
  ];
}

/** A member's language and voices by language are the same in every server. */
const isEverywheres = (field: OwnField): boolean => field === 'language' || field === 'languageVoices';

/** Without a chosen place, changes apply to the server. Outside of servers, such as in direct messages, they apply everywhere. */
export async function change(
  { interaction, services }: CommandCall | ControlCall,
  fields: readonly OwnField[],
  edit: (before: OwnSettings) => OwnSettings,
) {
  const chosen = 'options' in interaction ? interaction.options.getString('where') : null;
  const asksHere = interaction.inCachedGuild() && chosen !== 'everywhere';
  const here = asksHere && (fields.length === OWN_FIELDS.length || !fields.some(isEverywheres));
  const guildId = here ? interaction.guildId : undefined;
  const { before, after } = await services.voices.members.change({ userId: interaction.user.id, guildId }, edit);
  return { before, after, where: here ? 'here' : 'everywhere' } as const;
}

/** Names the settings saved for all servers that the member's settings for this server overrule. */
function shadowedLines(fields: readonly OwnField[], here: OwnSettings): Text[] {
  const list = fields.flatMap((field) => (here[field] === undefined ? [] : [text(`parameter.${field}`)]));
  return list.length > 0 ? [text('voice.set.shadowed', { parameters: { list } })] : [];
}

/**
 * The voice and options of a member's /say, for a reply. `speaker` is undefined if the admins allow no voice. `rows` has
 * a button for a voice with the same name that supports the options which `speaker` ignores.
 */
export function inEffect(list: VoiceList, preferences: Preferences) {
  const found = chooseVoice(list.voices, { kept: keptVoices(preferences), rules: preferences.server });
  const chosen = found.kind === 'none-allowed' ? undefined : mustBeChosen(found);
  const speechOptions = preferredOptions({}, preferences);
  // Members cannot change a voice that the admins force.
  const usable = chosen?.source === 'forced' ? [] : voicesUnder(preferences.server, list);
  const { lines: ignored, takenBy } = chosen
    ? ignoredBy(chosen.voice, plainOptions(speechOptions), usable)
    : { lines: [], takenBy: undefined };
  const worded = (name: Manner) => {
    const option = speechOptions[name];
    if (!option) return { value: NOT_SET, source: text('source.voice') };
    return { value: speechOptionValue(option.value), source: text(`source.${option.source}`) };
  };
  return {
    values: {
      voice: chosen && { value: voiceLabel(chosen.voice), source: text(`source.${chosen.source}`) },
      ...Object.fromEntries(MANNERS.map((name) => [name, worded(name)])),
    } as Partial<Record<OwnField, ReturnType<typeof worded>>>,
    absent: chosen
      ? chosen.vanished.map(({ source, choice }) =>
          text('voice.show.gone', { voice: voiceName(choice), source: text(`source.${source}`) }),
        )
      : [text('refused.none-allowed')],
    speaker: chosen?.voice,
    ignored,
    rows: takenBy && takenBy.id.length <= VOICE_ID_CHARACTERS ? [[useButton(takenBy)]] : [],
  };
}

const useButton = (voice: Voice) =>
  button('voice-mine', text('voices.use-as-mine', { voice: voiceWithModel(voice, (words) => words) }), voice.id);

/** The number of characters that a style adds to each bill; 0 if the voice is known to be free. */
function paidCharacters(speaker: Voice | undefined, style: string | undefined, { bot, spending }: Services): number {
  if (bot.localVoice || !speaker || style === undefined) return 0;
  const billed = billedText({ input: '', voice: listedVoice(speaker), style });
  return spending.estimateCredits([billed])?.about === 0 ? 0 : billed.characters;
}

export function overruledLines(kept: Voice, { voices }: VoiceList, now: Preferences): Text[] {
  const chosen = chooseVoice(voices, { kept: keptVoices(now), rules: now.server });
  // If the member's own voice for this server overrules the chosen one, the line `voice.set.shadowed` already says so.
  if (chosen.kind !== 'chosen' || chosen.voice.id === kept.id || chosen.source === 'own-here') return [];
  const lines = isAllowed(kept, now.server) ? [] : [text('refused.voice-not-allowed', { voice: voiceWithModel(kept) })];
  return [
    ...lines,
    text('voice.set.overruled', { voice: voiceLabel(chosen.voice), source: text(`source.${chosen.source}`) }),
  ];
}

const NOT_SET = text('setting.unset.none');

function settingLine(field: OwnField, before: OwnSettings, after: OwnSettings): Text {
  const parameter = text(`parameter.${field}`);
  const was = keptValue(field, before);
  const is = keptValue(field, after) ?? NOT_SET;
  // The values are compared as JSON, which is how they are stored: an undefined field then equals an absent field.
  if (JSON.stringify(before[field]) === JSON.stringify(after[field]))
    return text('voice.set.unchanged', { parameter, after: is });
  if (was === undefined) return text('lines.value', { name: parameter, value: is });
  return text('voice.set.changed', { parameter, after: is, before: was });
}

/** The stored value of a member's setting, for a reply; undefined if there is none. An empty spoken name counts as none. */
function keptValue(field: OwnField, own: OwnSettings): Text | TextList | LanguageName | undefined {
  switch (field) {
    case 'voice':
      return own.voice && voiceLabel(own.voice);
    case 'language':
      return own.language === undefined ? undefined : { language: own.language };
    case 'spokenName':
      return own.spokenName ? text('quoted', { words: quote(own.spokenName) }) : undefined;
    case 'languageVoices':
      return own.languageVoices && { list: own.languageVoices.map((choice) => languageVoiceLabel(choice)) };
    default: {
      const value = own[field];
      return value === undefined ? undefined : speechOptionValue(value);
    }
  }
}

function speechOptionValue(value: string | number): Text {
  return typeof value === 'string' ? text('quoted', { words: quote(value) }) : text('setting.number', { value });
}

const only = (own: OwnSettings, fields: readonly OwnField[]): OwnSettings =>
  Object.fromEntries(fields.flatMap((field) => (own[field] === undefined ? [] : [[field, own[field]]])));
