import { withoutFaces } from '../../language/faces.ts';
import { areKanji, isKanjiAlone } from '../../language/kanji.ts';
import { languagesOf, mainScript } from '../../language/scripts.ts';
import type { TextWork } from './text-thread.ts';

export interface Writer {
  /** Whose turn the work counts as: a server, or a user in direct messages. */
  readonly owner: string;
  /** The languages that the writer may use, the likeliest first. */
  readonly likely: readonly string[];
}

/** More of a text is no better proof. */
const PROOF_CHARACTERS = 1_000;

/** The language of a text, as an ISO 639-1 code; the writer's likeliest where the text is no proof. */
export const languageOfText = async (
  written: string,
  writer: Writer,
  textWork: TextWork,
): Promise<string | undefined> => (await provenLanguage(written, writer, textWork)) ?? writer.likely[0];

/**
 * The same; undefined where the text is no proof. Where its letters are not enough, the text thread finds it: its table takes
 * 0.2 s to load.
 */
export async function provenLanguage(
  written: string,
  { owner, likely }: Writer,
  textWork: TextWork,
): Promise<string | undefined> {
  const words = withoutFaces(written.slice(0, PROOF_CHARACTERS));
  const script = mainScript(words);
  const [only, ...others] = script === undefined ? [] : languagesOf(script);
  if (only === undefined || others.length === 0) return only;
  // The thread has logged why.
  return textWork.run(owner, { kind: 'language', words, likely }).catch(() => undefined);
}

/** Whether the Chinese characters in a text are kanji to its writer. */
export const hasKanjiOf = ({ likely }: Writer, words: string): boolean => areKanji(words, likely);

/** The language of a text that is not examined: Japanese, where it is kanji alone, which nothing in it says. */
export const languageOfKanji = ({ likely }: Writer, words: string): string | undefined =>
  isKanjiAlone(words, likely) ? 'ja' : undefined;
