import { mainScript } from './scripts.ts';

/** The characters of Shift JIS: what has others, such as simplified ones, is Chinese. */
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
 * Whether the Chinese characters in a text are kanji: nothing in them says so where no syllables stand beside them, but the
 * languages that its writer may use do, the likeliest first (ISO 639-1).
 */
export function areKanji(words: string, likely: readonly string[]): boolean {
  const han = words.match(/\p{Script=Han}/gu);
  return han !== null && likely.find((one) => one === 'zh' || one === 'ja') === 'ja' && mayBeKanji(han);
}

/** The same of a text that is mostly such characters, without a syllable: it is Japanese, and nothing else in it says so. */
export const isKanjiAlone = (words: string, likely: readonly string[]): boolean =>
  areKanji(words, likely) && mainScript(words) === 'Han';
