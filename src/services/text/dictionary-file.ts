import { z } from 'zod';
import { firstLines, type Text, text } from '../../texts/catalog.ts';
import { inSlices } from '../time/slices.ts';
import { type DictionaryEntry, entryKey, LONGEST_FROM, LONGEST_TO, MOST_ENTRIES } from './dictionary.ts';
import { cleanCharacters, firstGraphemes } from './readable/characters.ts';
import { EMOJI, isEmoji } from './readable/emoji-names.ts';
import { readable } from './readable/readable.ts';

/** Units in the file: several times the length that remains after composing and removing invisible characters. */
const LONGEST_AS_WRITTEN = 1_000;
/** More than a full dictionary as JSON, and read in one turn of the event loop. */
const LARGEST_FILE = 500_000;
/** Enough to see the problem; a reply has 4,000 characters. */
const MOST_PROBLEMS = 20;

const onOneLine = (words: string) => cleanCharacters(words).replaceAll(/\s+/gu, ' ').trim();

const writtenEntrySchema = z.object({
  from: z.string().max(LONGEST_AS_WRITTEN).transform(onOneLine).pipe(z.string().min(1).max(LONGEST_FROM)),
  to: z.string().max(LONGEST_AS_WRITTEN).transform(onOneLine).pipe(z.string().max(LONGEST_TO)),
  wholeWord: z.boolean().default(true),
  caseSensitive: z.boolean().optional(),
});

export type DictionaryImport =
  /** `header`: the first line, which was taken for names of columns. */
  | { readonly ok: true; readonly entries: readonly DictionaryEntry[]; readonly header: string | undefined }
  /** Nothing was imported: what is wrong with the file as a whole, or line by line. */
  | { readonly ok: false; readonly problem: Text }
  | { readonly ok: false; readonly problems: readonly Text[] };

/** The fields of one entry of a file, before validation. */
interface Row {
  readonly number: number;
  readonly value: unknown;
  readonly problem: Text | undefined;
}

interface Table {
  readonly rows: readonly Row[];
  readonly header: string | undefined;
}

/** First lines of hand-made tables, which should not be spoken: written and spoken in the bot's languages. */
const HEADERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:from|written(?: form)?|word|original|text)$/iu, /^(?:to|spoken(?: form| as)?|pronunciation|replacement)$/iu],
  [/^(?:geschrieben|wort|schreibweise|original)$/iu, /^(?:gesprochen|aussprache|ersatz)$/iu],
  [
    /^(?:escrito|forma escrita|palabra|original|cómo se escribe)$/iu,
    /^(?:hablado|leído|forma leída|pronunciación|cómo se lee)$/iu,
  ],
];

const isHeader = (written: string, spoken: string): boolean =>
  HEADERS.some(([from, to]) => from.test(written) && to.test(spoken));

/**
 * Reads a dictionary from a file: JSON as `exportDictionary` writes it (or `{"written": "spoken"}`), or lines of
 * `written⇥spoken` (of CSV in a file without a tab), with `part` in a third column where it also counts inside words and
 * `case` in a fourth.
 */
