import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { withoutFaces } from './faces.ts';

/**
 * Scripts by their names in Unicode (`Kana` stands for two), with the languages (ISO 639-1) that the bot can tell apart.
 * The language with the most writers comes first.
 */
const TABLE = {
  Latin: 'en es pt fr de it id tr vi pl nl ro sv hu cs fi da no sk hr sl lt lv et sq is ca eu az tl yo af cy ga mt',
  Kana: 'ja',
  Hangul: 'ko',
  Han: 'zh ja',
  Cyrillic: 'ru uk bg sr be',
  Greek: 'el',
  Arabic: 'ar fa ur ku',
  Hebrew: 'he',
  Devanagari: 'hi mr',
  Bengali: 'bn',
  Gurmukhi: 'pa',
  Gujarati: 'gu',
  Oriya: 'or',
  Tamil: 'ta',
  Telugu: 'te',
  Kannada: 'kn',
  Malayalam: 'ml',
  Sinhala: 'si',
  Thai: 'th',
  Lao: 'lo',
  Khmer: 'km',
  Myanmar: 'my',
  Ethiopic: 'am',
  Georgian: 'ka',
  Armenian: 'hy',
} as const;

export type Script = keyof typeof TABLE;
export const SCRIPTS = Object.keys(TABLE) as readonly Script[];

const LANGUAGES = new Map<Script, readonly string[]>(SCRIPTS.map((script) => [script, TABLE[script].split(' ')]));
const LETTERS = SCRIPTS.map((script) =>
  script === 'Kana' ? /[\p{Script=Hiragana}\p{Script=Katakana}]/u : new RegExp(String.raw`\p{Script=${script}}`, 'u'),
);

export const languagesOf = (script: Script): readonly string[] => LANGUAGES.get(script) ?? [];

export const ALL_LANGUAGES: readonly string[] = [...new Set(SCRIPTS.flatMap(languagesOf))];

/** The script of each code point: 0 if not examined, 1 if unknown, else the script's index in `SCRIPTS` plus 2. */
const examined = new Uint8Array(0x20000);

function scriptOf(letter: string): Script | undefined {
  const codePoint = letter.codePointAt(0) ?? 0;
  const known = examined[codePoint] || LETTERS.findIndex((letters) => letters.test(letter)) + 2;
  examined[codePoint] = known;
  return SCRIPTS[known - 2];
}

export function lettersByScript(text: string): Map<Script, number> {
  const counts = new Map<Script, number>();
  for (const letter of text) {
    const script = scriptOf(letter);
    if (script !== undefined) counts.set(script, (counts.get(script) ?? 0) + 1);
  }
  return counts;
}

/** The script of most letters in a text. Chinese characters beside Japanese syllables count as Japanese. */
export function mainScript(text: string): Script | undefined {
  const letters = lettersByScript(text);
  const japanese = letters.get('Kana');
  if (japanese !== undefined) letters.set('Kana', japanese + (letters.get('Han') ?? 0));
  const byPlace = (one: Script, other: Script) => SCRIPTS.indexOf(one) - SCRIPTS.indexOf(other);
  return [...letters].sort(([a, one], [b, other]) => other - one || byPlace(a, b))[0]?.[0];
}

/** The characters of Shift JIS: a text with others (simplified Chinese) is not Japanese. */
function japaneseCharacters(): ReadonlySet<string> {
  const pairs = Array.from({ length: 0x7c * 0x100 }, (_, at) => [0x81 + (at >> 8), at & 0xff]).flat();
  return new Set(new TextDecoder('shift_jis').decode(Uint8Array.from(pairs)));
}

let japanese: ReadonlySet<string> | undefined;

/**
 * True if a text's Chinese characters may be kanji, and its writer's languages name Japanese before Chinese. `likely`
 * lists these languages (ISO 639-1), the likeliest first. Japanese syllables in the text do not count here.
 */
export function areKanji(words: string, likely: readonly string[]): boolean {
  const han = words.match(/\p{Script=Han}/gu);
  if (han === null || likely.find((one) => one === 'zh' || one === 'ja') !== 'ja') return false;
  japanese ??= japaneseCharacters();
  return han.every((character) => japanese?.has(character));
}

/** True if a text is mostly Chinese characters, and only its writer's languages make it Japanese. */
export const isKanjiAlone = (words: string, likely: readonly string[]): boolean =>
  areKanji(words, likely) && mainScript(words) === 'Han';

export type LanguageDetector = Awaited<ReturnType<typeof loadLanguageDetector>>;

