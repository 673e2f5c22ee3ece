import { editDistance } from '../process/nearest-word.ts';
import {
  ANY_LANGUAGE,
  COMMON_LANGUAGES,
  languageNamesIn,
  remembering,
  searchable,
  tagOfLabel,
} from './interface/languages.ts';
import { canonicalModelId } from './interface/models.ts';
import { nameWithModel, oneOfEachName, soundOf, type Voice } from './interface/schemas.ts';

/** A text that names several voices, or none. */
export type UnclearVoice =
  | { readonly kind: 'ambiguous'; readonly asked: string; readonly candidates: readonly Voice[] }
  | { readonly kind: 'unknown'; readonly asked: string; readonly suggestions: readonly Voice[] };

/** 'unique': exactly one voice was found by its id, its name, its name and model, or its name and the preferred model. */
type VoiceResolution = { readonly kind: 'unique'; readonly voice: Voice } | UnclearVoice;

const MAX_SUGGESTIONS = 5;

/** Search texts for voices are cut to this length, because names and models are shorter. */
const SEARCHED_CHARACTERS = 100;

/**
 * Finds a voice by its id, its name, or its name and model ('anna gpro38', 'gpro38/anna'). Exact spelling is preferred,
 * and then the preferred model, usually the default voice's. If voices sound alike, the list's first voice is chosen.
 */
export function resolveVoice(asked: string, voices: readonly Voice[], preferredModel?: string): VoiceResolution {
  const wanted = asked.trim();
  const byId = voices.find((voice) => voice.id.toLowerCase() === wanted.toLowerCase());
  if (byId) return { kind: 'unique', voice: byId };
  const named = [withName, withNameAndModel, withLabel].map((find) => find(wanted, voices)).find((found) => found[0]);
  if (named === undefined) {
    return {
      kind: 'unknown',
      asked,
      // Suggestions are computed only when shown, because a member's text may name fifty unknown voices.
      get suggestions() {
        return suggestVoices(wanted, voices, preferredModel);
      },
    };
  }
  const preferredId = preferredModel && canonicalModelId(preferredModel);
  const preferred = named.filter(({ model }) => model === preferredId);
  const [only, ...others] = oneOfEachName(preferred.length > 0 ? preferred : named);
  if (only && others.length === 0) return { kind: 'unique', voice: only };
  return { kind: 'ambiguous', asked, candidates: rankVoices('', named, { preferredModel }) };
}

function withName(name: string, voices: readonly Voice[]): Voice[] {
  const exact = voices.filter((voice) => voice.name === name);
  const folded = searchable(name);
  if (exact.length > 0 || folded === '') return exact;
  return voices.filter((voice) => keysOf(voice).name === folded);
}

/** The model may stand before or after the voice's name; names may contain spaces. */
function withNameAndModel(query: string, voices: readonly Voice[]): Voice[] {
  const words = query.split(/[\s/@:()]+/).filter((word) => word !== '');
  const ofModel = (model = '', name: readonly string[] = []) => {
    const id = canonicalModelId(model).toLowerCase();
    const family = voices.filter((voice) => voice.model.toLowerCase() === id);
    return withName(name.join(' '), family);
  };
  const found = ofModel(words.at(-1), words.slice(0, -1));
  return found.length > 0 ? found : ofModel(words[0], words.slice(1));
}

/** Discord clients may send a suggestion's label instead of its value, for example after a channel change. */
function withLabel(label: string, voices: readonly Voice[]): Voice[] {
  const named = voices.filter((voice) =>
    [nameWithModel(voice), voice.name].some((name) => label.startsWith(`${name} · `)),
  );
  const alike = named.filter((voice) => soundOf(voice) !== '' && label.includes(` · ${soundOf(voice)}`));
  return alike.length > 0 ? alike : named;
}

function suggestVoices(wanted: string, voices: readonly Voice[], preferredModel?: string): Voice[] {
  const ranked = oneOfEachName(rankVoices(wanted, voices, { preferredModel }));
  if (ranked.length > 0) return ranked.slice(0, MAX_SUGGESTIONS);
  const folded = searchable(wanted).slice(0, 40);
  return oneOfEachName(voices)
    .map((voice) => ({ voice, distance: editDistance(folded, keysOf(voice).name.slice(0, 40)) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(folded.length / 3)))
    .toSorted((a, b) => a.distance - b.distance || compare(a.voice, b.voice, preferredModel))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ voice }) => voice);
}

