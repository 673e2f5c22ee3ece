import type { ApplicationCommandOptionChoiceData, BaseInteraction, ChatInputCommandInteraction } from 'discord.js';
import { DISCORD_LIMITS, quote, voiceLabel, voiceName, voiceWithModel } from '../../discord/replies/layout.ts';
import { refusal, UserError } from '../../errors/user-errors.ts';
import { areKanji, isKanjiAlone, languageOfText, provenLanguage } from '../../language/detection.ts';
import type { LanguageVoice, VoiceChoice } from '../../services/servers/server-settings.ts';
import {
  availablePreferences,
  isAllowed,
  keptPreferences,
  keptVoices,
  languageOfLocale,
  ownLanguageOf,
  type Preferences,
  SPOKEN_LANGUAGES,
  speaksLanguage,
  unforcedVoices,
  type VoiceRules,
  voicesUnder,
} from '../../services/voices/preferences.ts';
import { soundLabel } from '../../services/voices/voice-catalog.ts';
import { type Chosen, chooseVoice, offerVoices, type VoiceOrders } from '../../services/voices/voice-choice.ts';
import { ANY_LANGUAGE, canonicalTag, languageLabel } from '../../speech/interface/languages.ts';
import { modelRules, NUMBER_RANGES, RESPONSE_FORMATS } from '../../speech/interface/models.ts';
import {
  formatsOf,
  knownOptions,
  listedVoice,
  requestIssues,
  requestWarnings,
  type SpeechOptions,
  type SpeechRequest,
  type Voice,
} from '../../speech/interface/schemas.ts';
import { type PlainTextKey, render, type Text, type TextList, text } from '../../texts/catalog.ts';
import type { CompletionCall, OptionDefinition, Services } from '../framework/command.ts';
import { numberOption, stringOption } from '../framework/options.ts';

/** The style counts toward some models' limit on the text's length. */
const STYLE_CHARACTERS = 200;

export const MANNER_OPTIONS: readonly OptionDefinition[] = [
  stringOption('style', 'say.style', { maxLength: STYLE_CHARACTERS }),
  numberOption('speed', 'say.speed', NUMBER_RANGES.speed),
  numberOption('temperature', 'say.temperature', NUMBER_RANGES.temperature),
];

export const SPEECH_OPTIONS: readonly OptionDefinition[] = [
  ...MANNER_OPTIONS,
  numberOption('seed', 'say.seed', NUMBER_RANGES.seed),
  stringOption('format', 'say.format', { choices: RESPONSE_FORMATS.map((value) => ({ name: value, value })) }),
];

export const givenOptions = (options: ChatInputCommandInteraction['options']): SpeechOptions => ({
  style: options.getString('style')?.trim() || undefined,
  speed: options.getNumber('speed') ?? undefined,
  temperature: options.getNumber('temperature') ?? undefined,
  seed: options.getInteger('seed') ?? undefined,
  responseFormat: RESPONSE_FORMATS.find((known) => known === options.getString('format')),
});

/** Throws a UserError for an invalid request. If `voice` lacks the audio format, the error names models of `usable` voices that have it. */
export function mustBeAcceptable(request: SpeechRequest, voice: Voice, usable: readonly Voice[]): void {
  const [issue, ...others] = requestIssues(request);
  if (!issue) return;
  const isFormat = [issue, ...others].some(({ problem }) => problem === 'unsupported');
  throw new UserError(isFormat ? refusedFormat(voice, request, usable) : text('speech.invalid-request'));
}

/** Throws a UserError for values that would make all of the member's stored options unreadable. */
export function mustBeInRange(speechOptions: SpeechOptions): void {
  const issues = requestIssues({ input: 'any', voice: { kind: 'id', voiceId: 'any' }, ...speechOptions });
  if (issues.length > 0) throw new UserError(text('speech.invalid-request'));
}

/** Removes the voice's default format: requests with and without it share one cached audio, which is paid for once. */
export function withoutUsualFormat(request: SpeechRequest, voice: Voice): SpeechRequest {
  const { responseFormat, ...rest } = request;
  return responseFormat !== undefined && responseFormat === usualFormat(voice) ? rest : request;
}

