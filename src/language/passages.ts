import { mainScript, type Script } from './scripts.ts';
import { isJapanese } from './speakable-words.ts';

/** A stretch of a text in one language. */
export interface LanguagePassage {
  /** As it stands in the text, with the space behind it: all together are the text. */
  readonly text: string;
  /** ISO 639-1; undefined where the text is no proof. */
  readonly language: string | undefined;
}

/** Fewer are no proof of a language, and a voice for one word breaks the melody of its sentence. */
const LEAST_WORDS = 3;

// The language matters for a few abbreviations alone; Chinese, Japanese and Thai words come from dictionaries.
const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
const segmentsIn = new Intl.Segmenter('en', { granularity: 'word' });

/** A speech tag, by its brackets: it is said in no language. */
const TAG = /\[\p{L}[^<>[\]\r\n]{0,59}\]|<(?<slash>\/?)(?<name>\p{L}[^<>[\]\r\n]{0,59})>/gu;

interface Stretch extends LanguagePassage {
  readonly words: number;
}

/**
 * Cuts a text where its language changes, at the ends of sentences and where the script changes; never inside a word or
 * between the two ends of a speech tag, nor into stretches of less than three words. `detect` finds the language of a stretch.
 */
export function cutByLanguage(text: string, detect: Detect): LanguagePassage[] {
  // A tag stands where a bracket would, before or behind the sentence that it is about.
  const bracketed = text.replaceAll(TAG, (tag) => (tag[1] === '/' ? ')' : '(').repeat(tag.length));
  const stretches = [...sentences.segment(bracketed)].flatMap(({ segment, index }) =>
    scriptRuns(text.slice(index, index + segment.length)),
  );
  const known = stretches.map((stretch): Stretch => ({ ...stretch, language: languageOf(stretch, detect) }));
  const long = joinShort(joinEqual(known, detect), detect);
  // What is no proof goes with its neighbour.
  const passages = joinEqual(long, detect, ({ language }) => language === undefined);
  return joinTagged(text, passages, detect).map(({ text, language }) => ({ text, language }));
}

/** A word or two in Latin letters may be a name. */
function languageOf({ text, words }: Omit<Stretch, 'language'>, detect: Detect) {
  const script = mainScript(text.replaceAll(TAG, ''));
  if (script === undefined || (script === 'Latin' && words < LEAST_WORDS)) return undefined;
  return detect(text);
}

/** A sentence where its script changes; what is no word goes with the word before it, an opening tag with the one behind it. */
function scriptRuns(sentence: string): Omit<Stretch, 'language'>[] {
  const hasKana = isJapanese(sentence);
  const scriptOf = (word: string): Script | undefined => {
    const script = mainScript(word);
    return script === 'Han' && hasKana ? 'Kana' : script;
  };
  const runs: { text: string; words: number; script: Script | undefined }[] = [];
  for (const { segment, isWordLike, opens } of wordsIn(sentence)) {
    const run = opens ? undefined : runs.at(-1);
    const script = isWordLike ? scriptOf(segment) : undefined;
    if (run && (script === undefined || run.script === undefined || run.script === script)) {
      run.text += segment;
      run.words += isWordLike ? 1 : 0;
      run.script ??= script;
    } else {
      runs.push({ text: segment, words: isWordLike ? 1 : 0, script });
    }
  }
  return runs;
}

function* wordsIn(sentence: string): Generator<{ segment: string; isWordLike: boolean; opens: boolean }> {
  function* plain(text: string) {
    for (const { segment, isWordLike = false } of segmentsIn.segment(text)) yield { segment, isWordLike, opens: false };
  }
  let end = 0;
  for (const { 0: segment, index, groups } of sentence.matchAll(TAG)) {
    yield* plain(sentence.slice(end, index));
    yield { segment, isWordLike: false, opens: groups?.slash === '' };
    end = index + segment.length;
  }
  yield* plain(sentence.slice(end));
}

type Detect = (text: string) => string | undefined;

/** Neighbours of one language are one stretch. */
function joinEqual(
  stretches: readonly Stretch[],
  detect: Detect,
  goesWithAny: (stretch: Stretch) => boolean = () => false,
): Stretch[] {
  const joined: Stretch[] = [];
  for (const stretch of stretches) {
    const before = joined.at(-1);
    const isOne = before?.language === stretch.language || goesWithAny(stretch) || (before && goesWithAny(before));
    if (before && isOne) joined[joined.length - 1] = join(before, stretch, detect);
    else joined.push(stretch);
  }
  return joined;
}

/** A wrapping tag without its other end would be spoken as words. */
function joinTagged(text: string, stretches: readonly Stretch[], detect: Detect): Stretch[] {
  const wrapped: { readonly from: number; readonly to: number }[] = [];
  const open: { readonly name: string | undefined; readonly from: number }[] = [];
  for (const { index, groups } of text.matchAll(TAG)) {
    if (groups?.slash === '') open.push({ name: groups.name, from: index });
    else if (groups?.slash) {
      const start = open.findLastIndex(({ name }) => name === groups.name);
      const opener = open[start];
      if (!opener) continue;
      open.length = start;
      wrapped.push({ from: opener.from, to: index });
    }
  }
  const joined: Stretch[] = [];
  let at = 0;
  for (const stretch of stretches) {
    const before = joined.at(-1);
    const isInside = wrapped.some(({ from, to }) => from < at && at <= to);
    if (before && isInside) joined[joined.length - 1] = join(before, stretch, detect);
    else joined.push(stretch);
    at += stretch.text.length;
  }
  return joined;
}

/** The shortest stretch goes with its longer neighbour, until none is too short. */
function joinShort(stretches: readonly Stretch[], detect: Detect): Stretch[] {
  const joined = [...stretches];
  while (joined.length > 1) {
    const least = Math.min(...joined.map(({ words }) => words));
    if (least >= LEAST_WORDS) break;
    const short = joined.findIndex(({ words }) => words === least);
    const isAfter = (joined[short + 1]?.words ?? -1) > (joined[short - 1]?.words ?? -1);
    const first = isAfter ? short : short - 1;
    joined.splice(first, 2, join(joined[first] as Stretch, joined[first + 1] as Stretch, detect));
  }
  return joined;
}

/** In the language of the longer one, where that is long enough to be a proof, or where it is the only one known. */
function join(one: Stretch, other: Stretch, detect: Detect): Stretch {
  const [shorter, longer] = one.words > other.words ? [other, one] : [one, other];
  const text = one.text + other.text;
  const words = one.words + other.words;
  const known = longer.language ?? shorter.language;
  const isProof = longer.words >= LEAST_WORDS || !longer.language || !shorter.language;
  return { text, words, language: isProof ? known : (detect(text) ?? known) };
}
