import type { ApplicationCommandOptionChoiceData, BaseInteraction, ChatInputCommandInteraction } from 'discord.js';
import { DISCORD_LIMITS, quote, voiceLabel, voiceName, voiceWithModel } from '../../discord/replies/layout.ts';
import { refusal, UserError } from '../../errors/user-errors.ts';
import type { LanguageVoice, VoiceChoice } from '../../services/servers/server-settings.ts';
import {
  availablePreferences,
  isAllowed,
  keptPreferences,
  keptVoices,
  SPOKEN_LANGUAGES,
  speaksLanguage,
  unforcedVoices,
  type VoiceRules,
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
import type { CompletionCall, Services } from '../framework/command.ts';
import { autocompleteOption, choiceOption, numberOption, stringOption } from '../framework/options.ts';

/** The style counts toward some models' limit on the text's length. */
const STYLE_CHARACTERS = 200;

export const MANNER_OPTIONS = [
  stringOption('style', 'say.style', STYLE_CHARACTERS),
  numberOption('speed', 'say.speed', NUMBER_RANGES.speed),
  numberOption('temperature', 'say.temperature', NUMBER_RANGES.temperature),
];

export const SPEECH_OPTIONS = [
  ...MANNER_OPTIONS,
  numberOption('seed', 'say.seed', NUMBER_RANGES.seed),
  choiceOption('format', 'say.format', RESPONSE_FORMATS),
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
  const issues = requestIssues(request);
  if (issues.length === 0) return;
  if (!issues.some(({ problem }) => problem === 'unsupported')) throw new UserError(text('speech.invalid-request'));
  const format: string = request.responseFormat ?? '';
  const makers = usable.filter((other) => formatsOf(listedVoice(other)).includes(format));
  const models = makers.length > 0 ? { anyOf: modelNames(makers) } : 'none';
  const formats = formatList(formatsOf(listedVoice(voice)));
  throw new UserError(text('refused.format', { voice: voiceName(voice), formats, format, models }));
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
  return formats.every((format) => family.formats.some((known) => known === format)) ? family.formats[0] : undefined;
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

export const voiceOption = (description: PlainTextKey) => autocompleteOption('voice', description);

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

export const chosenVoiceLabel = (choice: VoiceChoice, rules: VoiceRules): Text =>
  isAllowed(choice, rules) ? voiceLabel(choice) : text('setting.not-allowed', { voice: voiceLabel(choice) });

export const languageVoiceLabel = (choice: LanguageVoice, rules: VoiceRules = {}): Text =>
  text('lines.pair', { name: { language: choice.language }, value: chosenVoiceLabel(choice, rules) });

const LANGUAGES = SPOKEN_LANGUAGES.map((language) => ({ name: { language }, value: language }));

export const languageOption = (description: PlainTextKey) => choiceOption('language', description, LANGUAGES);

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

export function mustBeChosen(chosen: Chosen) {
  if (chosen.kind !== 'chosen') throw new UserError(whyNotChosen(chosen));
  return chosen;
}

function whyNotChosen(chosen: Exclude<Chosen, { kind: 'chosen' }>): Text {
  switch (chosen.kind) {
    case 'not-allowed':
      return text('refused.voice-not-allowed', { voice: voiceWithModel(chosen.voice) });
    case 'no-voices':
    case 'none-allowed':
      return refusal(chosen.kind);
    case 'cannot-speak': {
      const words = { anyOf: chosen.words.slice(0, 5).map((word) => quote(word, 40)) };
      const what = { voice: voiceName(chosen.voice), words };
      if (chosen.others.length === 0) return text('refused.nobody-speaks', what);
      const voices = { anyOf: chosen.others.slice(0, 3).map((other) => voiceName(other)) };
      return text('refused.cannot-speak', { ...what, voices });
    }
    case 'ambiguous': {
      const { asked, candidates, forced } = chosen;
      const list = candidates.slice(0, 5).map((one) => voiceWithModel(one));
      const what = { voice: quote(asked, 80), candidates: { list } };
      return forced
        ? text('refused.ambiguous-beside-forced', { ...what, forced: voiceLabel(forced) })
        : text('refused.ambiguous-voice', what);
    }
    case 'unknown': {
      const voice = quote(chosen.asked, 80);
      const suggestions = { anyOf: chosen.suggestions.slice(0, 3).map((one) => voiceName(one)) };
      return suggestions.anyOf.length === 0
        ? text('refused.unknown-voice', { voice })
        : text('refused.unknown-voice-did-you-mean', { voice, suggestions });
    }
  }
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

/** If several voices share the name, the model of the caller's own voice decides. */
export async function voiceNamed(call: VoiceCall, asked: string): Promise<Voice> {
  const preferences = await currentPreferences(call);
  const orders = { asked, kept: unforcedVoices(preferences), rules: preferences.server };
  return (await chooseFreshly(call.services, orders)).voice;
}