/** The audio format that a voice uses if a request names none. Undefined if it is unknown. */
function usualFormat({ formats, model }: Voice): string | undefined {
  const family = modelRules(model);
  if (!family.known) return formats.length === 1 ? formats[0] : undefined;
  // If the voice offers a format that its model's documentation lacks, its default format is unknown, too.
  return formats.every((format) => family.formats.some((known) => known === format)) ? family.defaultFormat : undefined;
}

function refusedFormat(voice: Voice, { responseFormat }: SpeechRequest, usable: readonly Voice[]): Text {
  const format: string = responseFormat ?? '';
  const makers = usable.filter((other) => formatsOf(listedVoice(other)).includes(format));
  const models = makers.length > 0 ? { anyOf: modelNames(makers) } : 'none';
  return text('refused.format', {
    voice: voiceName(voice),
    formats: formatList(formatsOf(listedVoice(voice))),
    format,
    models,
  });
}

const NAMED_MODELS = 4;

export function modelNames(voices: readonly Voice[]): readonly string[] {
  const models = [...new Set(voices.map(({ model }) => model))].slice(0, NAMED_MODELS);
  return models.map((model) => quote(model, 40));
}

/** The reply's warning in `lines` names the asked options that `voice` ignores. `takenBy` is a voice of the same name that obeys them. */
export function ignoredBy(voice: Voice, asked: Omit<SpeechRequest, 'input' | 'voice'>, usable: readonly Voice[]) {
  const ignored = (by: Voice) =>
    requestWarnings({ ...asked, input: '', voice: listedVoice(by) }).map(({ field }) => field);
  const fields = ignored(voice);
  if (fields.length === 0) return { lines: [] };
  const takenBy = usable.find(
    (other) =>
      other.name === voice.name &&
      modelRules(other.model).known &&
      !ignored(other).some((field) => fields.includes(field)),
  );
  const parameters = { list: fields.map((field) => text(`parameter.${field}`)) };
  const other = takenBy ? voiceWithModel(takenBy) : 'none';
  return { lines: [text('say.ignored', { voice: voiceName(voice), parameters, other })], takenBy };
}

export function optionList(voice: Voice): readonly Text[] {
  return knownOptions(voice).map((option) => text(`parameter.${option}`));
}

/** At most 12 audio formats are listed, because a speech service could name any number. */
const FORMATS = 12;

export function formatList(formats: readonly string[]): TextList {
  return { list: formats.slice(0, FORMATS).map((format) => quote(format, 20)) };
}

export interface VoiceCall {
  readonly interaction: BaseInteraction;
  readonly services: Services;
}

/**
 * Rejects with a StoreError if the stored voice choices cannot be read. Rejects with a SpeechError if the bot chooses
 * voices for members but cannot list the voices.
 */
export const preferencesOf = (call: VoiceCall) => keptPreferences(whoseOf(call), call.services);

/** If the caller's stored voice choices cannot be read, speech uses only those of the server's admins. */
export const currentPreferences = (call: VoiceCall) => availablePreferences(whoseOf(call), call.services);

/** The voice choices of a server apply only if the bot is a member of the server. */
const whoseOf = ({ interaction }: VoiceCall) => ({
  userId: interaction.user.id,
  guildId: interaction.inCachedGuild() ? interaction.guildId : undefined,
  guildLocale: interaction.guildLocale ?? undefined,
});

export const voiceOption = (description: PlainTextKey) =>
  stringOption('voice', description, { autocomplete: true, maxLength: DISCORD_LIMITS.choiceCharacters });

export async function completeVoice(call: CompletionCall): Promise<ApplicationCommandOptionChoiceData<string>[]> {
  const typed = call.interaction.options.getFocused();
  const { voices: catalog } = call.services;
  // Discord accepts suggestions only for 3 s, so an older voice list is better than a wait.
  const [{ voices }, preferences] = await Promise.all([catalog.known() ?? catalog.list(), currentPreferences(call)]);
  const offerable = voices.filter(
    (voice) => voice.id.length <= DISCORD_LIMITS.choiceCharacters && isAllowed(voice, preferences.server),
  );
  return offerVoices(offerable, typed, keptVoices(preferences), call.interaction.locale).map((voice) => ({
    name: choiceName(voice, call.interaction.locale),
    value: voice.id,
  }));
}

