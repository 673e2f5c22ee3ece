import { foldCase } from './readable/word-borders.ts';

/** A letter of a text, and the letters that it may stand for. */
export interface Letter {
  readonly options: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** Signs used in place of the letter they resemble. Only within words: '455' and '!' stay as they are. */
const LOOKS_LIKE: Readonly<Record<string, readonly string[]>> = {
  ...{ '0': ['o'], '1': ['i', 'l'], '3': ['e'], '4': ['a'], '5': ['s'], '7': ['t'], '8': ['b'] },
  ...{ '@': ['a'], $: ['s'], '!': ['i'], '€': ['e'], '|': ['i', 'l'] },
};

/** At the end of a word these are ordinary punctuation. */
const ENDS_A_CRY = /[!|]/u;

/** Cyrillic and Greek letters that look Latin, for words that mix the alphabets. */
const LATIN_LOOK: Readonly<Record<string, string>> = {
  ...{ а: 'a', в: 'b', е: 'e', ё: 'e', к: 'k', м: 'm', н: 'h', о: 'o', р: 'p', с: 'c', т: 't', у: 'y', х: 'x' },
  ...{ і: 'i', ї: 'i', ј: 'j', ѕ: 's', ԁ: 'd', α: 'a', β: 'b', ε: 'e', ι: 'i', κ: 'k', ν: 'v', ο: 'o' },
  ...{ ρ: 'p', τ: 't', υ: 'u', χ: 'x' },
};

/**
 * By small capitals, and by Latin letters with hooks or strokes that stand for nothing else: the letter. Not the letters of
 * their own of many languages: 'høre' is no 'hore'.
 */
const LATIN_VARIANTS: ReadonlyMap<string, string> = new Map(
  [
    ...['aɑⱥᴀ', 'bƀʙ', 'cƈȼᴄ', 'dɖᴅ', 'eɇᴇ', 'fƒꜰ', 'gɠɡɢ', 'hɦⱨʜ', 'iɨɩɪ', 'jɉᴊ', 'kⱪꝁᴋ', 'lɫɬƚⱡʟ', 'mɱᴍ', 'nɲɳɴ'],
    ...['oɵᴏ', 'pƥᴘ', 'qʠɋ', 'rɍɽɾʀ', 'sʂꞩꜱ', 'tƭʈⱦᴛ', 'uʉᴜ', 'vᴠ', 'wⱳᴡ', 'yɏʏ', 'zƶȥʐⱬᴢ'],
  ].flatMap(([letter = '', ...variants]) => variants.map((variant) => [variant, letter] as const)),
);

/** Accents, which many authors omit; not the vowels of Indic scripts or the points of Hebrew. */
const ACCENTS = /[\u0300-\u036F]/gu;
const SIGNS = '@$!€|';
const PART = String.raw`[\p{L}\p{M}\p{N}${SIGNS}]+`;
const WORD = new RegExp(PART, 'gu');
/** 's.h.i.t' or 's h i t': single letters with the same sign between each two of them. */
const SPELLED_OUT = new RegExp(
  String.raw`(?<![\p{L}\p{M}\p{N}])[\p{L}${SIGNS}](?<between>[\s.,\-_*+/·•~]{1,3})[\p{L}\p{N}${SIGNS}](?:\k<between>[\p{L}\p{N}${SIGNS}])+(?![\p{L}\p{M}\p{N}])`,
  'gu',
);
export const APOSTROPHES = "'’´`ʼ";
/**
 * 'stu'pid' or 'ton_to': parts of a word, with signs between their letters; after dashes, commas, several dots and the end of a
 * sentence ('an.Alles') a new word begins.
 */
const INSIDE = String.raw`(?<=[\p{L}\p{M}])[${APOSTROPHES}_\-‐‑.*+^~·•]{1,3}(?<!\.\.)(?!(?<=\.)\p{Lu}\p{Ll})(?=\p{L})`;
// Not tried anew from each letter of a word.
const BROKEN = new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}${SIGNS}])${PART}(?:${INSIDE}${PART})+`, 'gu');
const SEPARATOR = /[\s.,\-_*+/·•~]/u;

const foldedBefore = new Map<string, readonly string[]>();
/** More than the letters of a few languages. */
const MOST_FOLDED = 2_000;

/** The letters that a character is searched as. Those that were looked up are kept: a text has few, many times. */
function fold(codePoint: string): readonly string[] {
  const known = foldedBefore.get(codePoint);
  if (known) return known;
  const plain = [...foldCase(codePoint.normalize('NFD').replaceAll(ACCENTS, ''))];
  const letters = plain.map((letter) => LATIN_VARIANTS.get(letter) ?? letter);
  if (foldedBefore.size < MOST_FOLDED) foldedBefore.set(codePoint, letters);
  return letters;
}

/**
 * Of a rule: what stands between two of its words. In a text, anything that is no letter may. Between numbers, signs tell more
 * than a gap does ('9/11' is not '9, 11', nor '8=D' '8: D'), and some belong to their word ('c++', 'C#').
 */
export const GAP = ' ';
const BETWEEN_WORDS = new RegExp(String.raw`(?<=[\p{L}\p{M}])[^\p{L}\p{M}\p{N}${SIGNS}+#]+(?=\p{L})|\s+`, 'gu');

/** Whether a letter of a text may stand between two words, however many of these do: 'bad, apple', 'bad!\napple'. */
export const isGap = (letter: Letter | undefined): boolean =>
  letter !== undefined && /^[^\p{L}\p{M}\p{N}]/u.test(letter.options[0] ?? '');

/** The letters of a blocked word itself, without substitutions for signs. */
export function ruleLetters(word: string): string[] {
  return [...word.normalize('NFC').replaceAll(BETWEEN_WORDS, GAP).trim()].flatMap(fold);
}

/** The letters of a text; characters between its words stand for themselves. */
export function lettersOf(text: string): Letter[] {
  const letters: Letter[] = [];
  let end = 0;
  const between = (until: number) => {
    for (const sign of text.slice(end, until)) {
      letters.push({ options: [sign], start: end, end: end + sign.length });
      end += sign.length;
    }
  };
  for (const match of text.matchAll(WORD)) {
    between(match.index);
    // Too many for the arguments of one call, perhaps.
    for (const letter of lettersOfWord(match[0], match.index)) letters.push(letter);
    end = match.index + match[0].length;
  }
  between(text.length);
  return letters;
}

/** Spelled-out words, each as its letters without the separators. */
export function spelledOut(text: string): Letter[][] {
  return [...text.matchAll(SPELLED_OUT)].map((match) =>
    lettersOfWord(match[0], match.index).filter(({ options }) => !options.some((option) => SEPARATOR.test(option))),
  );
}

/** Words with signs inside, each as the letters of its parts without those signs. */
export function brokenWords(text: string): Letter[][][] {
  return [...text.matchAll(BROKEN)].map((broken) =>
    [...broken[0].matchAll(WORD)].map((part) => lettersOfWord(part[0], broken.index + part.index)),
  );
}

function lettersOfWord(word: string, offset: number): Letter[] {
  const hasLetters = /\p{L}/u.test(word);
  const mixed = /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
  const letters: { options: readonly string[]; start: number; end: number }[] = [];
  let start = offset;
  for (const codePoint of word) {
    const end = start + codePoint.length;
    const folded = fold(codePoint);
    const [first = ''] = folded;
    const last = letters.at(-1);
    // An accent that does not compose belongs to the letter before it.
    if (folded.length === 0 && last) last.end = end;
    if (folded.length === 1) {
      const atEnd = end === offset + word.length;
      const looks = hasLetters && !(atEnd && ENDS_A_CRY.test(first)) ? (LOOKS_LIKE[first] ?? []) : [];
      const latin = mixed ? LATIN_LOOK[first] : undefined;
      letters.push({ options: [first, ...looks, ...(latin === undefined ? [] : [latin])], start, end });
    } else for (const letter of folded) letters.push({ options: [letter], start, end });
    start = end;
  }
  return letters;
}
