import { parseTags, type TagSegment, type TagSyntax } from './interface/models.ts';

interface SplitOptions {
  /** UTF-16 units for the text of each part: the model's limit less the style, if the style counts toward it. */
  readonly room: number;
  readonly syntax: TagSyntax;
  /**
   * Preferred lengths of the first parts in UTF-16 units: short ones let speech begin soon. A part ends with a sentence
   * near its length, or inside a longer sentence at up to twice its length.
   */
  readonly aims: readonly number[];
}

/** A part of a split text with less room than this would hold only fragments of words. */
export const MIN_SPLIT_ROOM = 20;

/** Places to cut a text, the worst first. `short` ends a part that is too short, or cuts between words of a script without spaces. */
const CUT = { never: -1, grapheme: 0, word: 1, short: 2, space: 3, clause: 4, sentence: 5 } as const;
type Cut = (typeof CUT)[keyof typeof CUT];

interface Unit {
  readonly raw: string;
  readonly tag: TagSegment | undefined;
  /** Where the unit begins in the text as a voice speaks it. */
  readonly heardAt: number;
  cut: Cut;
}

type Open = Extract<TagSegment, { kind: 'open' | 'close' }>;

/**
 * Splits text into parts that together speak the same words, never inside a tag or a grapheme. A pair of tags such as
 * `<soft>…</soft>` is closed at a part's end and reopened in the next part. Throws a RangeError if `room` is below
 * `MIN_SPLIT_ROOM`.
 */
export function splitText(text: string, { room, syntax, aims }: SplitOptions): string[] {
  if (room < MIN_SPLIT_ROOM) throw new RangeError(`a part of ${room} characters is too small to split text into`);
  if (text.trim() === '') return [];
  if (text.length <= Math.min(room, aims[0] ?? room)) return [text];
  const units = unitsOf(text, syntax, room);
  const parts: string[] = [];
  let stack: readonly Open[] = [];
  let start = 0;
  while (start < units.length) {
    if (units[start]?.raw.trim() === '') {
      start++;
      continue;
    }
    const { end, stackAtEnd } = nextCut(units, start, stack, room, aims[parts.length]);
    const content = units.slice(start, end);
    if (content.some((unit) => unit.tag === undefined || unit.tag.kind === 'instant')) {
      const body = content.map((unit) => unit.raw).join('');
      parts.push(opening(stack) + body.trimEnd() + closing(stackAtEnd));
    }
    stack = stackAtEnd;
    start = end;
  }
  return parts;
}

const opening = (stack: readonly Open[]) => stack.map((open) => open.raw).join('');
const closing = (stack: readonly Open[]) =>
  stack
    .map((open) => `</${open.name}>`)
    .toReversed()
    .join('');

/** Below this fraction of its preferred length, a part of a split text is too short, even if it is a sentence. */
const MIN_SHARE = 1 / 3;

/** The end of the part that begins at `start`: the best place to cut, and the furthest of equal ones. */
function nextCut(
  units: readonly Unit[],
  start: number,
  stack: readonly Open[],
  room: number,
  aim = Number.POSITIVE_INFINITY,
) {
  let length = opening(stack).length;
  let current = stack;
  let closingLength = closing(stack).length;
  let best = { end: start + 1, stackAtEnd: current, cut: CUT.never as Cut };
  for (let index = start; index < units.length; index++) {
    const unit = units[index];
    if (unit === undefined) break;
    length += unit.raw.length;
    if (unit.tag?.kind === 'open') current = [...current, unit.tag];
    else if (unit.tag?.kind === 'close') current = current.slice(0, -1);
    if (unit.tag) closingLength = closing(current).length;
    if (length > room && index > start) break;
    if (length > aim && (best.cut === CUT.sentence || (length > 2 * aim && best.cut >= CUT.space))) break;
    if (length + closingLength > room && index > start) continue;
    const end = index + 1;
    const isTooShort = length < aim * MIN_SHARE && aim !== Number.POSITIVE_INFINITY;
    const here = end === units.length ? CUT.sentence : (units[end]?.cut ?? CUT.grapheme);
    const cut = isTooShort ? (Math.min(here, CUT.short) as Cut) : here;
    if (cut >= best.cut) best = { end, stackAtEnd: current, cut };
  }
  return best;
}