const AS_IT_IS = (words: string): string => words;

function choiceName(voice: Voice, locale: string): string {
  const { id, language, languages } = voice;
  const sound = soundLabel(voice);
  const named = voiceName(voice, AS_IT_IS);
  const name = typeof named === 'string' ? named : render(named, locale);
  const isNamed = sound !== undefined || languages !== undefined || language !== ANY_LANGUAGE;
  const about = sound === undefined ? languagesLabel(voice) : aboutVoice(voice);
  const label = isNamed ? render(text('voices.option', { model: name, language: about }), locale) : name;
  // Discord's client may send a suggestion's text back, by which the bot finds the voice, so it is not shortened.
  return [label, name].find(({ length }) => length <= DISCORD_LIMITS.choiceCharacters) ?? id;
}

/** Describes a voice by its language and its `soundLabel` or else its model. For a multilingual voice, `soundLabel` is enough. */
export function aboutVoice(voice: Voice, quoted = AS_IT_IS): Text | string {
  const { language, languages = [], model } = voice;
  const sound = soundLabel(voice, quoted);
  if (sound !== undefined && language === ANY_LANGUAGE && languages.length !== 1) return sound;
  return text('voices.option', { model: sound ?? quoted(model), language: languagesLabel(voice, quoted) });
}

export const voiceItem = (voice: Voice) => ({
  value: voice.id,
  label: soundLabel(voice) === undefined ? voice.name : voiceName(voice, AS_IT_IS),
  description: aboutVoice(voice),
});

/**
 * Describes several languages by their number, and one by the service's label for it or, without a label, by its name.
 */
export function languagesLabel({ language, languages = [] }: Voice, quoted = AS_IT_IS): Text | string {
  const [only] = languages;
  if (languages.length > 1) return text('voices.languages', { count: languages.length });
  if (language !== ANY_LANGUAGE) return quoted(language);
  // A language is named in itself, such as Deutsch, as in the list of languages.
  return only === undefined ? text('voices.any-language') : quoted(languageLabel(only, canonicalTag(only) ?? 'en'));
}

/** The languages of a caller's texts, judged by the words and by the languages that the caller probably writes. */
export function languagesOf({ interaction }: VoiceCall, preferences: Preferences) {
  const servers = preferences.server.language ?? interaction.guildLocale;
  const locales = [ownLanguageOf(preferences), interaction.locale, servers];
  const likely = [...new Set(locales.flatMap((locale) => (locale ? [languageOfLocale(locale)] : [])))];
  return {
    /** If the words prove no language, returns the member's language or, if not set, the Discord client's language. */
    ofWords: (words: string) => languageOfText(words, likely),
    /** True if Chinese characters are probably Japanese, judging by the caller's languages. */
    areKanji: (words: string) => areKanji(words, likely),
    /** Undefined if the voice accepts no language. If the caller writes Japanese, kanji without kana are Japanese. */
    toTell(words: string, voice: Voice, language: string | undefined): string | undefined {
      if (!voice.takes_language) return undefined;
      return language ?? (isKanjiAlone(words, likely) ? 'ja' : undefined);
    },
    /** The words' language if the voice that the caller asked for or that admins force does not speak it, but another allowed one does. */
    async missed(words: string, chosen: FreshlyChosen, rules: VoiceRules): Promise<string | undefined> {
      const { voice, source, list } = chosen;
      if (source !== 'option' && source !== 'forced') return undefined;
      if (SPOKEN_LANGUAGES.every((language) => speaksLanguage(voice, language))) return undefined;
      const language = await provenLanguage(words, likely);
      if (language === undefined || speaksLanguage(voice, language)) return undefined;
      return voicesUnder(rules, list).some((other) => speaksLanguage(other, language)) ? language : undefined;
    },
  };
}

export const chosenVoiceLabel = (choice: VoiceChoice, rules: VoiceRules): Text =>
  isAllowed(choice, rules) ? voiceLabel(choice) : text('setting.not-allowed', { voice: voiceLabel(choice) });

