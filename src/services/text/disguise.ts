import type { Pause } from '../time/slices.ts';
import { foldCase } from './readable/characters.ts';

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
 * Small capitals and Latin letters with hooks or strokes. Letters that are separate letters in many languages stay:
 * 'høre' is not 'hore'.
 */
const LATIN_VARIANTS = pairs(
  'ɑa ⱥa ᴀa ƀb ʙb ƈc ȼc ᴄc ɖd ᴅd ɇe ᴇe ƒf ꜰf ɠg ɡg ɢg ɦh ⱨh ʜh ɨi ɩi ɪi ɉj ᴊj ⱪk ꝁk ᴋk ɫl ɬl ƚl ⱡl ʟl ' +
    'ɱm ᴍm ɲn ɳn ɴn ɵo ᴏo ƥp ᴘp ʠq ɋq ɍr ɽr ɾr ʀr ʂs ꞩs ꜱs ƭt ʈt ⱦt ᴛt ʉu ᴜu ᴠv ⱳw ᴡw ɏy ʏy ƶz ȥz ʐz ⱬz ᴢz',
);

/** Accents that many authors omit. Vowel signs of Indic scripts and Hebrew points make another word. */
const ACCENTS = /[\u0300-\u036F]/gu;

/** The plain letters of a character; empty for an accent. */
export function fold(codePoint: string): string {
  // ñ is a letter of its own: 'año' is not 'ano'.
  const bare = /[ñÑ]/.test(codePoint) ? codePoint : codePoint.normalize('NFD').replaceAll(ACCENTS, '');
  return [...foldCase(bare)].map((letter) => LATIN_VARIANTS[letter] ?? letter).join('');
}

const SPELLING_SIGNS = String.raw`[\s.,\-_*+/·•~]{1,3}`;
const LETTER = String.raw`[\p{L}\p{M}\p{N}${SIGNS}]`;
/** Matches a spelled-out word, single letters with the same signs between them: 's.h.i.t' or 's h i t'. */
const ROW = String.raw`(?<![\p{L}\p{M}\p{N}])[\p{L}${SIGNS}](?<gap>${SPELLING_SIGNS})[\p{L}\p{N}${SIGNS}](?:\k<gap>[\p{L}\p{N}${SIGNS}])+(?![\p{L}\p{M}\p{N}])`;
const RUN = new RegExp(String.raw`${ROW}|${LETTER}+|[^\p{L}\p{M}\p{N}${SIGNS}]+`, 'gu');

/** Finds the signs after the first letter of a spelled-out word, which must be between all letters as `\k<gap>`. */
export const IN_ROW = `(?=.(?<gap>${SPELLING_SIGNS}))`;

/** Number of characters whose letters are found before other work may run. */
const CHARACTERS_IN_TURN = 250;

/**
 * The plain letters of a text, lowercase and without accents, in up to three variants of equal length: as written, with
 * lookalike signs replaced (1 and | by i), and the same with 1 and | as l.
 */
export async function lettersOf(text: string, pause: Pause) {
  const [written, asI, asL]: [string[], string[], string[]] = [[], [], []];
  // For each UTF-16 unit of a variant: start and end of its character in the text.
  const starts: number[] = [];
  const ends: number[] = [];
  // The offsets where spelled-out words begin and end, so that no blocked word is found within 'a s s e t s'.
  const rowBorders = new Set<number>();
  for (const { 0: run, index, groups } of text.matchAll(RUN)) {
    if (groups?.gap !== undefined) rowBorders.add(index).add(index + run.length);
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
  return { variants, starts, ends, rowBorders };
}