export async function importDictionary(file: string): Promise<DictionaryImport> {
  const pause = inSlices();
  await pause();
  if (file.length > LARGEST_FILE) return failed(text('dictionary.file-too-large'));
  const content = file.replace(/^\uFEFF/u, '').trim();
  const parsed = /^[[{]/u.test(content) ? jsonRows(content) : undefined;
  // A word may begin with a bracket.
  const json = parsed !== undefined && !('key' in parsed && /^[^\r\n]*\t/u.test(content));
  const table = json ? parsed : tableOf(file.replace(/^\uFEFF/u, ''));
  if ('key' in table) return failed(table);
  const { rows, header } = table;
  if (rows.length === 0) return failed(text('dictionary.no-entries'));
  if (rows.length > MOST_ENTRIES) {
    return failed(text('dictionary.too-many', { count: rows.length, limit: MOST_ENTRIES }));
  }
  const at = (number: number, problem: Text) =>
    json ? text('dictionary.in-entry', { number, problem }) : text('dictionary.in-line', { number, problem });
  const problems: Text[] = [];
  const entries: DictionaryEntry[] = [];
  const seen = new Map<string, number>();
  for (const { number, value, problem } of rows) {
    await pause();
    const read = problem ?? readEntry(value);
    if ('key' in read) {
      problems.push(at(number, read));
      continue;
    }
    const first = seen.get(entryKey(read));
    if (first === undefined) entries.push(read);
    else problems.push(at(number, text('dictionary.twice', { from: read.from, first })));
    seen.set(entryKey(read), first ?? number);
  }
  if (problems.length === 0) return { ok: true, entries, header };
  return { ok: false, problems: firstLines(problems, MOST_PROBLEMS) };
}

const segmenter = new Intl.Segmenter();

/** Each emoji of a text is named, or spoken as the dictionary has it alone, before words are looked up. */
function isMixed(from: string): boolean {
  if (!EMOJI.test(from)) return false;
  const graphemes = Array.from(segmenter.segment(from), ({ segment }) => segment);
  return graphemes.length > 1 && graphemes.some(isEmoji);
}

/** What becomes of a written form between other words, before words are looked up. */
function leftOf(from: string): string {
  const unknown = () => undefined;
  const nobody = { users: unknown, channels: unknown, roles: unknown };
  const words = readable(`a ${from} a`, { locale: 'en', now: 0, tags: 'keep', ...nobody });
  return words.slice('a '.length, -' a'.length);
}

/** A name like `__init__`, which is formatting outside of code. */
const IDENTIFIER = /^[\p{L}\p{N}_]+$/u;

/** Why a written form is never found in any text. */
function neverFound(from: string): Text | undefined {
  if (isMixed(from)) return text('dictionary.from-mixed');
  // An emoji alone is looked up before it is named.
  if (EMOJI.test(from)) return undefined;
  const left = leftOf(from);
  const isIn = (words: string) => words.normalize().includes(from.normalize());
  if (isIn(left) || (IDENTIFIER.test(from) && isIn(leftOf(`\`${from}\``)))) return undefined;
  return text('dictionary.from-changed', { left: firstGraphemes(left, 30) });
}

const EXAMPLE = '{"from": "gif", "to": "jif", "wholeWord": true}';

/** An entry in its stored form, or its problem. */
export function readEntry(value: unknown): DictionaryEntry | Text {
  const result = writtenEntrySchema.safeParse(value, { reportInput: true });
  if (result.success) return neverFound(result.data.from) ?? result.data;
  const [issue] = result.error.issues;
  const field = issue?.path[0];
  if (field !== 'from' && field !== 'to') return text('dictionary.not-an-entry', { example: EXAMPLE });
  // What is there, but for nothing at all, as in a table's missing column.
  if (issue?.code === 'invalid_type' && issue.input !== undefined) return notWords(field, value, issue.input);
  if (issue?.code !== 'too_big') return text(`dictionary.${field}-missing`);
  // Whichever form was too long: cleaned, or as written.
  const { length } = String(issue.input);
  return text(`dictionary.${field}-too-long`, { length, limit: field === 'from' ? LONGEST_FROM : LONGEST_TO });
}

/** The error for an entry such as `{"hello": 1}`. */
function notWords(field: 'from' | 'to', value: unknown, input: unknown): Text {
  const found = firstGraphemes(JSON.stringify(input).slice(0, LONGEST_TO), 30);
  if (field === 'from') return text('dictionary.from-not-text', { found, example: '"gif"' });
  const { from } = value as { readonly from: string };
  const written = firstGraphemes(onOneLine(from.slice(0, LONGEST_FROM)), 30);
  return text('dictionary.to-not-text', { from: written, found, example: '"jif"' });
}

/** What a spreadsheet takes for the beginning of a formula, behind the apostrophes that keep it from that. */
const FORMULA = /^'*[=+\-@]/;
/** Writes words as a table's cell; `fromCell` reverses it. */
const toCell = (words: string): string => (FORMULA.test(words) ? `'${words}` : words);
const fromCell = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);

export function exportDictionary(entries: readonly DictionaryEntry[], format: 'json' | 'tsv' = 'json'): string {
  if (format === 'json') return `${JSON.stringify(entries, null, 2)}\n`;
  return entries
    .map(({ from, to, wholeWord, caseSensitive }) =>
      [toCell(from), toCell(to), wholeWord ? 'whole' : 'part', caseSensitive ? 'case' : ''].join('\t').trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

type DictionaryChange =
  | {
      readonly ok: true;
      readonly entries: readonly DictionaryEntry[];
      readonly added: number;
      readonly changed: number;
      readonly removed: number;
    }
  | { readonly ok: false; readonly problem: Text };

/** Adds imported entries to the present ones, replacing those with the same words; or replaces all. */
export function combineDictionaries(
  present: readonly DictionaryEntry[],
  imported: readonly DictionaryEntry[],
  how: 'merge' | 'replace',
): DictionaryChange {
  const before = new Map(present.map((entry) => [entryKey(entry), entry]));
  const after = how === 'merge' ? new Map(before) : new Map<string, DictionaryEntry>();
  let added = 0;
  let changed = 0;
  for (const entry of imported) {
    const old = before.get(entryKey(entry));
    if (!old) added++;
    else if (!sameEntry(old, entry)) changed++;
    after.set(entryKey(entry), entry);
  }
  if (after.size > MOST_ENTRIES) {
    return { ok: false, problem: text('dictionary.too-many', { count: after.size, limit: MOST_ENTRIES }) };
  }
  const removed = [...before.keys()].filter((key) => !after.has(key)).length;
  return { ok: true, entries: [...after.values()], added, changed, removed };
}

function sameEntry(a: DictionaryEntry, b: DictionaryEntry): boolean {
  return a.from === b.from && a.to === b.to && a.wholeWord === b.wholeWord;
}

function failed(problem: Text): DictionaryImport {
  return { ok: false, problem };
}

/** True for a file that /settings panel exports. */
const isSettingsFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'format' in value && /^crier-settings-/u.test(String(value.format));

function jsonRows(content: string): Table | Text {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    // Node's message gives the position, except for an unexpected end of the file.
    const line = /\(line (\d+) /u.exec(String(error))?.[1];
    return text('dictionary.broken-json', { line: Number(line ?? content.split('\n').length) });
  }
  if (isSettingsFile(value)) return text('dictionary.is-settings', { page: text('settings.page.data') });
  const list = Array.isArray(value)
    ? value
    : Object.entries(value as Readonly<Record<string, unknown>>).map(([from, to]) => ({ from, to }));
  return { header: undefined, rows: list.map((value, index) => ({ number: index + 1, value, problem: undefined })) };
}

type Separator = '\t' | ',' | ';';

/** Excel's first line of a CSV names its separator. */
const NAMED_SEPARATOR = /^"?sep=(?<separator>[\t,;])"?(?=[\r\n]|$)/iu;

/** Spreadsheets write semicolons where the comma is the decimal sign: the first one outside of quotation marks tells. */
function separatorOf(content: string): Separator {
  const named = NAMED_SEPARATOR.exec(content)?.groups?.separator;
  if (named !== undefined) return named as Separator;
  if (content.includes('\t')) return '\t';
  return /[,;]/u.exec(content.replaceAll(/"[^"]*"/gu, ''))?.[0] === ';' ? ';' : ',';
}

/**
 * The rows of a table that are not empty, by the line they begin in. In CSV, a cell that holds the separator or a line break is
 * in quotation marks, and one of those in it is doubled.
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
  const hasHeader = to !== undefined && part !== 'whole' && isHeader(from, to);
  return {
    header: hasHeader ? first?.line.trim().replaceAll('\t', ' ') : undefined,
    rows: (hasHeader ? lines.slice(1) : lines).map(({ number, cells }) => ({ number, ...readCells(cells, separator) })),
  };
}

function readCells(
  cells: readonly string[],
  separator: Separator,
): { readonly value: unknown; problem: Text | undefined } {
  const [from = '', to, part = '', exact = ''] = cells;
  if (to === undefined) {
    const problem = text('dictionary.no-tab', { separator: separator === '\t' ? 'tab' : 'other' });
    return { value: undefined, problem };
  }
  if (!['', 'whole', 'part'].includes(part.toLowerCase()) || !['', 'case'].includes(exact.toLowerCase())) {
    const example = `"ha${separator} ha"`;
    const problem =
      separator === '\t' ? text('dictionary.columns') : text('dictionary.columns-csv', { separator, example });
    return { value: undefined, problem };
  }
  const caseSensitive = exact === '' ? undefined : true;
  const value = { from: fromCell(from), to: fromCell(to), wholeWord: part.toLowerCase() !== 'part', caseSensitive };
  return { value, problem: undefined };
}