export const languageVoiceLabel = (choice: LanguageVoice, rules: VoiceRules = {}): Text =>
  text('lines.pair', { name: { language: choice.language }, value: chosenVoiceLabel(choice, rules) });

export const languageOption = (description: PlainTextKey) =>
  stringOption('language', description, {
    choices: SPOKEN_LANGUAGES.map((language) => ({ value: language, name: { language } })),
  });

export function foreignLine(voice: Voice, language: string | undefined, isChosen = false): Text[] {
  if (language === undefined || speaksLanguage(voice, language)) return [];
  const chosen = isChosen ? 'yes' : 'no';
  return [text('say.foreign-language', { voice: voiceName(voice), language: { language }, chosen })];
}

/** Tells that `voice` speaks instead of the usual voice. Names the option `language` if the usual voice does not speak it. */
export function insteadOfLine(usual: Voice, voice: Voice, language?: string): Text {
  const labels = { usual: voiceName(usual), voice: voiceName(voice) };
  if (language === undefined || speaksLanguage(usual, language)) return text('say.instead-of', labels);
  return text('say.in-language', { ...labels, language: { language } });
}

type ChosenVoice = Extract<Chosen, { kind: 'chosen' }>;

export function mustBeChosen(chosen: Chosen): ChosenVoice {
  switch (chosen.kind) {
    case 'chosen':
      return chosen;
    case 'not-allowed':
      throw new UserError(text('refused.voice-not-allowed', { voice: voiceWithModel(chosen.voice) }));
    case 'cannot-speak':
      throw new UserError(cannotSpeak(chosen));
    case 'no-voices':
      throw new UserError(refusal('no-voices'));
    case 'none-allowed':
      throw new UserError(refusal('none-allowed'));
    case 'ambiguous':
      throw new UserError(ambiguous(chosen));
    case 'unknown':
      throw new UserError(unknownVoice(chosen.asked, chosen.suggestions));
  }
}

function cannotSpeak({ voice, words, others }: Extract<Chosen, { kind: 'cannot-speak' }>): Text {
  const what = { voice: voiceName(voice), words: { anyOf: words.slice(0, 5).map((word) => quote(word, 40)) } };
  if (others.length === 0) return text('refused.nobody-speaks', what);
  return text('refused.cannot-speak', {
    ...what,
    voices: { anyOf: others.slice(0, 3).map((other) => voiceName(other)) },
  });
}

function ambiguous({ asked, candidates, forced }: Extract<Chosen, { kind: 'ambiguous' }>): Text {
  const what = {
    voice: quote(asked, 80),
    candidates: { list: candidates.slice(0, 5).map((one) => voiceWithModel(one)) },
  };
  return forced
    ? text('refused.ambiguous-beside-forced', { ...what, forced: voiceLabel(forced) })
    : text('refused.ambiguous-voice', what);
}

function unknownVoice(asked: string, suggestions: readonly Voice[]): Text {
  const voice = quote(asked, 80);
  if (suggestions.length === 0) return text('refused.unknown-voice', { voice });
  return text('refused.unknown-voice-did-you-mean', {
    voice,
    suggestions: { anyOf: suggestions.slice(0, 3).map((one) => voiceName(one)) },
  });
}

/** Fetches the voice list again if the cached list lacks the voice, which may be new. */
export async function chooseFreshly(services: Services, orders: VoiceOrders) {
  const list = await services.voices.list();
  const chosen = chooseVoice(list.voices, orders);
  const isCertain = chosen.kind === 'chosen' && chosen.vanished.length === 0;
  if (isCertain || chosen.kind === 'cannot-speak' || chosen.kind === 'ambiguous') {
    return { ...mustBeChosen(chosen), list };
  }
  const fresh = await services.voices.refresh();
  return { ...mustBeChosen(chooseVoice(fresh.voices, orders)), list: fresh };
}

type FreshlyChosen = Awaited<ReturnType<typeof chooseFreshly>>;

/** If several voices share the name, the model of the caller's own voice decides. */
export async function voiceNamed(call: VoiceCall, asked: string): Promise<Voice> {
  const preferences = await currentPreferences(call);
  const orders = { asked, kept: unforcedVoices(preferences), rules: preferences.server };
  return (await chooseFreshly(call.services, orders)).voice;
}
