import { z } from 'zod';
import { UserError } from '../../errors/user-errors.ts';
import { firstLines, type Text, text } from '../../texts/catalog.ts';
import { inSlices } from '../time/slices.ts';
import { type DictionaryEntry, entryKey, MAX_ENTRIES, MAX_FROM, MAX_TO } from './dictionary.ts';
import { cleanCharacters, firstGraphemes } from './readable/characters.ts';
import { EMOJI, isEmoji } from './readable/emoji-names.ts';
import { readable } from './readable/readable.ts';

/**
 * Maximum UTF-16 units of a written or spoken form in a dictionary file. A stored form has up to 200, but the form in
 * the file may hold many invisible characters, which are removed.
 */
const MAX_AS_WRITTEN = 1_000;
/**
 * Maximum characters of a dictionary file: more than a full dictionary has as JSON, and few enough to parse in one
 * step.
 */
const MAX_FILE = 500_000;
/** How many problems of a dictionary file a reply lists, because a reply can have up to 4,000 characters. */
const MAX_PROBLEMS = 20;

const onOneLine = (words: string) => cleanCharacters(words).replaceAll(/\s+/gu, ' ').trim();

const writtenEntrySchema = z.object({
  from: z.string().max(MAX_AS_WRITTEN).transform(onOneLine).pipe(z.string().min(1).max(MAX_FROM)),
  to: z.string().max(MAX_AS_WRITTEN).transform(onOneLine).pipe(z.string().max(MAX_TO)),
  wholeWord: z.boolean().default(true),
  caseSensitive: z.boolean().optional(),
});

interface DictionaryImport {
  readonly entries: readonly DictionaryEntry[];
  /**
   * The dictionary file's problems, each with the number of its line or JSON entry. If there are any, nothing should be
   * imported.
   */
  readonly problems: readonly Text[];
  /** The dictionary file's first line, if it contains column names. */
  readonly header: string | undefined;
}

/** The rows of a dictionary file before validation: each with its fields or its problem. */
interface Table {
  readonly rows: readonly { readonly number: number; readonly value: unknown; readonly problem: Text | undefined }[];
  readonly header: string | undefined;
}

/**
 * Patterns of column names in hand-made dictionary files, in the bot's languages. A first line of column names is not
 * an entry.
 */
const HEADERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:from|written(?: form)?|word|original|text)$/iu, /^(?:to|spoken(?: form| as)?|pronunciation|replacement)$/iu],
  [/^(?:geschrieben|wort|schreibweise|original)$/iu, /^(?:gesprochen|aussprache|ersatz)$/iu],
  [
    /^(?:escrito|forma escrita|palabra|original|cómo se escribe)$/iu,
    /^(?:hablado|leído|forma leída|pronunciación|cómo se lee)$/iu,
  ],
];

/**
 * Reads a dictionary from a file.
 * - JSON, as `exportDictionary` writes it, or `{"written": "spoken"}`.
 * - Lines of `written⇥spoken`, or CSV in a file without tabs. A third column `part` means that an entry also matches
 *   inside words; a fourth column `case` means that case matters.
 * Rejects with a UserError if a file has no entries or too many.
 */
export async function importDictionary(file: string): Promise<DictionaryImport> {
  const pause = inSlices();
  await pause();
  if (file.length > MAX_FILE) throw new UserError(text('dictionary.file-too-large'));
  const content = file.replace(/^\uFEFF/u, '');
  const json = jsonTable(content.trim());
  const { rows, header } = json ?? tableOf(content);
  if (rows.length === 0) throw new UserError(text('dictionary.no-entries'));
  mustFit(rows.length);
  const problems: Text[] = [];
  const entries: DictionaryEntry[] = [];
  const seen = new Map<string, number>();
  for (const { number, value, problem } of rows) {
    await pause();
    let read = problem ?? readEntry(value);
    if (!('key' in read)) {
      const key = entryKey(read);
      const first = seen.get(key);
      if (first === undefined) {
        entries.push(read);
        seen.set(key, number);
        continue;
      }
      read = text('dictionary.twice', { from: read.from, first });
    }
    problems.push(text(json ? 'dictionary.in-entry' : 'dictionary.in-line', { number, problem: read }));
  }
  return { entries, header, problems: firstLines(problems, MAX_PROBLEMS) };
}

function mustFit(count: number): void {
  if (count > MAX_ENTRIES) throw new UserError(text('dictionary.too-many', { count, limit: MAX_ENTRIES }));
}

const segmenter = new Intl.Segmenter();