function unitsOf(text: string, syntax: TagSyntax, room: number): Unit[] {
  const units: Unit[] = [];
  /** The text as a voice speaks it: tags such as `<soft>` are removed, and a placeholder replaces `[laugh]`. */
  let heard = '';
  const add = (raw: string, asHeard: string, tag?: TagSegment) => {
    units.push({ raw, tag, heardAt: heard.length, cut: CUT.grapheme });
    heard += asHeard;
  };
  const addText = (raw: string) => {
    // Every character of ASCII text is a grapheme. A plain loop takes a third of the segmenter's time.
    if (ASCII.test(raw)) {
      for (const character of raw) add(character, character);
      return;
    }
    for (const { segment } of graphemes.segment(raw)) {
      if (segment.length <= room / 2) add(segment, segment);
      // A letter with a pile of combining marks may be longer than half a part: then the letter itself is cut.
      else for (const character of segment) add(character, character);
    }
  };
  // Reopened and closed tags take up to half of a part. Tags nested deeper are dropped; their words stay.
  const openSizes: number[] = [];
  let overhead = 0;
  let pending = '';
  const flush = () => {
    addText(pending);
    pending = '';
  };
  for (const segment of parseTags(text, syntax)) {
    if (segment.kind === 'open') {
      flush();
      const size = 2 * segment.raw.length + 1;
      const isKept = overhead + size <= room / 2;
      openSizes.push(isKept ? size : 0);
      if (isKept) {
        overhead += size;
        add(segment.raw, '', segment);
      }
    } else if (segment.kind === 'close') {
      flush();
      const size = openSizes.pop() ?? 0;
      if (size > 0) {
        overhead -= size;
        add(segment.raw, '', segment);
      }
    } else if (segment.kind === 'text' || segment.raw.length > room / 2) {
      pending += segment.raw;
    } else {
      flush();
      // Text that only looks like a tag is never cut, because a half of it may be spoken differently.
      if (segment.kind === 'stray') add(segment.raw, segment.raw);
      else add(segment.raw, PLACEHOLDER, segment);
    }
  }
  flush();
  rateCuts(units, heard);
  return units;
}

/** Stands for a tag such as `[laugh]` while a text is split: a word of its own, never a sentence's punctuation. */
const PLACEHOLDER = '\uFFFC';
const ASCII = /^[\n -~]*$/;
// The machine's locale must not decide where a text is cut. Locales differ only in a few abbreviations.
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const words = new Intl.Segmenter('en', { granularity: 'word' });
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const CLAUSE_END = /[,;:،؛、，；：–—]["'”’»)\]]*\s*$/u;

/**
 * A sentence continues after these abbreviations. Abbreviations that are common words in another language are left out,
 * because a sentence may end with such a word. Single letters count too: initials, 'z. B.', 'p. ej.'.
 */
const ABBREVIATIONS =
  'Mr|Mrs|Ms|Dr|Dra|Drs|Prof|Profa|St|Ste|Sto|Sta|Mt|Ft|Sen|Rep|Gov|Gen|Col|Capt|Lt|Sgt|Maj|Cmdr|Adm|Rev|Hon|Pres|vs|cf|approx|e\\.g|i\\.e|Hr|Hrn|Fr|Frl|Hl|hl|Dipl|Ing|Mag|bzw|ca|vgl|evtl|ggf|inkl|sog|geb|Sr|Sra|Srta|Sres|Ud|Uds|Dña|Lic|Arq|Mons|Av|Avda|aprox|MM|Mme|Mlle|Sig|Dott|Avv|dhr|mevr|mw|drs|bijv|prof|św|ul|inż|np|проф|акад|ул|им|см';
const BEFORE_DIGITS =
  'No|Nos|Nr|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|Fig|Vol|Ch|pp|Abb|Abs|Art|Bd|Kap|núm|pág|págs|art|cap';
const MONTHS = 'Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember';
const ABBREVIATION = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:(?:${ABBREVIATIONS}|\p{Lu}|\p{Ll})\.|(?:${BEFORE_DIGITS})\.(?=\s*\p{N})|\p{N}{1,2}\.(?=\s(?:${MONTHS})))(?<space>\s*)`,
  'gu',
);

function rateCuts(units: Unit[], heard: string): void {
  const cuts = new Uint8Array(heard.length + 1);
  const within = new Set<number>();
  for (const { 0: abbreviation, index, groups } of heard.matchAll(ABBREVIATION)) {
    const end = index + abbreviation.length;
    for (let offset = end - (groups?.space?.length ?? 0); offset <= end; offset++) within.add(offset);
  }
  const rate = (offset: number, cut: Cut) => {
    const most = within.has(offset) ? Math.min(cut, CUT.word) : cut;
    if (most > (cuts[offset] ?? 0)) cuts[offset] = most;
  };
  for (const { segment, index } of sentences.segment(heard)) {
    rate(index + segment.length, CUT.sentence);
    // Without a cut before them, the spaces after a sentence could push it over the limit.
    rate(index + segment.trimEnd().length, CUT.sentence);
  }
  let previous = '';
  let wasBlank = false;
  let wasWord = false;
  for (const { segment, index, isWordLike } of words.segment(heard)) {
    const blank = segment.trim() === '';
    if (blank || wasBlank) {
      rate(index, CLAUSE_END.test(heard.slice(Math.max(0, index - 12), index)) ? CUT.clause : CUT.space);
      // A text is never cut before closing punctuation, which belongs to the word before it.
    } else if (isWordLike && wasWord) rate(index, CUT.short);
    else if (isWordLike || segment === PLACEHOLDER || previous === PLACEHOLDER) rate(index, CUT.word);
    previous = segment;
    wasWord = isWordLike === true;
    wasBlank = blank || /\s$/u.test(segment);
  }
  for (const [index, unit] of units.entries()) {
    unit.cut = unit.heardAt === 0 ? CUT.word : (cuts[unit.heardAt] as Cut);
    // A text is never cut before a closing tag or after an opening tag, because an empty pair of tags would remain.
    if (unit.tag?.kind === 'close' || units[index - 1]?.tag?.kind === 'open') unit.cut = CUT.never;
  }
}
