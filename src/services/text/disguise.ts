import { atWordBorder, foldCase } from './readable/word-borders.ts';

/*
 * What a text may be meant to say: its letters without case, accents and disguise, each with its place in the text.
 */

/** A text, or some words of it, to be searched for words. By unit of the letters, where it stands in the text. */
export interface Reading {
  /** As they are written, then with signs read as the letters that they resemble; no two alike. */
  readonly variants: readonly string[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** By offset in the text, the last place at or before it where a word may begin, and the next one where a word may end. */
  readonly wordStart: Int32Array;
  readonly wordEnd: Int32Array;
}

/** By its first character, the second one of each pair. */
const pairs = (written: string): Readonly<Record<string, string>> =>
  Object.fromEntries(written.split(' ').map((pair) => [...pair]));

/** Signs used in place of a letter. Within words only: '455' and '!' stay as they are. '1' and '|' are an i or an l. */
const LOOKS_LIKE = pairs('0o 1i 3e 4a 5s 7t 8b @a $s !i €e |i');
const LOOKS_LIKE_L = /[1|]/u;

/** At the end of a word these are ordinary punctuation. */
const ENDS_A_CRY = /[!|]/u;

/** Cyrillic and Greek letters that look Latin, for words that mix the alphabets. */
const LATIN_LOOK = pairs('аa вb еe ёe кk мm нh оo рp сc тt уy хx іi їi јj ѕs ԁd αa βb εe ιi κk νv οo ρp τt υu χx');

/**
 * By small capitals, and by Latin letters with hooks or strokes that stand for nothing else: the letter, which comes first. Not
 * the letters of their own of many languages: 'høre' is no 'hore'.
 */
const LATIN_VARIANTS: ReadonlyMap<string, string> = new Map(
  (
    'aɑⱥᴀ bƀʙ cƈȼᴄ dɖᴅ eɇᴇ fƒꜰ gɠɡɢ hɦⱨʜ iɨɩɪ jɉᴊ kⱪꝁᴋ lɫɬƚⱡʟ mɱᴍ ' +
    'nɲɳɴ oɵᴏ pƥᴘ qʠɋ rɍɽɾʀ sʂꞩꜱ tƭʈⱦᴛ uʉᴜ vᴠ wⱳᴡ yɏʏ zƶȥʐⱬᴢ'
  )
    .split(' ')
    .flatMap(([letter = '', ...variants]) => variants.map((variant) => [variant, letter] as const)),
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
const SEPARATOR = /[\s.,\-_*+/·•~]/u;
export const APOSTROPHES = "'’´`ʼ";
/**
 * 'stu'pid' or 'ton_to': parts of a word, with signs between their letters; after dashes, commas, several dots and the end of a
 * sentence ('an.Alles') a new word begins.
 */
const INSIDE = String.raw`(?<=[\p{L}\p{M}])[${APOSTROPHES}_\-‐‑.*+^~·•]{1,3}(?<!\.\.)(?!(?<=\.)\p{Lu}\p{Ll})(?=\p{L})`;
// Not tried anew from each letter of a word.
const BROKEN = new RegExp(String.raw`(?<![\p{L}\p{M}\p{N}${SIGNS}])${PART}(?:${INSIDE}${PART})+`, 'gu');
/** Between two words that do not stand next to each other in the text: no letter, no space, and in no blocked word. */
const APART = '\0';

const foldedBefore = new Map<string, string>();
/** More than the characters of Korean or Chinese that are in use; some 1 MB. */
const MOST_FOLDED = 12_000;

/** The letters that a character is searched as: none for an accent. Those that were looked up are kept: a text has few, many times. */
function fold(codePoint: string): string {
  const known = foldedBefore.get(codePoint);
  if (known !== undefined) return known;
  const plain = [...foldCase(codePoint.normalize('NFD').replaceAll(ACCENTS, ''))];
  const letters = plain.map((letter) => LATIN_VARIANTS.get(letter) ?? letter).join('');
  if (foldedBefore.size < MOST_FOLDED) foldedBefore.set(codePoint, letters);
  return letters;
}

/**
 * Of a blocked word: what stands between two words in it. In a text, anything that is no letter may. Between numbers, signs tell
 * more than a gap does ('9/11' is not '9, 11', nor '8=D' '8: D'), and some belong to their word ('c++', 'C#').
 */
export const GAP = ' ';
/** A gap of a text, in the source of a regular expression. */
export const ANY_GAP = String.raw`[^\p{L}\p{M}\p{N}${APART}]+`;
const BETWEEN_WORDS = new RegExp(String.raw`(?<=[\p{L}\p{M}])[^\p{L}\p{M}\p{N}${SIGNS}+#]+(?=\p{L})|\s+`, 'gu');

export interface WordLetter {
  readonly letter: string;
  /** Of an ä, ö or ü, which may be written with an e behind it. */
  readonly isUmlaut: boolean;
}

/** The letters of a blocked word itself. */
export function lettersOfRule(word: string): WordLetter[] {
  return [...word.normalize('NFC').replaceAll(BETWEEN_WORDS, GAP).trim()].flatMap((codePoint) =>
    [...fold(codePoint)].map((letter) => ({ letter, isUmlaut: /[äöü]/iu.test(codePoint) })),
  );
}

/** Collects letters with their places in a text. */
function createReading(text: string) {
  const [written, asI, asL]: [string[], string[], string[]] = [[], [], []];
  const starts: number[] = [];
  const ends: number[] = [];

  function add(letter: string, start: number, end: number, looks = letter, looksL = looks): void {
    written.push(letter);
    asI.push(looks);
    asL.push(looksL);
    for (let unit = 0; unit < letter.length; unit++) {
      starts.push(start);
      ends.push(end);
    }
  }

  return {
    /** What is no word stands for itself. */
    sign(sign: string, start: number): void {
      for (const one of sign) {
        add(one, start, start + one.length);
        start += one.length;
      }
    },
    word(word: string, offset: number, isLeftOut?: RegExp): void {
      const hasLetters = /\p{L}/u.test(word);
      const isMixed = /\p{Script=Latin}/u.test(word) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(word);
      let start = offset;
      for (const codePoint of word) {
        const end = start + codePoint.length;
        const folded = fold(codePoint);
        const isAtEnd = end === offset + word.length;
        const latin = isMixed ? LATIN_LOOK[folded] : undefined;
        const looks = latin ?? (hasLetters && !(isAtEnd && ENDS_A_CRY.test(folded)) ? LOOKS_LIKE[folded] : undefined);
        // An accent that does not compose belongs to the letter before it.
        if (folded === '' && ends.length > 0) ends[ends.length - 1] = end;
        if (isLeftOut?.test(codePoint)) start = end;
        else if (looks !== undefined) add(folded, start, end, looks, LOOKS_LIKE_L.test(folded) ? 'l' : looks);
        else for (const letter of folded) add(letter, start, end);
        start = end;
      }
    },
    apart: () => add(APART, 0, 0),
    done(canBegin: (offset: number) => boolean, canEnd: (offset: number) => boolean): Reading {
      const variants = [...new Set([written.join(''), asI.join(''), asL.join('')])];
      const wordStart = new Int32Array(text.length + 1);
      const wordEnd = new Int32Array(text.length + 1).fill(text.length);
      for (let at = 1; at <= text.length; at++) wordStart[at] = canBegin(at) ? at : (wordStart[at - 1] ?? 0);
      for (let at = text.length - 1; at >= 0; at--) wordEnd[at] = canEnd(at) ? at : (wordEnd[at + 1] ?? text.length);
      return { variants, starts, ends, wordStart, wordEnd };
    },
  };
}

/** All of a text. Words begin and end where they do for a reader. */
export function plainReading(text: string): Reading {
  const reading = createReading(text);
  let end = 0;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    reading.sign(text.slice(end, index), end);
    reading.word(word, index);
    end = index + word.length;
  }
  reading.sign(text.slice(end), end);
  const atBorder = (offset: number) => atWordBorder(text, offset, 'letters');
  return reading.done(atBorder, atBorder);
}

/** Its spelled-out words without the separators, each a word from the first letter to the last: 'a s s e t s' holds no shorter one. */
export function spelledOutReading(text: string): Reading {
  const reading = createReading(text);
  const begins = new Set<number>();
  const ends = new Set<number>();
  for (const { 0: word, index } of text.matchAll(SPELLED_OUT)) {
    reading.word(word, index, SEPARATOR);
    reading.apart();
    begins.add(index);
    ends.add(index + word.length);
  }
  return reading.done(
    (offset) => begins.has(offset),
    (offset) => ends.has(offset),
  );
}

/** Its words with signs inside, without those: a word may begin and end with each of the parts, but for the 's' of 'it's-hit'. */
export function brokenReading(text: string): Reading {
  const reading = createReading(text);
  const begins = new Set<number>();
  const ends = new Set<number>();
  for (const broken of text.matchAll(BROKEN)) {
    for (const { 0: part, index } of broken[0].matchAll(WORD)) {
      const start = broken.index + index;
      reading.word(part, start);
      ends.add(start + part.length);
      const isEnding = [...part].length === 1 && start > 0 && APOSTROPHES.includes(text.charAt(start - 1));
      if (!isEnding) begins.add(start);
    }
    reading.apart();
  }
  return reading.done(
    (offset) => begins.has(offset),
    (offset) => ends.has(offset),
  );
}