/** Every word must match the name, model, language, gender or accent, or a word that `wordsOf` adds. */
export function rankVoices(
  query: string,
  voices: readonly Voice[],
  { preferredModel, wordsOf }: { readonly preferredModel?: string; readonly wordsOf?: (voice: Voice) => string } = {},
): Voice[] {
  const typed = searchable(query.slice(0, SEARCHED_CHARACTERS)).split(/[\s/@:(),]+/);
  const words = [...new Set(typed)].filter((word) => word !== '');
  const fitting = (isWhole: boolean) =>
    voices.flatMap((voice) => {
      const keys = keysOf(voice);
      const added = wordsOf === undefined || words.length === 0 ? [] : wordsIn(wordsOf(voice));
      const points = words.map((word) => match(word, keys, added) || spoken(word, keys, isWhole));
      return points.includes(0) ? [] : [{ voice, score: points.reduce((sum, one) => sum + one, 0) }];
    });
  const found = fitting(true);
  // The beginning of a language's name is enough only if nothing else matches: 'kore' finds Korean voices unless a voice is named Kore.
  return (found.length > 0 ? found : fitting(false))
    .sort((a, b) => b.score - a.score || compare(a.voice, b.voice, preferredModel))
    .map(({ voice }) => voice);
}

function match(word: string, { id, name, models, others }: Keys, added: readonly string[]): number {
  const more = added.length === 0 ? others : [...others, ...added];
  if (name === word) return 100;
  if (name.startsWith(word)) return 80;
  if (name.includes(` ${word}`) || name.includes(`-${word}`)) return 70;
  if (models.includes(word)) return 60;
  if (models.some((model) => model.startsWith(word))) return 50;
  if (more.includes(word)) return 45;
  if (word.length > 1 && name.includes(word)) return 40;
  if (word.length > 1 && more.some((part) => part.startsWith(word))) return 30;
  return word.length >= 8 && id.startsWith(word) ? 20 : 0;
}

/** Points for a search word that names a language of the voice. Without `isWhole`, the start of the language's name or code is enough. */
function spoken(word: string, { spoken }: Keys, isWhole: boolean): number {
  const fits = isWhole ? spoken.has(word) : [...spoken].some((part) => part.startsWith(word));
  return fits ? 15 : 0;
}

/** The collator takes 2 MB, so it is created at first use. */
let byName: Intl.Collator | undefined;

function compare(a: Voice, b: Voice, preferredModel = ''): number {
  const preferred = canonicalModelId(preferredModel);
  byName ??= new Intl.Collator('en', { numeric: true });
  return (
    Number(b.model === preferred) - Number(a.model === preferred) ||
    byName.compare(a.name, b.name) ||
    byName.compare(a.model, b.model) ||
    (a.id < b.id ? -1 : 1)
  );
}

type Keys = ReturnType<typeof makeKeys>;
/** A voice's search words are cached, because there may be thousands of voices and suggestions must be fast. */
const keysByVoice = new WeakMap<Voice, Keys>();

function keysOf(voice: Voice): Keys {
  const keys = keysByVoice.get(voice) ?? makeKeys(voice);
  keysByVoice.set(voice, keys);
  return keys;
}

function makeKeys(voice: Voice) {
  // A multilingual voice without a list of languages is found by the most common languages.
  const { languages = voice.language === ANY_LANGUAGE ? COMMON_LANGUAGES : [] } = voice;
  const model = searchable(voice.model);
  return {
    id: voice.id.toLowerCase(),
    name: searchable(voice.name),
    models: model === 'ext' ? [model, 'grok'] : [model],
    others: [...languageWords(voice.language), ...wordsIn(`${voice.gender ?? ''} ${voice.accent ?? ''}`)],
    spoken: wordsOfLanguages(languages.join()),
  };
}

const wordsIn = (text: string): readonly string[] =>
  searchable(text)
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');

/** Voices are found by language names in all languages of the bot's messages: 'alemán' means the same as 'Deutsch'. */
const LANGUAGES_OF_TEXTS = ['en', 'es', 'de'];
/** Minimum length of a search word from a language's name: 'de' in 'portugués de Brasil' could be another language's code. */
const NAME_CHARACTERS = 4;

/** A voice labeled 'en-GB 🇬🇧' is found by 'en-gb', 'en', 'gb', 'british', 'english', 'englisch' and 'inglés'. */
const languageWords = remembering((label): readonly string[] => {
  const tag = tagOfLabel(label) ?? '';
  const parts = [...searchable(label).split(/[^\p{L}\p{N}-]+/u), ...searchable(tag).split('-')];
  const words = new Set([...parts, ...languageNames(tag), ...languageNames(tag.split('-')[0] ?? '')]);
  words.delete('');
  return [...words];
});

/** Search words are cached by the whole list of languages, because many voices have the same list. */
const wordsOfLanguages = remembering(
  (listed) => new Set(listed.split(',').flatMap((code) => [searchable(code), ...languageNames(code)])),
);

const languageNames = remembering((code): readonly string[] => {
  const tag = tagOfLabel(code);
  if (tag === undefined) return [];
  const names = LANGUAGES_OF_TEXTS.map((locale) => searchable(languageNamesIn(locale).of(tag) ?? ''));
  return names.flatMap((name) => name.split(/[^\p{L}-]+/u)).filter((word) => word.length >= NAME_CHARACTERS);
});
