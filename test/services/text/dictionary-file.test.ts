import { describe, expect, it } from 'vitest';
import type { UserError } from '../../../src/errors/user-errors.ts';
import {
  type DictionaryEntry,
  dictionarySchema,
  MAX_ENTRIES,
  MAX_FROM,
  MAX_TO,
} from '../../../src/services/text/dictionary.ts';
import { combineDictionaries, exportDictionary, importDictionary } from '../../../src/services/text/dictionary-file.ts';
import { render } from '../../../src/texts/catalog.ts';
import { leastCpuMs } from './readable/cpu-time.ts';

const GIF: DictionaryEntry = { from: 'gif', to: 'jif', wholeWord: true };
const ENTRIES: readonly DictionaryEntry[] = [
  { from: 'Crier', to: 'cryer', wholeWord: true },
  { from: 'lol', to: 'ha, ha', wholeWord: false },
  { from: 'IT', to: 'I T', wholeWord: true, caseSensitive: true },
  { from: '東京', to: 'Tokyo', wholeWord: true },
];

async function imported(file: string): Promise<readonly DictionaryEntry[]> {
  const result = await importDictionary(file);
  expect(result.problems).toEqual([]);
  return result.entries;
}

const problems = (file: string): Promise<string[]> =>
  importDictionary(file).then(
    (result) => result.problems.map((problem) => render(problem)),
    (error: UserError) => [render(error.text)],
  );

