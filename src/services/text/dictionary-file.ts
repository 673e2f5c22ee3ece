import { z } from 'zod';
import { UserError } from '../../errors/user-errors.ts';
import { firstLines, type Text, text } from '../../texts/catalog.ts';
import { inSlices, type Pause } from '../time/slices.ts';
import { type DictionaryEntry, entryKey, entrySchema, MAX_ENTRIES, MAX_FROM, MAX_TO } from './dictionary.ts';
import { cleanCharacters, firstGraphemes } from './readable/characters.ts';
import { emojiIn } from './readable/emoji-names.ts';
import { readable } from './readable/readable.ts';

/** Maximum length of `from` and `to` before invisible characters are removed. MAX_FROM and MAX_TO apply afterwards. */
const MAX_AS_WRITTEN = 1_000;
/** Maximum characters of a file: more than a full dictionary has as JSON, and few enough to parse in one step. */
const MAX_FILE = 500_000;
/** How many problems a reply lists, because it can have up to 4,000 characters. */
const MAX_PROBLEMS = 20;

const onOneLine = (words: string) => cleanCharacters(words).replaceAll(/\s+/gu, ' ').trim();

const writtenEntrySchema = entrySchema.extend({
  from: z.string().max(MAX_AS_WRITTEN).transform(onOneLine).pipe(z.string().min(1).max(MAX_FROM)),
  to: z.string().max(MAX_AS_WRITTEN).transform(onOneLine).pipe(z.string().max(MAX_TO)),
});

interface Table {
  readonly rows: readonly { readonly number: number; read(pause: Pause): ReturnType<typeof readEntry> }[];
  /** The file's first line, if it contains column names. */
  readonly header: string | undefined;
}

/** Column names in hand-made dictionary files, in the bot's languages. Such a first line is not an entry. */
const HEADERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(?:from|written(?: form)?|word|original|text)$/iu, /^(?:to|spoken(?: form| as)?|pronunciation|replacement)$/iu],
  [/^(?:geschrieben|wort|schreibweise|original)$/iu, /^(?:gesprochen|aussprache|ersatz)$/iu],
  [
    /^(?:escrito|forma escrita|palabra|original|cómo se escribe)$/iu,
    /^(?:hablado|leído|forma leída|pronunciación|cómo se lee)$/iu,
  ],
];

/**
 * Reads JSON, as `exportDictionary` writes it, or `{"written": "spoken"}`. Otherwise, reads lines of `written⇥spoken`,
 * or CSV in a file without tabs. A third column `part` means that an entry also matches inside words; a fourth column
 * `case` means that case matters. Rejects with a UserError if a file has no entries or too many.
 */
export async function importDictionary(file: string) {
  const pause = inSlices();
  await pause();
  if (file.length > MAX_FILE) throw new UserError(text('dictionary.file-too-large'));
  const content = file.replace(/^\uFEFF/u, '');
  const json = jsonTable(content.trim());
  const { rows, header } = json ?? tableOf(content);
  if (rows.length === 0) throw new UserError(text('dictionary.no-entries'));
  mustFit(rows.length);
  /** Each problem names the number of its line or JSON entry. If there is a problem, nothing should be imported. */
  const problems: Text[] = [];
  const entries: DictionaryEntry[] = [];
  const seen = new Map<string, number>();
  for (const { number, read } of rows) {
    // Checking a wrong row takes time too, and `read` does not pause for it.
    await pause();
    let row = await read(pause);
    if (!('key' in row)) {
      const key = entryKey(row);
      const first = seen.get(key);
      if (first === undefined) {
        entries.push(row);
        seen.set(key, number);
        continue;
      }
      row = text('dictionary.twice', { from: row.from, first });
    }
    problems.push(text(json ? 'dictionary.in-entry' : 'dictionary.in-line', { number, problem: row }));
  }
  return { entries, header, problems: firstLines(problems, MAX_PROBLEMS) };
}

function mustFit(count: number): void {
  if (count > MAX_ENTRIES) throw new UserError(text('dictionary.too-many', { count, limit: MAX_ENTRIES }));
}

/** Returns a written form as readable() leaves it, without Markdown: the dictionary is applied to texts without Markdown. */
async function leftOf(from: string, pause: Pause): Promise<string> {
  const unknown = () => undefined;
  const nobody = { users: unknown, channels: unknown, roles: unknown };
  const words = await readable(`a ${from} a`, { locale: 'en', now: 0, tags: 'keep', ...nobody }, new Map(), pause);
  return words.slice('a '.length, -' a'.length);
}

/** Discord takes the underscores of `__init__` for formatting, so such a form may match only inside a code span. */
const IDENTIFIER = /^[\p{L}\p{N}_]+$/u;

/** The reason why a dictionary entry's written form never matches any text; undefined if it can match. */
async function neverFound(from: string, pause: Pause): Promise<Text | undefined> {
  const [emoji] = emojiIn(from);
  // An entry for a lone emoji replaces the emoji's name. A mixed entry never matches, because texts lose emoji first.
  if (emoji !== undefined) return emoji === from ? undefined : text('dictionary.from-mixed');
  const left = await leftOf(from, pause);
  const isIn = (words: string) => words.normalize().includes(from.normalize());
  if (isIn(left) || (IDENTIFIER.test(from) && isIn(await leftOf(`\`${from}\``, pause)))) return undefined;
  return text('dictionary.from-changed', { left: firstGraphemes(left, 30) });
}

