import { quote } from '../../discord/replies/quote.ts';
import { UserError } from '../../errors/user-errors.ts';
import { canonicalModelId } from '../../speech/interface/models.ts';
import type { Voice } from '../../speech/interface/schemas.ts';
import { ANY_LANGUAGE, languageLabel, languageNamed, voicesThatSpeak } from '../../speech/voice-languages.ts';
import { rankVoices } from '../../speech/voice-search.ts';
import { render, text } from '../../texts/catalogue.ts';

/** Which voices a list shows, and which page of them. Small enough to stand in the custom id of a button. */
export interface VoiceFilter {
  /** From 0. */
  readonly page: number;
  readonly model: string;
  /** A label of the list, or a language tag. */
  readonly language: string;
  readonly search: string;
}

export const NO_FILTER: VoiceFilter = { page: 0, model: '', language: '', search: '' };

/** A voice's id has to fit into a custom id, behind the name of a control. */
export const VOICE_ID_CHARACTERS = 80;

/** Together with the ids of models and languages this stays below the 100 characters of a custom id. */
export const SEARCH_CHARACTERS = 30;
export const MODEL_CHARACTERS = 25;
export const LANGUAGE_CHARACTERS = 20;
const SEPARATOR = '|';

export function writeFilter({ page, model, language, search }: VoiceFilter): string {
  return [
    page,
    clean(model, MODEL_CHARACTERS),
    clean(language, LANGUAGE_CHARACTERS),
    clean(search, SEARCH_CHARACTERS),
  ].join(SEPARATOR);
}

function clean(words: string, characters: number): string {
  return words.replaceAll(SEPARATOR, ' ').slice(0, characters).toWellFormed();
}

/** Whatever is sent: what makes no sense is no filter. */
export function readFilter(argument: string): VoiceFilter {
  const [page = '', model = '', language = '', search = ''] = argument.split(SEPARATOR);
  return { page: Math.max(0, Number.parseInt(page, 10) || 0), model, language, search };
}

/** The voices that pass, best matches first. */
export function filterVoices(voices: readonly Voice[], { model, language, search }: VoiceFilter): readonly Voice[] {
  const speaking = language === '' ? voices : voicesThatSpeak(language, voices);
  const passing = speaking.filter((voice) => model === '' || voice.model === model);
  return search === '' ? passing : rankVoices(search, passing, { limit: passing.length });
}

/**
 * The filter with a model and a language that the voices have, whatever they were called; refuses what there is not, or is
 * only among `all`, of which the server does not allow all.
 */
export function understood(
  filter: VoiceFilter,
  {
    voices,
    all,
    locale,
  }: { readonly voices: readonly Voice[]; readonly all: readonly Voice[]; readonly locale: string },
): VoiceFilter {
  const { model: modelNamed, language: languageTyped } = filter;
  const id = canonicalModelId(modelNamed).toLowerCase();
  const isOfModel = (voice: Voice) => voice.model.toLowerCase() === id;
  const model = id === '' ? '' : voices.find(isOfModel)?.model;
  if (model === undefined) {
    const key = all.some(isOfModel) ? 'voices.model-not-allowed' : 'voices.unknown-model';
    throw new UserError(text(key, { model: quote(modelNamed, 100) }));
  }
  const languages = labelsOf(voices);
  const language =
    languageTyped === ''
      ? ''
      : (languages.find((one) => languageWords(one, locale) === languageTyped) ??
        languageNamed(languageTyped, languages, locale));
  if (language === undefined) {
    throw new UserError(text('voices.unknown-language', { language: quote(languageTyped, 100) }));
  }
  const { search } = filter;
  const meant = language === '' && search !== '' ? languageNamed(search, languages, locale) : undefined;
  // A search for 'german' means the language, and finds voices of any language too, where no name or model is like it.
  if (meant === undefined || isLikeName(search, voices)) return { ...filter, model, language };
  return { ...filter, model, language: meant, search: '' };
}

const isLikeName = (search: string, voices: readonly Voice[]): boolean =>
  rankVoices(
    search,
    voices.map((voice) => ({ ...voice, language: '', languages: undefined })),
    { limit: 1 },
  ).length > 0;

const labelsOf = (voices: readonly Voice[]): string[] => [...new Set(voices.map(({ language }) => language))];

/** As a language is offered. */
export const languageWords = (language: string, locale: string): string =>
  language === ANY_LANGUAGE ? render(text('voices.any-language'), locale) : languageLabel(language, locale);

/** Values in use with how many voices have them, the most frequent first. */
export function tally(voices: readonly Voice[], field: 'model' | 'language'): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const voice of voices) counts.set(voice[field], (counts.get(voice[field]) ?? 0) + 1);
  return [...counts].sort(([a, inA], [b, inB]) => inB - inA || a.localeCompare(b));
}