describe('a dictionary as a file', () => {
  it.each(['json', 'tsv'] as const)('comes back from %s as it was, also where it looks like a header', async (as) => {
    const named = [{ from: 'from', to: 'to', wholeWord: true }];
    expect(await imported(exportDictionary(named, as))).toEqual(named);
    expect(dictionarySchema.parse(await imported(exportDictionary(ENTRIES, as)))).toEqual(ENTRIES);
  });

  it('has nothing in a table that a spreadsheet would take for a formula, and is read back as it was', async () => {
    const entries = ['=1+1', '+a', '-b', '@c', "'=d", "'e"].map((from) => ({ from, to: from, wholeWord: false }));
    const table = exportDictionary(entries, 'tsv');
    expect(table).not.toMatch(/^[=+\-@]|\t[=+\-@]/m);
    expect(await imported(table)).toEqual(entries);
  });

  it('may be a plain object, or lines with two columns', async () => {
    const plain = [{ from: 'a', to: 'b', wholeWord: true }];
    expect(await imported('{"a": "b"}')).toEqual(plain);
    expect(await imported('\uFEFFa\tb\r\n\r\n')).toEqual(plain);
    // Without what could not be written or heard.
    expect(await imported(JSON.stringify([{ from: ' a\n\u200B', to: 'b\u202E' }]))).toEqual(plain);
  });

  const HEADERS = ['Written form\tSpoken form', 'Schreibweise\tAussprache', 'Cómo se escribe\tCómo se lee'];
  it.each(HEADERS)('may begin with a line that names the columns (%j), in which no entry is seen', async (header) => {
    const withHeader = await importDictionary(`${header}\ngif\tjif\n`);
    expect(withHeader).toEqual({ entries: [GIF], problems: [], header: header.replaceAll('\t', ' ') });
    // Further down it is a line like any other.
    expect(await imported(`gif\tjif\n${header}`)).toHaveLength(2);
  });

  it('may be the CSV of a spreadsheet, with commas or semicolons, where it has no tab', async () => {
    const entries = [
      { from: 'lol', to: 'ha, ha', wholeWord: true },
      { from: '5" disk', to: 'floppy', wholeWord: false },
      { from: 'ahem', to: '', wholeWord: true },
    ];
    expect(await imported('Written,Spoken\r\nlol,"ha, ha"\r\n"5"" disk", floppy ,part\r\nahem,\r\n')).toEqual(entries);
    expect(await imported('lol;ha, ha\n\n5" disk;floppy;part\nahem;\n')).toEqual(entries);
    // With a tab the comma is the author's.
    expect(await imported('lol\tha, ha')).toEqual(entries.slice(0, 1));
    expect(await problems('gif,jif\nlol,ha, ha\n,nothing\nno separator\n"open,x')).toEqual([
      'Line 2: The third column must be “whole” or “part”; the fourth can be “case” or empty. Put a form that has a “,” in quotation marks: "ha, ha"',
      'Line 3: The written form is missing.',
      expect.stringMatching(/^Line 4: There is no tab or comma /),
    ]);
  });

  it('may have line breaks in the quoted cells of CSV', async () => {
    const csv = 'lol,"laughing\r\nout loud"\r\n"a\nb",c,part\r\n\r\nno separator\r\n';
    expect(await problems(csv)).toEqual([expect.stringMatching(/^Line 6: There is no tab or comma /)]);
    expect(await imported(csv.replace('no separator', ''))).toEqual([
      { from: 'lol', to: 'laughing out loud', wholeWord: true },
      { from: 'a b', to: 'c', wholeWord: false },
    ]);
    // What only begins with a quotation mark is no quoted cell.
    expect(await imported('"tis,it is\n"twas,it was')).toMatchObject([{ from: '"tis' }, { from: '"twas' }]);
  });

  it.each([
    ['sep=;\r\n', ';'],
    ['\uFEFFSEP=,\n', ','],
    ['"sep=;"\n', ';'],
    ['sep=\t\n', '\t'],
  ])('may begin with the line in which Excel names the separator: %j', async (first, separator) => {
    expect(await imported(`${first}Written${separator}Spoken\ngif${separator}jif\n`)).toEqual([GIF]);
    expect(await problems(`${first}gif`)).toEqual([expect.stringMatching(/^Line 2: /)]);
  });

  it('is told from exported settings', async () => {
    const settings = JSON.stringify({ format: 'crier-settings-1', settings: { queueLimit: 3 } });
    expect(await problems(settings)).toEqual([expect.stringMatching(/^That file has the settings of a server, /)]);
  });

  it('reports the problem of every line, and imports nothing', async () => {
    const file = ['a\tb', 'no tab', '\tnothing written', `${'x'.repeat(MAX_FROM + 1)}\tb`, 'A\tc', 'd\te\tmaybe'];
    expect(await problems(file.join('\n'))).toEqual([
      expect.stringMatching(/^Line 2: There is no tab /),
      'Line 3: The written form is missing.',
      'Line 4: The written form has 101 characters; the maximum is 100.',
      'Line 5: “A” appears twice; first as number 1.',
      expect.stringMatching(/^Line 6: The third column /),
    ]);
  });

  it('takes an emoji alone, and none beside others or words, where it would never be found', async () => {
    const alone = ['🔥', '👍🏽', '👩‍👩‍👧', '1️⃣', '🇪🇺', 'Crier™', 'A © B'];
    expect(await imported(alone.map((from) => `${from}\tx`).join('\n'))).toHaveLength(alone.length);
    const problem = expect.stringMatching(/^Line 1: The written form has more than one emoji, or /);
    for (const from of ['🔥 now', 'lit🔥', '🔥🔥', '1️⃣ place']) expect(await problems(`${from}\tx`)).toEqual([problem]);
  });

  it.each([
    ['**bold**', 'bold'],
    ['https://example.org/x', 'link to example.org'],
    ['noooooo', 'nooo'],
  ])('takes nothing that no text has left when words are looked up: %s', async (from, left) => {
    const problem = `^Line 1: This would never match: .+ only “${left}” is left`;
    expect(await problems(`${from}\tx`)).toEqual([expect.stringMatching(problem)]);
  });

  it('takes forms with marks that stay', async () => {
    const forms = 'C++ c# #1 snake_case <3 x_x __init__ -> * o/ 24/7 :) :pog: [laugh] $5'.split(' ');
    expect(await imported(forms.map((from) => `${from}\tx`).join('\n'))).toHaveLength(forms.length);
  });

  it.each(['tsv', 'json'])('is not cleaned of what is far too long, which would take minutes: %s', async (format) => {
    const endless = `a${'\u0301\u0323'.repeat(120_000)}`;
    const file = format === 'json' ? JSON.stringify({ [endless]: endless }) : `${endless}\t${endless}`;
    expect(await leastCpuMs(() => importDictionary(file), 2)).toBeLessThan(500);
    expect(await problems(file)).toEqual([expect.stringContaining('240,001 characters; the maximum is 100')]);
  });

  it('reports the problem of every entry of a JSON file', async () => {
    const noEntry = 'This isn’t an entry. An example of one: `{"from": "gif", "to": "jif", "wholeWord": true}`.';
    const wrong: [unknown, string][] = [
      ['a', noEntry],
      [{ from: 'b' }, 'The spoken form is missing.'],
      [{ from: 'c', to: 'x'.repeat(MAX_TO + 1) }, 'The spoken form has 201 characters; the maximum is 200.'],
      [{ to: 'x' }, 'The written form is missing.'],
      [{ from: 'd', to: 'e', wholeWord: 'yes' }, noEntry],
      [{ from: 'f', to: 1 }, noEntry],
    ];
    const told = wrong.map(([, problem], index) => `Entry ${index + 1}: ${problem}`);
    expect(await problems(JSON.stringify(wrong.map(([entry]) => entry)))).toEqual(told);
  });

  it.each([
    ['[\n{"from": "a",\n"to" "b"}]', /near line 3/],
    ['[\n{', /near line 2/],
    ['', /no entries/],
    ['[]', /no entries/],
    [`a\t${'x'.repeat(1_500_000)}`, /too large/],
  ])('that cannot be read says why: %.20j', async (file, why) => {
    expect(await problems(file)).toEqual([expect.stringMatching(why)]);
  });

  it('holds no more entries than a server can have, and shows no more problems than a reply', async () => {
    const lines = (count: number, line: (index: number) => string) =>
      Array.from({ length: count }, (_, i) => line(i)).join('\n');
    expect(await imported(lines(MAX_ENTRIES, (index) => `w${index}\tx`))).toHaveLength(MAX_ENTRIES);
    const tooMany = await problems(lines(MAX_ENTRIES + 1, (index) => `w${index}\tx`));
    expect(tooMany).toEqual([expect.stringMatching(/^Too many entries \(1,001\)/)]);
    const many = await problems(lines(50, () => 'x'));
    expect(many).toHaveLength(21);
    expect(many.at(-1)).toBe('-# … and 30 more.');
  });
});

it('an imported dictionary is put to the present one and wins, or takes its place; both may be too many', () => {
  const fresh: readonly DictionaryEntry[] = [
    { from: 'crier', to: 'town crier', wholeWord: true },
    { from: '東京', to: 'Tokyo', wholeWord: true },
    { from: 'new', to: 'one', wholeWord: true },
  ];
  expect(combineDictionaries(ENTRIES, fresh, 'merge')).toEqual({
    entries: [fresh[0], ...ENTRIES.slice(1), fresh[2]],
    counts: { added: 1, changed: 1, removed: 0 },
  });
  const counts = { added: 1, changed: 1, removed: 2 };
  expect(combineDictionaries(ENTRIES, fresh, 'replace')).toEqual({ entries: fresh, counts });
  const full = Array.from({ length: MAX_ENTRIES }, (_, index) => ({ from: `w${index}`, to: '', wholeWord: true }));
  expect(() => combineDictionaries(full, fresh, 'merge')).toThrow('dictionary.too-many');
});
