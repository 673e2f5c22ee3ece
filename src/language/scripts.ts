interface ScriptRow {
  readonly letters: RegExp;
  /** ISO 639-1 codes of the languages that are written in it, the one with the most writers first. */
  readonly languages: readonly string[];
}

/**
 * Scripts by their names in Unicode, `Kana` for both syllabaries of Japanese. Languages are those that can be told apart: of a
 * script with one language, its letters are proof enough.
 */
const SCRIPTS = {
  Latin: {
    letters: /\p{Script=Latin}/gu,
    languages:
      'en es pt fr de it id tr vi pl nl ro sv hu cs fi da no sk hr sl lt lv et sq is ca eu az tl yo af cy ga mt'.split(
        ' ',
      ),
  },
  Kana: { letters: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, languages: ['ja'] },
  Hangul: { letters: /\p{Script=Hangul}/gu, languages: ['ko'] },
  Han: { letters: /\p{Script=Han}/gu, languages: ['zh', 'ja'] },
  Cyrillic: { letters: /\p{Script=Cyrillic}/gu, languages: ['ru', 'uk', 'bg', 'sr', 'be'] },
  Greek: { letters: /\p{Script=Greek}/gu, languages: ['el'] },
  Arabic: { letters: /\p{Script=Arabic}/gu, languages: ['ar', 'fa', 'ur', 'ku'] },
  Hebrew: { letters: /\p{Script=Hebrew}/gu, languages: ['he'] },
  Devanagari: { letters: /\p{Script=Devanagari}/gu, languages: ['hi', 'mr'] },
  Bengali: { letters: /\p{Script=Bengali}/gu, languages: ['bn'] },
  Gurmukhi: { letters: /\p{Script=Gurmukhi}/gu, languages: ['pa'] },
  Gujarati: { letters: /\p{Script=Gujarati}/gu, languages: ['gu'] },
  Oriya: { letters: /\p{Script=Oriya}/gu, languages: ['or'] },
  Tamil: { letters: /\p{Script=Tamil}/gu, languages: ['ta'] },
  Telugu: { letters: /\p{Script=Telugu}/gu, languages: ['te'] },
  Kannada: { letters: /\p{Script=Kannada}/gu, languages: ['kn'] },
  Malayalam: { letters: /\p{Script=Malayalam}/gu, languages: ['ml'] },
  Sinhala: { letters: /\p{Script=Sinhala}/gu, languages: ['si'] },
  Thai: { letters: /\p{Script=Thai}/gu, languages: ['th'] },
  Lao: { letters: /\p{Script=Lao}/gu, languages: ['lo'] },
  Khmer: { letters: /\p{Script=Khmer}/gu, languages: ['km'] },
  Myanmar: { letters: /\p{Script=Myanmar}/gu, languages: ['my'] },
  Ethiopic: { letters: /\p{Script=Ethiopic}/gu, languages: ['am'] },
  Georgian: { letters: /\p{Script=Georgian}/gu, languages: ['ka'] },
  Armenian: { letters: /\p{Script=Armenian}/gu, languages: ['hy'] },
} as const satisfies Readonly<Record<string, ScriptRow>>;

export type Script = keyof typeof SCRIPTS;
const NAMES = Object.keys(SCRIPTS) as Script[];

/** The languages of a script that can be told apart, the one with the most writers first. */
export const languagesOf = (script: Script): readonly string[] => SCRIPTS[script].languages;

/** Every language that can be told apart, once. */
export const ALL_LANGUAGES: readonly string[] = [...new Set(NAMES.flatMap(languagesOf))];

/** How many letters of each script a text has; scripts without a letter in it are left out. */
export function lettersByScript(text: string): Map<Script, number> {
  const counts = NAMES.map((name) => [name, text.match(SCRIPTS[name].letters)?.length ?? 0] as const);
  return new Map(counts.filter(([, letters]) => letters > 0));
}

/** The script of most letters. A text with syllables of Japanese is Japanese, however many Chinese characters stand between. */
export function mainScript(text: string): Script | undefined {
  const letters = lettersByScript(text);
  const japanese = letters.get('Kana');
  if (japanese !== undefined) letters.set('Kana', japanese + (letters.get('Han') ?? 0));
  return [...letters].sort(([, one], [, other]) => other - one)[0]?.[0];
}
