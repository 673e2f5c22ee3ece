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
import type { Voice } from './interface/schemas.ts';
import { nameWithModel, oneOfEachName, soundOf } from './interface/voice-names.ts';

export interface VoicePreference {
  /**
   * The model that decides between voices of the same name, usually the default voice's model. Aliases are accepted.
   */
  readonly preferredModel?: string;
}

type VoiceResolution =
  | { readonly kind: 'exact-id'; readonly voice: Voice }
  /** The search found exactly one voice: by its name, its name and model, or the preferred model. */
  | { readonly kind: 'unique'; readonly voice: Voice }
  | { readonly kind: 'ambiguous'; readonly choices: readonly Voice[] }
  | { readonly kind: 'not-found'; readonly suggestions: readonly Voice[] };

const MAX_SUGGESTIONS = 5;

interface RankOptions extends VoicePreference {
  readonly wordsOf?: (voice: Voice) => string;
}

/** Longer search texts for voices are cut, because names and models are shorter. */
const SEARCHED_CHARACTERS = 100;

/**
 * Finds the voice meant by an id, a name, or a name with its model ('anna gpro38', 'gpro38/anna', 'anna (grok)'). Exact
 * spelling wins over another case. If several models have the name, the preferred model decides, and otherwise the order
 * of the list if the voices sound alike. Chance never decides.
 */
export function resolveVoice(
  query: string,
  voices: readonly Voice[],
  preference: VoicePreference = {},
): VoiceResolution {
  const wanted = query.trim();
  const byId = voices.find((voice) => voice.id.toLowerCase() === wanted.toLowerCase());
  if (byId) return { kind: 'exact-id', voice: byId };
  const named = [withName, withNameAndModel, withLabel].map((find) => find(wanted, voices)).find((found) => found[0]);
  if (named === undefined) {
    return {
      kind: 'not-found',
      // Suggestions for an unknown voice name are computed only when shown. A script, a text in which each line begins
      // with its speaker's name, may contain fifty unknown names.
      get suggestions() {
        return suggestVoices(wanted, voices, preference);
      },
    };
  }
  const preferred = named.filter((voice) => voice.model === modelOf(preference));
  const [only, ...others] = oneOfEachName(preferred.length > 0 ? preferred : named);
  if (only && others.length === 0) return { kind: 'unique', voice: only };
  return { kind: 'ambiguous', choices: rankVoices('', named, preference) };
}

const modelOf = ({ preferredModel }: VoicePreference): string | undefined =>
  preferredModel === undefined ? undefined : canonicalModelId(preferredModel);

function withName(name: string, voices: readonly Voice[]): Voice[] {
  const exact = voices.filter((voice) => voice.name === name);
  const folded = searchable(name);
  if (exact.length > 0 || folded === '') return exact;
  return voices.filter((voice) => keysOf(voice).name === folded);
}

/** Finds voices by a name with the model before or after the name; names may contain spaces. */
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

/**
 * Finds voices by a suggestion's label. Discord clients may send the label instead of the suggestion's value, for
 * example after a channel change. If several voices have the name, the sound in the label ('female, American') decides.
 */
function withLabel(label: string, voices: readonly Voice[]): Voice[] {
  const named = voices.filter((voice) =>
    [nameWithModel(voice), voice.name].some((name) => label.startsWith(`${name} · `)),
  );
  const alike = named.filter((voice) => soundOf(voice) !== '' && label.includes(` · ${soundOf(voice)}`));
  return alike.length > 0 ? alike : named;
}

function suggestVoices(wanted: string, voices: readonly Voice[], preference: VoicePreference): Voice[] {
  const ranked = oneOfEachName(rankVoices(wanted, voices, preference));
  if (ranked.length > 0) return ranked.slice(0, MAX_SUGGESTIONS);
  const folded = searchable(wanted).slice(0, 40);
  return oneOfEachName(voices)
    .map((voice) => ({ voice, distance: editDistance(folded, keysOf(voice).name.slice(0, 40)) }))
    .filter(({ distance }) => distance <= Math.max(1, Math.floor(folded.length / 3)))
    .toSorted((a, b) => a.distance - b.distance || compare(a.voice, b.voice, preference))
    .slice(0, MAX_SUGGESTIONS)
    .map(({ voice }) => voice);
}

