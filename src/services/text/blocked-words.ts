import { UserError } from '../../errors/user-errors.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import type { ServerRules } from '../servers/admission.ts';
import { EVERY_WORD, SETTINGS_LIMITS } from '../servers/server-settings.ts';
import type { Pause } from '../time/slices.ts';
import { atWordBorder, foldCase } from './readable/characters.ts';
import { emojiIn } from './readable/emoji-names.ts';

/** Lookalike signs that members write for letters inside words ('$h!t'). */
const SIGNS = '@$!€|';

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
function fold(codePoint: string): string {
  // ñ is a letter of its own: 'año' is not 'ano'.
  const bare = /[ñÑ]/.test(codePoint) ? codePoint : codePoint.normalize('NFD').replaceAll(ACCENTS, '');
  return [...foldCase(bare)].map((letter) => LATIN_VARIANTS[letter] ?? letter).join('');
}

const SPELLING_SIGNS = String.raw`[\s.,\-_*+/·•~]{1,3}`;
const LETTER = String.raw`[\p{L}\p{M}\p{N}${SIGNS}]`;
/** Matches a spelled-out word, single letters with the same signs between them: 's.h.i.t' or 's h i t'. */
const ROW = String.raw`(?<![\p{L}\p{M}\p{N}])[\p{L}${SIGNS}](?<gap>${SPELLING_SIGNS})[\p{L}\p{N}${SIGNS}](?:\k<gap>[\p{L}\p{N}${SIGNS}])+(?![\p{L}\p{M}\p{N}])`;
const RUN = new RegExp(String.raw`${ROW}|${LETTER}+|[^\p{L}\p{M}\p{N}${SIGNS}]+`, 'gu');

/** Captures the signs after a spelled-out word's first letter. `\k<gap>` requires the same signs after the others. */
const IN_ROW = `(?=.(?<gap>${SPELLING_SIGNS}))`;

/** Number of characters that are looked at before the event loop can do other work. */
const CHARACTERS_IN_TURN = 250;

/**
 * The plain letters of a text, lowercase and without accents, in up to three variants of equal length: as written, with
 * lookalike signs replaced (1 and | by i), and the same with 1 and | as l.
 */