/**
 * How much higher than a language of the writer another language must score, from 0 to 1. With 0, 8 of 61 short English
 * chat lines were taken for another language; with 0.08, none. With 0.15, one of 102 sentences in other languages was
 * taken for English; with 0.08, none.
 */
const MARGIN = 0.08;
/** How much higher another language must score than the writer's, in non-Latin scripts: Russian and Ukrainian differ by less than 0.08. */
const MARGIN_WITHIN_SCRIPT = 0.03;

/**
 * How much higher than a language of the writer an uncommon language must score, if the text has up to three words in Latin
 * script: 'Happy birthday' scores 0.13 higher as Tagalog than as English.
 */
const MARGIN_OF_FEW_WORDS = 0.15;

/** The most words of a text that may be just a greeting and a name ('Hello Anna'): names distort only short texts. */
const WORDS_OF_GREETING = 3;
/** How many Latin-script languages count as common. The detector may mistake a short text for one in a rarer language. */
const COMMON = 16;
/** In 'Hello Anna', the score that 'Hello' needs at least for its language to count, if the detector calls the result unreliable. */
const MIN_FIT = 0.8;

/** By language, letters of its script that its alphabet lacks: a text with one of them is not in that language. */
const NOT_IN: Readonly<Record<string, RegExp>> = {
  ru: /[іїєґўђјљњћџ]/iu,
  uk: /[ыэёъўђјљњћџ]/iu,
  be: /[иїєґщъђјљњћџ]/iu,
  bg: /[ыэёіїєґўђјљњћџ]/iu,
  sr: /[ыэёъщьюяйіїєґў]/iu,
  ar: /[پچژگکی]/u,
  fa: /[ةكي]/u,
};

/** Malay counts as Indonesian, because short texts do not tell them apart. More people write Indonesian. */
const SAME_AS: Readonly<Record<string, string>> = { ms: 'id' };