/**
 * Finds voices by typed text or an id, best first. Every word must match the name, the model, the language, the gender,
 * the accent, or what `wordsOf` adds. Without text, voices of the preferred model come first.
 */
export function rankVoices(
  query: string,
  voices: readonly Voice[],
  { wordsOf, ...preference }: RankOptions = {},
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
  // Beginnings of language names are tried last: 'kore' does not mean Korean if a voice is called Kore.
  return (found.length > 0 ? found : fitting(false))
    .sort((a, b) => b.score - a.score || compare(a.voice, b.voice, preference))
    .map(({ voice }) => voice);
}

/** Rates how well a typed word matches a voice; 0 for no match. The name counts most, then the model, then other words. */
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

/** Points for a typed word (or, unless `isWhole`, a word's beginning) that names one of the voice's other languages. */
function spoken(word: string, { spoken }: Keys, isWhole: boolean): number {
  const fits = isWhole ? spoken.has(word) : [...spoken].some((part) => part.startsWith(word));
  return fits ? 15 : 0;
}

/** The collator is created at first use, because it takes 2 MB. */
let byName: Intl.Collator | undefined;

function compare(a: Voice, b: Voice, preference: VoicePreference): number {
  const preferred = modelOf(preference);
  byName ??= new Intl.Collator('en', { numeric: true });
  return (
    Number(b.model === preferred) - Number(a.model === preferred) ||
    byName.compare(a.name, b.name) ||
    byName.compare(a.model, b.model) ||
    (a.id < b.id ? -1 : 1)
  );
}

/** A voice's search words, cached because catalogs have thousands of voices and suggestions must be fast. */
interface Keys {
  readonly id: string;
  readonly name: string;
  readonly models: readonly string[];
  /** Search words for the voice's language, gender and accent. */
  readonly others: readonly string[];
  readonly spoken: ReadonlySet<string>;
}
const keysByVoice = new WeakMap<Voice, Keys>();

function keysOf(voice: Voice): Keys {
  const known = keysByVoice.get(voice);
  if (known) return known;
  // A multilingual voice without a list of languages is found by the most common languages.
  const { languages = voice.language === ANY_LANGUAGE ? COMMON_LANGUAGES : [] } = voice;
  const model = searchable(voice.model);
  const keys = {
    id: voice.id.toLowerCase(),
    name: searchable(voice.name),
    models: model === 'ext' ? [model, 'grok'] : [model],
    others: [...languageWords(voice.language), ...wordsIn(`${voice.gender ?? ''} ${voice.accent ?? ''}`)],
    spoken: wordsOfLanguages(languages.join()),
  };
  keysByVoice.set(voice, keys);
  return keys;
}

const wordsIn = (text: string): readonly string[] =>
  searchable(text)
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '');

/**
 * Voices are found by language names in the languages of the bot's messages: 'alemán' and 'Deutsch' find the same
 * voices.
 */
const LANGUAGES_OF_TEXTS = ['en', 'es', 'de'];
/** Shorter words of a language's name ('de Brasil') are skipped, because they could be another language's code. */
const NAME_CHARACTERS = 4;

/**
 * The search words of a voice's language label: 'en-GB 🇬🇧' is found by 'en-gb', 'en', 'gb', 'british', 'english',
 * 'englisch' and 'inglés'.
 */
const languageWords = remembering((label): readonly string[] => {
  const tag = tagOfLabel(label) ?? '';
  const parts = [...searchable(label).split(/[^\p{L}\p{N}-]+/u), ...searchable(tag).split('-')];
  const words = new Set([...parts, ...languageNames(tag), ...languageNames(tag.split('-')[0] ?? '')]);
  words.delete('');
  return [...words];
});

/** The search words of a list of languages, cached by the whole list, because many voices share a list. */
const wordsOfLanguages = remembering(
  (listed) => new Set(listed.split(',').flatMap((code) => [searchable(code), ...languageNames(code)])),
);

const languageNames = remembering((code): readonly string[] => {
  const tag = tagOfLabel(code);
  if (tag === undefined) return [];
  const names = LANGUAGES_OF_TEXTS.map((locale) => searchable(languageNamesIn(locale).of(tag) ?? ''));
  return names.flatMap((name) => name.split(/[^\p{L}-]+/u)).filter((word) => word.length >= NAME_CHARACTERS);
});
