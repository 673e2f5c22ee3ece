interface ScriptRow {
  readonly letters: RegExp;
  /** ISO 639-1 codes of the languages written in a script. The language with the most writers comes first. */
  readonly languages: readonly string[];
}

/** Scripts by their names in Unicode (`Kana` stands for two), and the languages that the bot can tell apart. */
const TABLE = {
  Latin: {
    letters: /\p{Script=Latin}/u,
    languages:
      'en es pt fr de it id tr vi pl nl ro sv hu cs fi da no sk hr sl lt lv et sq is ca eu az tl yo af cy ga mt'.split(
        ' ',
      ),
  },
  Kana: { letters: /[\p{Script=Hiragana}\p{Script=Katakana}]/u, languages: ['ja'] },
  Hangul: { letters: /\p{Script=Hangul}/u, languages: ['ko'] },
  Han: { letters: /\p{Script=Han}/u, languages: ['zh', 'ja'] },
  Cyrillic: { letters: /\p{Script=Cyrillic}/u, languages: ['ru', 'uk', 'bg', 'sr', 'be'] },
  Greek: { letters: /\p{Script=Greek}/u, languages: ['el'] },
  Arabic: { letters: /\p{Script=Arabic}/u, languages: ['ar', 'fa', 'ur', 'ku'] },
  Hebrew: { letters: /\p{Script=Hebrew}/u, languages: ['he'] },
  Devanagari: { letters: /\p{Script=Devanagari}/u, languages: ['hi', 'mr'] },
  Bengali: { letters: /\p{Script=Bengali}/u, languages: ['bn'] },
  Gurmukhi: { letters: /\p{Script=Gurmukhi}/u, languages: ['pa'] },
  Gujarati: { letters: /\p{Script=Gujarati}/u, languages: ['gu'] },
  Oriya: { letters: /\p{Script=Oriya}/u, languages: ['or'] },
  Tamil: { letters: /\p{Script=Tamil}/u, languages: ['ta'] },
  Telugu: { letters: /\p{Script=Telugu}/u, languages: ['te'] },
  Kannada: { letters: /\p{Script=Kannada}/u, languages: ['kn'] },
  Malayalam: { letters: /\p{Script=Malayalam}/u, languages: ['ml'] },
  Sinhala: { letters: /\p{Script=Sinhala}/u, languages: ['si'] },
  Thai: { letters: /\p{Script=Thai}/u, languages: ['th'] },
  Lao: { letters: /\p{Script=Lao}/u, languages: ['lo'] },
  Khmer: { letters: /\p{Script=Khmer}/u, languages: ['km'] },
  Myanmar: { letters: /\p{Script=Myanmar}/u, languages: ['my'] },
  Ethiopic: { letters: /\p{Script=Ethiopic}/u, languages: ['am'] },
  Georgian: { letters: /\p{Script=Georgian}/u, languages: ['ka'] },
  Armenian: { letters: /\p{Script=Armenian}/u, languages: ['hy'] },
} as const satisfies Readonly<Record<string, ScriptRow>>;

export type Script = keyof typeof TABLE;
export const SCRIPTS = Object.keys(TABLE) as readonly Script[];

export const languagesOf = (script: Script): readonly string[] => TABLE[script].languages;

export const ALL_LANGUAGES: readonly string[] = [...new Set(SCRIPTS.flatMap(languagesOf))];

/** The script of each code point: 0 if not examined, 1 if unknown, else the script's index in `SCRIPTS` plus 2. */
const examined = new Uint8Array(0x20000);

function scriptOf(letter: string): Script | undefined {
  const codePoint = letter.codePointAt(0) ?? 0;
  const known = examined[codePoint] || SCRIPTS.findIndex((name) => TABLE[name].letters.test(letter)) + 2;
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

function mayBeKanji(han: readonly string[]): boolean {
  japanese ??= japaneseCharacters();
  const known = japanese;
  return han.every((character) => known.has(character));
}

/**
 * True if a text's Chinese characters may be kanji, and its writer's languages name Japanese before Chinese. `likely`
 * lists these languages (ISO 639-1), the likeliest first. Japanese syllables in the text do not count here.
 */
export function areKanji(words: string, likely: readonly string[]): boolean {
  const han = words.match(/\p{Script=Han}/gu);
  return han !== null && likely.find((one) => one === 'zh' || one === 'ja') === 'ja' && mayBeKanji(han);
}

/** True if a text is mostly Chinese characters, and only its writer's languages make it Japanese. */
export const isKanjiAlone = (words: string, likely: readonly string[]): boolean =>
  areKanji(words, likely) && mainScript(words) === 'Han';