/** Matches speech tags, mentions, links and code. */
const NO_WORDS = /<[^>]*>|\[[^\]]*\]|`[^`]*`|https?:\/\/\S+/gu;

const wordsIn = (text: string): readonly string[] => text.match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? [];

const isPossible = (language: string, script: Script, words: string): boolean =>
  languagesOf(script).includes(language) && !NOT_IN[language]?.test(words);

const isCommon = (language: string): boolean => languagesOf('Latin').slice(0, COMMON).includes(language);

function marginOf(script: Script, best: string, words: string): number {
  if (script !== 'Latin') return MARGIN_WITHIN_SCRIPT;
  return isCommon(best) || wordsIn(words).length > WORDS_OF_GREETING ? MARGIN : MARGIN_OF_FEW_WORDS;
}

/** Returns 'Hello' for 'Hello Anna'. Undefined if the text ends with no name or is too long to be a greeting. */
function greetingIn(text: string): string | undefined {
  const words = wordsIn(text);
  if (words.length > WORDS_OF_GREETING) return undefined;
  const lowered = words.findLastIndex((word) => !/^\p{Lu}/u.test(word));
  // In a text of capitals alone, nothing shows where a name begins, so only the last word counts as one.
  const isShouted = words.every((word) => word === word.toUpperCase());
  const greeting = words.slice(0, Math.max(1, isShouted ? words.length - 1 : lowered + 1));
  return greeting.length < words.length ? greeting.join(' ') : undefined;
}

export async function loadLanguageDetector() {
  const eld = await loadCompactEld();

  function scoresOf(words: string, script: Script) {
    const result = eld.detect(words);
    const scores = new Map<string, number>();
    for (const [code, score] of Object.entries(result.getScores())) {
      const language = SAME_AS[code] ?? code;
      if (isPossible(language, script, words)) scores.set(language, Math.max(score, scores.get(language) ?? 0));
    }
    return { scores, isReliable: result.isReliable() };
  }

  /** A name distorts the scores of a short text, so the words before it must prove the language too. */
  function isMoreThanName(language: string, words: string): boolean {
    const greeting = greetingIn(words);
    if (greeting === undefined) return true;
    const { scores, isReliable } = scoresOf(greeting, 'Latin');
    const fit = scores.get(language) ?? 0;
    const isBest = [...scores.values()].every((score) => score <= fit);
    return isBest && (isReliable || fit >= MIN_FIT) && isCommon(language);
  }

  return {
    /**
     * Returns undefined if the text proves no language: it has no letters, or a few words that are usual in several.
     * `likely` lists the writer's languages, the likeliest first. They are preferred to other languages with a similar score.
     */
    detect(text: string, likely: readonly string[] = []): string | undefined {
      const words = text.replace(NO_WORDS, ' ');
      const script = mainScript(words);
      if (script === undefined) return undefined;
      const [usual, ...others] = languagesOf(script);
      if (others.length === 0) return usual;
      if (script === 'Han') return areKanji(words, likely) ? 'ja' : usual;
      const { scores, isReliable } = scoresOf(words, script);
      const possible = likely.filter((language) => isPossible(language, script, words));
      const [best] = [...scores].sort(([, one], [, other]) => other - one);
      // In non-Latin scripts, even an unreliable guess helps: only voices of the script's languages can read the text.
      if (!best || !isReliable) return script === 'Latin' ? undefined : (possible[0] ?? best?.[0] ?? usual);
      const margin = marginOf(script, best[0], words);
      const near = possible.find((language) => best[1] - (scores.get(language) ?? 0) <= margin);
      if (near !== undefined) return near;
      return script === 'Latin' && !isMoreThanName(best[0], words) ? undefined : best[0];
    },
  };
}

/** How many characters of a text are examined to detect its language: more text proves no more. */
const PROOF_CHARACTERS = 1_000;

/** Returns an ISO 639-1 code. If the text proves no language, returns the writer's likeliest one. */
export const languageOfText = async (written: string, likely: readonly string[]): Promise<string | undefined> =>
  (await provenLanguage(written, likely)) ?? likely[0];

let detector: Promise<LanguageDetector> | undefined;

export async function provenLanguage(written: string, likely: readonly string[]): Promise<string | undefined> {
  const words = withoutFaces(written.slice(0, PROOF_CHARACTERS));
  const script = mainScript(words);
  const [only, ...others] = script === undefined ? [] : languagesOf(script);
  if (only === undefined || others.length === 0) return only;
  detector ??= loadLanguageDetector();
  return (await detector).detect(words, likely);
}

/*
 * Loads the language detector of the package eld, with its table of 50,000 n-grams kept as text. Imported the package's
 * own way, the table takes 80 MB of memory and 0.2 s. These functions use the package's internal files, so package.json
 * names the exact version.
 */

interface Eld {
  detect(text: string): { getScores(): Readonly<Record<string, number>>; isReliable(): boolean };
}

interface EldModule {
  createEld(): { instance: Eld; loadData(table: { type: string; languages: object; ngrams: object }): void };
}

/** The URL of a file in the package eld, whose entry file is in its folder `src/entries`. */
const inPackage = (path: string) => new URL(`../${path}`, import.meta.resolve('eld/extrasmall'));

/** Matches an n-gram and its scores by language number in the table, such as `'x y':{11:96,40:70}`. */
const NGRAM = /(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\s{}:,'"]+)):\{([\d:,]+)\}/gu;
/** How many n-grams are read before other work may run. All of them take some 50 ms. */
const NGRAMS_IN_TURN = 1_000;
const LANGUAGE = /(\d+):'(\w+)'/gu;

export async function loadCompactEld(): Promise<Eld> {
  const [{ createEld }, source] = await Promise.all([
    import(inPackage('languageDetector.js').href) as Promise<EldModule>,
    readFile(inPackage('ngrams/extrasmall.js'), 'utf8'),
  ]);
  const [head = '', table = ''] = source.split('ngrams:{', 2);
  const languages = Object.fromEntries([...head.matchAll(LANGUAGE)].map(([, id, code]) => [id, code]));
  /** Many n-grams have equal scores, which share one string to save memory. */
  const known = new Map<string, string>();
  const scores = new Map<string, string>();
  let count = 0;
  for (const [, single, double, plain, ofLanguages = ''] of table.matchAll(NGRAM)) {
    count += 1;
    if (count % NGRAMS_IN_TURN === 0) await nextTurn();
    const key = (single ?? double ?? plain ?? '').replace(/\\(.)/gu, '$1');
    const shared = known.get(ofLanguages) ?? known.set(ofLanguages, ofLanguages).get(ofLanguages) ?? ofLanguages;
    scores.set(key, shared);
  }
  const { instance, loadData } = createEld();
  const ngrams = new Proxy({}, { get: (_, ngram) => scoresOf(scores.get(String(ngram))) });
  loadData({ type: 'XS60', languages, ngrams });
  return instance;
}

function scoresOf(text: string | undefined): Readonly<Record<string, number>> | undefined {
  return text === undefined
    ? undefined
    : Object.fromEntries(text.split(',').map((one) => one.split(':').map(Number) as [number, number]));
}
