import { foldCase } from './readable/characters.ts';

/*
 * What a text may be meant to say: its letters without case, accents and disguise.
 */

/** Signs that members write in place of letters, as a part of words. */
export const SIGNS = '@$!€|';

/** By its first character, the second one of each pair. */
const pairs = (written: string): Readonly<Record<string, string>> =>
  Object.fromEntries(written.split(' ').map((pair) => [...pair]));

/** Signs used in place of a letter. Within words only: '455' and '!' stay as they are. '1' and '|' are an i or an l. */
const LOOKS_LIKE = pairs('0o 1i 3e 4a 5s 7t 8b @a $s !i €e |i');
const LOOKS_LIKE_L = /[1|]/u;

/** At the end of a word these are ordinary punctuation. */
const ENDS_A_CRY = /[!|]/u;

/** Cyrillic and Greek letters that look Latin, for words that mix the alphabets. */
const LATIN_LOOK = pairs('аa вb еe ёе кk мm нh оo рp сc тt уy хx іi їi јj ѕs ԁd αa βb εe ιi κk νv οo ρp τt υu χx');

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

const foldedBefore = new Map<string, string>();
/** More than the characters of Korean or Chinese that are in use; some 1 MB. */
const MOST_FOLDED = 12_000;

/** The letters that a character is searched as: none for an accent. Those that were looked up are kept: a text has few, many times. */
export function fold(codePoint: string): string {
  const known = foldedBefore.get(codePoint);
  if (known !== undefined) return known;
  const plain = [...foldCase(codePoint.normalize('NFD').replaceAll(ACCENTS, ''))];
  const letters = plain.map((letter) => LATIN_VARIANTS.get(letter) ?? letter).join('');
  if (foldedBefore.size < MOST_FOLDED) foldedBefore.set(codePoint, letters);
  return letters;
}

const SPELLING_SIGNS = String.raw`[\s.,\-_*+/·•~]{1,3}`;
const LETTER = String.raw`[\p{L}\p{M}\p{N}${SIGNS}]`;
/** 's.h.i.t' or 's h i t': single letters with the same signs between each two of them. */
const ROW = String.raw`(?<![\p{L}\p{M}\p{N}])[\p{L}${SIGNS}](?<gap>${SPELLING_SIGNS})[\p{L}\p{N}${SIGNS}](?:\k<gap>[\p{L}\p{N}${SIGNS}])+(?![\p{L}\p{M}\p{N}])`;
const RUN = new RegExp(String.raw`${ROW}|${LETTER}+|[^\p{L}\p{M}\p{N}${SIGNS}]+`, 'gu');

/** Before the letters of a word that is searched for in a row, with `\k<gap>` between each two. */
export const IN_ROW = `(?=.(?<gap>${SPELLING_SIGNS}))`;

/** A text to be searched for words. */
export interface Letters {
  /** The words as written, then with signs read as the letters they resemble; no two alike, all of one length. */
  readonly variants: readonly string[];
  /** By unit of the letters, where its character begins and ends in the text. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The places at which spelled-out words begin and end: 'a s s e t s' holds no shorter one. */
  readonly rowStarts: ReadonlySet<number>;
  readonly rowEnds: ReadonlySet<number>;
}

/** The letters of a text; what is no letter stands for itself. */
export function lettersOf(text: string): Letters {
  const [written, asI, asL]: [string[], string[], string[]] = [[], [], []];
  const starts: number[] = [];
  const ends: number[] = [];
  const [rowStarts, rowEnds] = [new Set<number>(), new Set<number>()];
  for (const { 0: run, index, groups } of text.matchAll(RUN)) {
    if (groups?.gap !== undefined) {
      rowStarts.add(index);
      rowEnds.add(index + run.length);
    }
    const hasLetters = /\p{L}/u.test(run);
    const isMixed = hasLetters && /\p{Script=Latin}/u.test(run) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(run);
    let start = index;
    for (const codePoint of run) {
      const end = start + codePoint.length;
      const folded = fold(codePoint);
      const isCry = end === index + run.length && ENDS_A_CRY.test(folded);
      const looks = (isMixed && LATIN_LOOK[folded]) || (hasLetters && !isCry && LOOKS_LIKE[folded]) || folded;
      written.push(folded);
      asI.push(looks);
      asL.push(looks !== folded && LOOKS_LIKE_L.test(folded) ? 'l' : looks);
      // An accent that does not compose belongs to the letter before it.
      if (folded === '' && ends.length > 0) ends[ends.length - 1] = end;
      for (let unit = 0; unit < folded.length; unit++) {
        starts.push(start);
        ends.push(end);
      }
      start = end;
    }
  }
  const variants = [...new Set([written.join(''), asI.join(''), asL.join('')])];
  return { variants, starts, ends, rowStarts, rowEnds };
}