async function lettersOf(text: string, pause: Pause) {
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

/** Only blocked words of at least this many letters are found spelled out ('s.h.i.t'). Shorter Latin words must not have a `*`. */
const MIN_PART = 3;
/** How many equal letters in a row count as drawn out, as in 'shiiit'. */
const DRAWN_OUT = { min: 3, max: 30 };

/** Thrown for a text with a blocked word. The error may name the word to the requester. Other members get `toOthers`. */
export class BlockedWordError extends UserError {
  constructor(content: Text) {
    super(content, { toOthers: text('refused.by-rules'), kind: 'blocked-word' });
  }
}

export const blockedBy = (rule: string): BlockedWordError => new BlockedWordError(text('blocked.refused', { rule }));

export interface Bleeped {
  readonly words: string;
  readonly bleeped: readonly string[];
}

/** A `*` at the start or end of a blocked word stands for further letters of a longer word. */
const withoutStars = (word: string): string => word.trim().replaceAll(/^\*+|\*+$/gu, '');
const starsOf = (word: string) => ({ anyBefore: word.trim().startsWith('*'), anyAfter: word.trim().endsWith('*') });

/**
 * Separates the words of a blocked phrase, between which a text may have any signs and spaces. Signs next to digits
 * ('9/11') and signs of a word ('c++') must be as written.
 */
const GAP = ' ';
const ANY_GAP = String.raw`[^\p{L}\p{M}\p{N}]+`;
const BETWEEN_WORDS = new RegExp(String.raw`(?<=[\p{L}\p{M}])[^\p{L}\p{M}\p{N}${SIGNS}+#]+(?=\p{L})|\s+`, 'gu');

/** The letters of a blocked word. Authors may write the umlauts ä, ö and ü as ae, oe and ue. */
function lettersOfRule(word: string) {
  const written = withoutStars(word).normalize('NFC').replaceAll(BETWEEN_WORDS, GAP).trim();
  return [...written].flatMap((codePoint) =>
    [...fold(codePoint)].map((letter) => ({ letter, isUmlaut: /[äöü]/iu.test(codePoint) })),
  );
}

/** Returns the regular expression source for a blocked word's letters. They may be drawn out ('shiiit'), and 'ö' may be written 'oe'. */
function sourceOf(letters: ReturnType<typeof lettersOfRule>, between: string): string {
  let source = '';
  let count = 0;
  for (const [index, { letter, isUmlaut }] of letters.entries()) {
    count += 1;
    if (!isUmlaut && letters[index + 1]?.letter === letter) continue;
    if (letter === GAP) source += ANY_GAP;
    else {
      const one = letter.replace(/[\\^$.*+?()[\]{}|/]/u, String.raw`\$&`);
      const more = Math.max(1, DRAWN_OUT.min - count);
      source += (source === '' ? '' : between) + Array<string>(count).fill(one).join(between);
      source += `(?:(?:${between}${one}){${more},${DRAWN_OUT.max}})?${isUmlaut ? `(?:${between}e)?` : ''}`;
    }
    count = 0;
  }
  return source;
}

const APOSTROPHES = "'’´`ʼ";

type Rule = ReturnType<typeof toRule>;

function toRule(word: string) {
  const letters = lettersOfRule(word);
  const isOneWord = letters.every(({ letter }) => /[\p{L}\p{M}]/u.test(letter));
  const mayBeSpelledOut = isOneWord && letters.length >= MIN_PART;
  return {
    word,
    ...starsOf(word),
    plain: new RegExp(sourceOf(letters, ''), 'gu'),
    spelledOut: mayBeSpelledOut ? new RegExp(IN_ROW + sourceOf(letters, String.raw`\k<gap>`), 'gu') : undefined,
  };
}

/** An exception from blocking matches as written, apart from letter case and the kinds of spaces and apostrophes. */
function toException(exception: string) {
  const written = withoutStars(exception.normalize('NFC')).trim().replaceAll(/\s+/gu, ' ');
  const source = written
    .replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`)
    // An exception of several words does not match across a line break.
    .replaceAll(' ', String.raw`[^\S\n]`)
    .replaceAll(new RegExp(`[${APOSTROPHES}]`, 'gu'), `[${APOSTROPHES}]`)
    .replaceAll(/[iİ]/gu, '[iİ]');
  return { ...starsOf(exception), plain: new RegExp(source, 'giu') };
}

/** At each offset, `wordStart` has the nearest word border at or before it, and `wordEnd` the nearest at or after it. */
type Searched = Awaited<ReturnType<typeof searchedOf>>;

async function searchedOf(text: string, pause: Pause) {
  const letters = await lettersOf(text, pause);
  const wordStart = new Int32Array(text.length + 1);
  const wordEnd = new Int32Array(text.length + 1);
  let start = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at % CHARACTERS_IN_TURN === 0) await pause();
    if (atWordBorder(text, at, 'letters')) {
      wordEnd.fill(at, start + 1, at + 1);
      start = at;
    }
    wordStart[at] = start;
  }
  return { ...letters, text, wordStart, wordEnd };
}

interface Found {
  readonly rule: Rule;
  /** The bleep covers the whole word, or listeners could guess the blocked word from the remaining letters. */
  readonly start: number;
  readonly end: number;
  readonly matchedStart: number;
  readonly matchedEnd: number;
}

function* matchesOf(pattern: RegExp, searched: string): Generator<RegExpExecArray> {
  pattern.lastIndex = 0;
  for (let match = pattern.exec(searched); match; match = pattern.exec(searched)) {
    yield match;
    pattern.lastIndex = match.index + ((searched.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1);
  }
}

/** Signs and digits alone ('455') are no word, although they resemble letters. */
function holdsLetter(letters: string, written: string, start: number, end: number): boolean {
  for (let unit = start; unit < end; unit++) if (letters[unit] === written[unit]) return true;
  return false;
}

function* foundIn(searched: Searched, rule: Rule, how: 'plain' | 'spelledOut'): Generator<Found> {
  const { variants, starts, ends, wordStart, wordEnd, rowBorders } = searched;
  const isInRow = how === 'spelledOut';
  const { [how]: pattern } = rule;
  if (!pattern || (isInRow && rowBorders.size === 0)) return;
  const [written = ''] = variants;
  for (const letters of variants) {
    for (const { index, 0: match } of matchesOf(pattern, letters)) {
      const to = index + match.length;
      const matchedStart = starts[index] ?? 0;
      const matchedEnd = ends[to - 1] ?? 0;
      const start = wordStart[matchedStart] ?? matchedStart;
      const end = wordEnd[matchedEnd] ?? matchedEnd;
      const begins = rule.anyBefore || (isInRow ? rowBorders.has(matchedStart) : start === matchedStart);
      const stops = rule.anyAfter || (isInRow ? rowBorders.has(matchedEnd) : end === matchedEnd);
      if (begins && stops && holdsLetter(letters, written, index, to)) {
        yield { rule, start, end, matchedStart, matchedEnd };
      }
    }
  }
}

/**
 * Finds blocked words in spite of disguise: accents, lookalike signs ('$h1t'), repeated letters, spelling out
 * ('s.h.i.t'). Only whole words match unless the blocked word has a `*` at an end, so that Scunthorpe can be spoken of.
 */
export function createBlockedWords({ blockedWords = [], blockedWordsExceptions = [], blockedWordsMode }: ServerRules) {
  const exceptions = blockedWordsExceptions.map(toException);
  /** The rules of the blocked words, in their order; each is compiled when it is first needed. */
  const rules: Rule[] = [];

  /** Replaces blocked words by the bleep of `locale`, or rejects with a BlockedWordError if the server refuses them. */
  async function check(written: string, locale: string, pause: Pause): Promise<Bleeped> {
    if (blockedWords.includes(EVERY_WORD)) throw blockedBy(EVERY_WORD);
    const words = written.normalize('NFC');
    const found = blockedWords.length === 0 ? [] : await findIn(words, pause);
    const [first] = found;
    if (!first) return { words: written, bleeped: [] };
    if (blockedWordsMode === 'refuse') throw blockedBy(first.rule.word);
    const bleep = render(text('blocked.bleep'), locale);
    let spoken = '';
    let copiedTo = 0;
    for (const { start, end } of found) {
      spoken += words.slice(copiedTo, start) + bleep;
      copiedTo = end;
    }
    return { words: spoken + words.slice(copiedTo), bleeped: [...new Set(found.map(({ rule }) => rule.word))] };
  }

  /**
   * Finds blocked words from the start of a text to its end. Where several overlap, only the first and longest counts.
   * Words inside an exception are left out.
   */
  async function findIn(words: string, pause: Pause): Promise<readonly Found[]> {
    const all: Found[] = [];
    const searched = await searchedOf(words, pause);
    for (const [index, blocked] of blockedWords.entries()) {
      for (const how of ['plain', 'spelledOut'] as const) {
        await pause();
        rules[index] ??= toRule(blocked);
        all.push(...foundIn(searched, rules[index], how));
      }
    }
    if (all.length === 0) return all;
    const kept: Found[] = [];
    const reach = await reachIn(searched, pause);
    for (const one of all.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
      // An exception counts only if it covers the whole blocked word: the exception '*klasse' does not allow the
      // blocked word 'fuck*' in 'fuckklasse'.
      const isExcepted = (reach[one.matchedStart] ?? 0) >= one.matchedEnd;
      if (!isExcepted && one.start >= (kept.at(-1)?.end ?? 0)) kept.push(one);
    }
    return kept;
  }

  /** For each offset, finds the furthest end of an allowed word (an exception) that begins at or before the offset. */
  async function reachIn({ text: words, wordStart, wordEnd }: Searched, pause: Pause): Promise<Int32Array> {
    const reach = new Int32Array(words.length);
    for (const { plain, anyBefore, anyAfter } of exceptions) {
      await pause();
      for (const { index, 0: match } of matchesOf(plain, words)) {
        const end = index + match.length;
        const isWhole = (anyBefore || wordStart[index] === index) && (anyAfter || wordEnd[end] === end);
        if (isWhole) reach[index] = Math.max(reach[index] ?? 0, end);
      }
    }
    for (const [offset, end] of reach.entries()) reach[offset] = Math.max(end, reach[offset - 1] ?? 0);
    return reach;
  }

  return check;
}

export type BlockedWords = ReturnType<typeof createBlockedWords>;

/** Matches a code such as ':eggplant:', which Discord's clients show where they cannot show the emoji's picture. */
const EMOJI_CODE = /^\*?:[\w~+-]+:\*?$/;
const CUSTOM_EMOJI = /<a?:\w{1,64}:\d{1,20}>/;
/** Matches a `*` next to a letter but not at an end ('f*ck', 'foo* bar'). In '2*3', the star is an ordinary sign. */
const STAR_INSIDE = /\p{L}\*+\s*[^*\s]|[^*\s]\s*\*+\p{L}/u;

export function blockedWordProblem(word: string): Text | undefined {
  const written = word.trim();
  const { length } = written;
  const { blockedWordCharacters: limit } = SETTINGS_LIMITS;
  if (length > limit) return text('blocked.too-long', { length, limit });
  // Emoji cannot be blocked, because texts are searched only after each was replaced by its name.
  const isEmoji = CUSTOM_EMOJI.test(word) || EMOJI_CODE.test(written) || emojiIn(word).length > 0;
  if (isEmoji) return text('blocked.emoji');
  if (STAR_INSIDE.test(word)) return text('blocked.star-inside');
  const { length: count } = lettersOfRule(word);
  if (count === 0) return text('blocked.empty');
  // A blocked word of one or two Latin letters and a `*` would match most words; one Chinese character may be a word.
  return withoutStars(word) !== written && count < MIN_PART && /^[\p{Script=Latin}*]+$/u.test(written)
    ? text('blocked.too-short', { least: MIN_PART })
    : undefined;
}
