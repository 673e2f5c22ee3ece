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

interface Stretch extends LanguagePassage {
  readonly words: number;
}

/**
 * Cuts a text where its language changes, at the ends of sentences and where the script changes; never inside a word, nor
 * into stretches of less than three words. `detect` finds the language of a stretch.
 */
export function cutByLanguage(text: string, detect: Detect): LanguagePassage[] {
  const stretches = [...sentences.segment(text)].flatMap(({ segment }) => scriptRuns(segment));
  const known = stretches.map((stretch): Stretch => ({ ...stretch, language: languageOf(stretch, detect) }));
  const long = joinShort(joinEqual(known, detect), detect);
  // What is no proof goes with its neighbour.
  const passages = joinEqual(long, detect, ({ language }) => language === undefined);
  return passages.map(({ text, language }) => ({ text, language }));
}

/** A word or two in Latin letters may be a name. */
function languageOf({ text, words }: Omit<Stretch, 'language'>, detect: Detect) {
  const script = mainScript(text);
  if (script === undefined || (script === 'Latin' && words < LEAST_WORDS)) return undefined;
  return detect(text);
}

/** A sentence where its script changes; what is no word goes with the word before it. */
function scriptRuns(sentence: string): Omit<Stretch, 'language'>[] {
  const hasKana = isJapanese(sentence);
  const scriptOf = (word: string): Script | undefined => {
    const script = mainScript(word);
    return script === 'Han' && hasKana ? 'Kana' : script;
  };
  const runs: { text: string; words: number; script: Script | undefined }[] = [];
  for (const { segment, isWordLike } of segmentsIn.segment(sentence)) {
    const run = runs.at(-1);
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
