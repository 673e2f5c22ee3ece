import type { Pause } from '../time/slices.ts';
import { foldCase } from './readable/characters.ts';

/** Finds the letters that a text means, without case, accents and disguise such as '$h1t'. */

/** Lookalike signs that members write for letters inside words ('$h!t'). */
export const SIGNS = '@$!€|';

const pairs = (written: string): Readonly<Record<string, string>> =>
  Object.fromEntries(written.split(' ').map((pair) => [...pair]));

/** Lookalikes of letters in a word with other letters ('sh1t'); '455' and '!' alone stay. '1' may be an i or an l. */
const LOOKS_LIKE = pairs('0o 1i 3e 4a 5s 7t 8b @a $s !i €e |i');
const LOOKS_LIKE_L = /[1|]/u;

/** Lookalike signs that are ordinary punctuation at the end of a word. */
const ENDS_A_CRY = /[!|]/u;

/** Cyrillic and Greek letters that look Latin, for words that mix the alphabets. */
const LATIN_LOOK = pairs('аa вb еe ёе кk мm нh оo рp сc тt уy хx іi їi јj ѕs ԁd αa βb εe ιi κk νv οo ρp τt υu χx');

/**
 * Small capitals and Latin letters with hooks or strokes, after their plain letter. Letters that are separate letters
 * in many languages stay: 'høre' is not 'hore'.
 */
const LATIN_VARIANTS: ReadonlyMap<string, string> = new Map(
  (
    'aɑⱥᴀ bƀʙ cƈȼᴄ dɖᴅ eɇᴇ fƒꜰ gɠɡɢ hɦⱨʜ iɨɩɪ jɉᴊ kⱪꝁᴋ lɫɬƚⱡʟ mɱᴍ ' +
    'nɲɳɴ oɵᴏ pƥᴘ qʠɋ rɍɽɾʀ sʂꞩꜱ tƭʈⱦᴛ uʉᴜ vᴠ wⱳᴡ yɏʏ zƶȥʐⱬᴢ'
  )
    .split(' ')
    .flatMap(([letter = '', ...variants]) => variants.map((variant) => [variant, letter] as const)),
);

/** Accents that many authors omit. Vowel signs of Indic scripts and Hebrew points make another word. */
const ACCENTS = /[\u0300-\u036F]/gu;

const foldedBefore = new Map<string, string>();
/** Maximum number of cached characters with their plain letters: more than Korean or Chinese use; about 1 MB. */
const MAX_FOLDED = 12_000;

/** The plain letters of a character; empty for an accent. */
export function fold(codePoint: string): string {
  const known = foldedBefore.get(codePoint);
  if (known !== undefined) return known;
  // ñ is a letter of its own: 'año' is not 'ano'.
  const bare = /[ñÑ]/.test(codePoint) ? codePoint : codePoint.normalize('NFD').replaceAll(ACCENTS, '');
  const plain = [...foldCase(bare)];
  const letters = plain.map((letter) => LATIN_VARIANTS.get(letter) ?? letter).join('');
  if (foldedBefore.size < MAX_FOLDED) foldedBefore.set(codePoint, letters);
  return letters;
}

const SPELLING_SIGNS = String.raw`[\s.,\-_*+/·•~]{1,3}`;
const LETTER = String.raw`[\p{L}\p{M}\p{N}${SIGNS}]`;
/** Matches a spelled-out word, single letters with the same signs between them: 's.h.i.t' or 's h i t'. */
const ROW = String.raw`(?<![\p{L}\p{M}\p{N}])[\p{L}${SIGNS}](?<gap>${SPELLING_SIGNS})[\p{L}\p{N}${SIGNS}](?:\k<gap>[\p{L}\p{N}${SIGNS}])+(?![\p{L}\p{M}\p{N}])`;
const RUN = new RegExp(String.raw`${ROW}|${LETTER}+|[^\p{L}\p{M}\p{N}${SIGNS}]+`, 'gu');

/** Finds the signs after the first letter of a spelled-out word, which must be between all letters as `\k<gap>`. */
export const IN_ROW = `(?=.(?<gap>${SPELLING_SIGNS}))`;

export interface Letters {
  /**
   * The text as written, with lookalike signs replaced (1 and | by i), and the same with 1 and | as l. Equal variants
   * are listed once; all have the same length.
   */
  readonly variants: readonly string[];
  /** For each UTF-16 unit of a variant: start and end of its character in the text. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** The offsets where spelled-out words begin and end, so that no blocked word is found within 'a s s e t s'. */
  readonly rowStarts: ReadonlySet<number>;
  readonly rowEnds: ReadonlySet<number>;
}

/** Number of characters whose letters are found before other work may run. */
const CHARACTERS_IN_TURN = 250;

/** The plain letters of a text: lowercase, without accents, and in some variants without disguise ('$h1t'). */
export async function lettersOf(text: string, pause: Pause): Promise<Letters> {
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
      if (written.length % CHARACTERS_IN_TURN === 0) await pause();
      const end = start + codePoint.length;
      const folded = fold(codePoint);
      const isCry = end === index + run.length && ENDS_A_CRY.test(folded);
      const looks = (isMixed && LATIN_LOOK[folded]) || (hasLetters && !isCry && LOOKS_LIKE[folded]) || folded;
      written.push(folded);
      asI.push(looks);
      asL.push(looks !== folded && LOOKS_LIKE_L.test(folded) ? 'l' : looks);
      // An accent that Unicode cannot combine with its letter counts as a part of the letter before it.
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