/**
 * True if a dictionary entry's written form has an emoji and other characters. Such a form never matches, because emoji
 * are replaced before the dictionary is applied.
 */
function isMixed(from: string): boolean {
  const graphemes = Array.from(segmenter.segment(from), ({ segment }) => segment);
  return graphemes.length > 1 && graphemes.some(isEmoji);
}

/** Returns a dictionary entry's written form without Markdown, because texts lose their Markdown before entries apply. */
function leftOf(from: string): string {
  const unknown = () => undefined;
  const nobody = { users: unknown, channels: unknown, roles: unknown };
  const words = readable(`a ${from} a`, { locale: 'en', now: 0, tags: 'keep', ...nobody });
  return words.slice('a '.length, -' a'.length);
}

/**
 * Matches a written form that is an identifier, such as `__init__`. In ordinary text, Discord takes its underscores for
 * formatting, so the form is also accepted if it can match only inside a code span.
 */
const IDENTIFIER = /^[\p{L}\p{N}_]+$/u;

/** The reason why a dictionary entry's written form never matches any text; undefined if it can match. */
function neverFound(from: string): Text | undefined {
  // A single emoji can be a dictionary entry: the dictionary is applied to it before the emoji is named.
  if (EMOJI.test(from)) return isMixed(from) ? text('dictionary.from-mixed') : undefined;
  const left = leftOf(from);
  const isIn = (words: string) => words.normalize().includes(from.normalize());
  if (isIn(left) || (IDENTIFIER.test(from) && isIn(leftOf(`\`${from}\``)))) return undefined;
  return text('dictionary.from-changed', { left: firstGraphemes(left, 30) });
}

const EXAMPLE = '{"from": "gif", "to": "jif", "wholeWord": true}';

export function readEntry(value: unknown): DictionaryEntry | Text {
  const result = writtenEntrySchema.safeParse(value, { reportInput: true });
  if (result.success) return neverFound(result.data.from) ?? result.data;
  const [issue] = result.error.issues;
  const field = issue?.path[0];
  // If a column is missing in a dictionary file, the error says that the value is missing, not that its type is wrong.
  const isOtherType = issue?.code === 'invalid_type' && issue.input !== undefined;
  if ((field !== 'from' && field !== 'to') || isOtherType) return text('dictionary.not-an-entry', { example: EXAMPLE });
  if (issue?.code !== 'too_big') return text('dictionary.form-missing', { form: field });
  const { length } = String(issue.input);
  return text('dictionary.form-too-long', { form: field, length, limit: field === 'from' ? MAX_FROM : MAX_TO });
}

/** Matches a cell that spreadsheets would run as a formula ('=1+1'), even with apostrophes before it. */
const FORMULA = /^'*[=+\-@]/;
/** Escapes words for a cell of a dictionary file, so that spreadsheets run no formula; `fromCell` undoes it. */
const toCell = (words: string): string => (FORMULA.test(words) ? `'${words}` : words);
const fromCell = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);

