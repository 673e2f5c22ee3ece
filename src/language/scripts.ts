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