const EXAMPLE = '{"from": "gif", "to": "jif", "wholeWord": true}';

export async function readEntry(value: unknown, pause: Pause): Promise<DictionaryEntry | Text> {
  const result = writtenEntrySchema.safeParse(value, { reportInput: true });
  if (result.success) return (await neverFound(result.data.from, pause)) ?? result.data;
  const [issue] = result.error.issues;
  const field = issue?.path[0];
  // A missing column counts as a missing value, not as one of the wrong type.
  const isOtherType = issue?.code === 'invalid_type' && issue.input !== undefined;
  if ((field !== 'from' && field !== 'to') || isOtherType) return text('dictionary.not-an-entry', { example: EXAMPLE });
  if (issue?.code !== 'too_big') return text('dictionary.form-missing', { form: field });
  const { length } = String(issue.input);
  return text('dictionary.form-too-long', { form: field, length, limit: field === 'from' ? MAX_FROM : MAX_TO });
}

/** Matches a cell that spreadsheets would run as a formula ('=1+1'), even with apostrophes before it. */
const FORMULA = /^'*[=+\-@]/;
/** Escapes words for a cell, so that spreadsheets run no formula; `fromCell` undoes it. */
const toCell = (words: string): string => (FORMULA.test(words) ? `'${words}` : words);
const fromCell = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);

export function exportDictionary(entries: readonly DictionaryEntry[], format: 'json' | 'tsv'): string {
  if (format === 'json') return `${JSON.stringify(entries, null, 2)}\n`;
  const lines = entries.map(({ from, to, wholeWord, caseSensitive }) =>
    [toCell(from), toCell(to), wholeWord ? 'whole' : 'part', caseSensitive ? 'case' : ''].join('\t').trimEnd(),
  );
  return lines.map((line) => `${line}\n`).join('');
}

/** Throws a UserError if there are too many entries. */
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

/** Reads a dictionary file in JSON. Undefined if the file is a text table. Throws a UserError for broken JSON. */
function jsonTable(content: string): Table | undefined {
  if (!/^[[{]/u.test(content)) return undefined;
  let value: object;
  try {
    value = JSON.parse(content) as object;
  } catch (error) {
    // Broken JSON with a tab in its first line is a tab-separated table whose first word begins with a bracket.
    if (/^[^\r\n]*\t/u.test(content)) return undefined;
    // Node's error for broken JSON names the line, unless the file ends too soon. The problem is then in the last line.
    const line = /\(line (\d+) /u.exec(String(error))?.[1];
    throw new UserError(text('dictionary.broken-json', { line: Number(line ?? content.split('\n').length) }));
  }
  if (isSettingsFile(value)) throw new UserError(text('dictionary.is-settings', { page: text('settings.page.data') }));
  const list: unknown[] = Array.isArray(value) ? value : Object.entries(value).map(([from, to]) => ({ from, to }));
  const rows = list.map((value, index) => ({ number: index + 1, read: (pause: Pause) => readEntry(value, pause) }));
  return { header: undefined, rows };
}

/** Matches the first line of an Excel CSV that names the separator, such as 'sep=;'. */
const NAMED_SEPARATOR = /^"?sep=(?<separator>[\t,;])"?(?=[\r\n]|$)/iu;

/** The separator of a table: the named one, else a tab, else the first comma or semicolon outside of quotation marks. */
function separatorOf(content: string): string {
  const named = NAMED_SEPARATOR.exec(content)?.groups?.separator;
  if (named !== undefined) return named;
  if (content.includes('\t')) return '\t';
  return /[,;]/u.exec(content.replaceAll(/"[^"]*"/gu, ''))?.[0] === ';' ? ';' : ',';
}

/** Yields the non-empty rows with the number of their first line. In CSV, a quoted cell may hold line breaks. */
function* rowsOf(content: string, separator: string): Generator<{ number: number; line: string; cells: string[] }> {
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
    rows: (hasHeader ? lines.slice(1) : lines).map(({ number, cells }) => ({
      number,
      read: async (pause) => columnProblem(cells, separator) ?? readEntry(entryOf(cells), pause),
    })),
  };
}

function columnProblem([, to, part = '', exact = '']: readonly string[], separator: string): Text | undefined {
  const named = separator === '\t' ? 'tab' : separator;
  if (to === undefined) return text('dictionary.no-tab', { separator: named });
  if (['', 'whole', 'part'].includes(part.toLowerCase()) && ['', 'case'].includes(exact.toLowerCase()))
    return undefined;
  return text('dictionary.columns', { separator: named, example: `"ha${separator} ha"` });
}

const entryOf = ([from = '', to = '', part = '', exact = '']: readonly string[]): Partial<DictionaryEntry> => ({
  from: fromCell(from),
  to: fromCell(to),
  wholeWord: part.toLowerCase() !== 'part',
  caseSensitive: exact === '' ? undefined : true,
});