export function exportDictionary(entries: readonly DictionaryEntry[], format: 'json' | 'tsv'): string {
  if (format === 'json') return `${JSON.stringify(entries, null, 2)}\n`;
  const lines = entries.map(({ from, to, wholeWord, caseSensitive }) =>
    [toCell(from), toCell(to), wholeWord ? 'whole' : 'part', caseSensitive ? 'case' : ''].join('\t').trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/**
 * Merges imported entries into a server's dictionary, replacing entries with the same key, or replaces all entries.
 * Throws a UserError if there are too many.
 */
export function combineDictionaries(
  present: readonly DictionaryEntry[],
  imported: readonly DictionaryEntry[],
  how: 'merge' | 'replace',
) {
  const before = new Map(present.map((entry) => [entryKey(entry), entry]));
  const after = new Map(how === 'merge' ? before : []);
  const counts = { added: 0, changed: 0, removed: 0 };
  for (const entry of imported) {
    const old = before.get(entryKey(entry));
    if (!old) counts.added++;
    else if (old.from !== entry.from || old.to !== entry.to || old.wholeWord !== entry.wholeWord) counts.changed++;
    after.set(entryKey(entry), entry);
  }
  mustFit(after.size);
  counts.removed = [...before.keys()].filter((key) => !after.has(key)).length;
  return { entries: [...after.values()], counts };
}

const isSettingsFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'format' in value && /^crier-settings-/u.test(String(value.format));

/** The entries of a JSON dictionary file; undefined for a table. Throws a UserError for broken JSON. */
function jsonTable(content: string): Table | undefined {
  if (!/^[[{]/u.test(content)) return undefined;
  let value: object;
  try {
    value = JSON.parse(content) as object;
  } catch (error) {
    // A bracket at the start does not make a file JSON: the first word of a tab-separated table may begin with a
    // bracket.
    if (/^[^\r\n]*\t/u.test(content)) return undefined;
    // Node's error for broken JSON names the line, except if the file ends too soon: the reply names the last line
    // then.
    const line = /\(line (\d+) /u.exec(String(error))?.[1];
    throw new UserError(text('dictionary.broken-json', { line: Number(line ?? content.split('\n').length) }));
  }
  if (isSettingsFile(value)) throw new UserError(text('dictionary.is-settings', { page: text('settings.page.data') }));
  const list: unknown[] = Array.isArray(value) ? value : Object.entries(value).map(([from, to]) => ({ from, to }));
  return { header: undefined, rows: list.map((value, index) => ({ number: index + 1, value, problem: undefined })) };
}

type Separator = '\t' | ',' | ';';

/** Matches the first line of an Excel CSV that names the separator, such as 'sep=;'. */
const NAMED_SEPARATOR = /^"?sep=(?<separator>[\t,;])"?(?=[\r\n]|$)/iu;

/**
 * Finds the separator of a dictionary table: a tab, or else the first comma or semicolon outside of quotation marks.
 * Spreadsheets use semicolons in languages with a decimal comma.
 */
function separatorOf(content: string): Separator {
  const named = NAMED_SEPARATOR.exec(content)?.groups?.separator;
  if (named !== undefined) return named as Separator;
  if (content.includes('\t')) return '\t';
  return /[,;]/u.exec(content.replaceAll(/"[^"]*"/gu, ''))?.[0] === ';' ? ';' : ',';
}

/**
 * Yields the non-empty rows of a dictionary table, with the number of their first line. In CSV, a cell with a separator
 * or line break is in quotation marks, and a quotation mark in it is doubled.
 */
function* rowsOf(content: string, separator: Separator): Generator<{ number: number; line: string; cells: string[] }> {
  const quoted = String.raw`[^\S\r\n]*"(?<quoted>(?:[^"]|"")*)"[^\S\r\n]*(?=[${separator}\r\n]|$)|`;
  const plain = String.raw`(?<plain>[^${separator}\r\n]*)`;
  const cell = new RegExp(
    String.raw`(?:${separator === '\t' ? '' : quoted}${plain})(?<end>${separator}|\r\n?|\n|$)`,
    'guy',
  );
  let [number, line, cells]: [number, string, string[]] = [1, '', []];
  for (const { 0: raw, groups } of content.matchAll(cell)) {
    line += raw;
    cells.push((groups?.quoted?.replaceAll('""', '"') ?? groups?.plain ?? '').trim());
    if (groups?.end === separator) continue;
    if (line.trim() !== '') yield { number, line, cells };
    number += line.match(/\r\n?|\n/gu)?.length ?? 0;
    [line, cells] = ['', []];
  }
}

function tableOf(content: string): Table {
  const separator = separatorOf(content);
  const lines = [...rowsOf(content.replace(NAMED_SEPARATOR, ''), separator)];
  const [first] = lines;
  const [from = '', to, part] = first?.cells ?? [];
  const hasHeader =
    to !== undefined && part !== 'whole' && HEADERS.some(([written, spoken]) => written.test(from) && spoken.test(to));
  return {
    header: hasHeader ? first?.line.trim().replaceAll('\t', ' ') : undefined,
    rows: (hasHeader ? lines.slice(1) : lines).map(({ number, cells }) => {
      const problem = columnProblem(cells, separator);
      return { number, problem, value: problem ? undefined : entryOf(cells) };
    }),
  };
}

function columnProblem([, to, part = '', exact = '']: readonly string[], separator: Separator): Text | undefined {
  if (to === undefined) return text('dictionary.no-tab', { separator: separator === '\t' ? 'tab' : 'other' });
  if (['', 'whole', 'part'].includes(part.toLowerCase()) && ['', 'case'].includes(exact.toLowerCase()))
    return undefined;
  if (separator === '\t') return text('dictionary.columns');
  return text('dictionary.columns-csv', { separator, example: `"ha${separator} ha"` });
}

const entryOf = ([from = '', to = '', part = '', exact = '']: readonly string[]): Partial<DictionaryEntry> => ({
  from: fromCell(from),
  to: fromCell(to),
  wholeWord: part.toLowerCase() !== 'part',
  caseSensitive: exact === '' ? undefined : true,
});
