import { type LanguageDetector, loadLanguageDetector } from '../../language/detection.ts';
import { withoutFaces } from '../../language/faces.ts';
import { areKanji, isKanjiAlone, languagesOf, mainScript } from '../../language/scripts.ts';

export interface Writer {
  /** The languages that the writer may use, the likeliest first. */
  readonly likely: readonly string[];
}

/** More of a text is no better proof. */
const PROOF_CHARACTERS = 1_000;

/** The language of a text, as an ISO 639-1 code; the writer's likeliest where the text is no proof. */
export const languageOfText = async (written: string, writer: Writer): Promise<string | undefined> =>
  (await provenLanguage(written, writer)) ?? writer.likely[0];

let detector: Promise<LanguageDetector> | undefined;

/** The same; undefined where the text is no proof. */
export async function provenLanguage(written: string, { likely }: Writer): Promise<string | undefined> {
  const words = withoutFaces(written.slice(0, PROOF_CHARACTERS));
  const script = mainScript(words);
  const [only, ...others] = script === undefined ? [] : languagesOf(script);
  if (only === undefined || others.length === 0) return only;
  // Its table is read only where letters are not enough.
  detector ??= loadLanguageDetector();
  return (await detector).detect(words, likely);
}

/** Whether the Chinese characters in a text are kanji to its writer. */
export const hasKanjiOf = ({ likely }: Writer, words: string): boolean => areKanji(words, likely);

/** The language of a text that is not examined: Japanese, where it is kanji alone, which nothing in it says. */
export const languageOfKanji = ({ likely }: Writer, words: string): string | undefined =>
  isKanjiAlone(words, likely) ? 'ja' : undefined;
