import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseEngines, priceOf, readEnginesFile, statedPrices } from '../../../src/speech/engines/engines-file.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const problemsOf = (toml: string) => {
  const read = parseEngines(toml);
  return read.ok ? [] : read.problems;
};

/** An engine of a file that lacks nothing. */
const wyoming = (name: string, more = '') =>
  `[[engines]]\nname = "${name}"\nkind = "wyoming"\nurl = "tcp://127.0.0.1:10200"\n${more}`;

describe('the file of engines', () => {
  test.each(['german', 'xx', 'xx-DE'])('does not take %s for a language', (tag) => {
    const problems = (code: string) => problemsOf(wyoming('piper', `languages = ["${code}"]`));
    expect(problems(tag)).toEqual(['engines[0].languages[0] must be a language code such as en or pt-BR']);
    expect(['de', 'yue', 'zh-Hant-TW', 'cmn', 'en_US'].flatMap(problems)).toEqual([]);
  });

  test('describes each with its voices, languages and price', () => {
    const kokoro = {
      name: 'kokoro',
      kind: 'openai',
      url: 'http://127.0.0.1:8880/v1',
      key: 'k-1',
      model: 'kokoro',
      credits_per_character: 0.5,
      languages: ['en', 'pt_BR'],
      fallback: 'piper',
    };
    const heart = { name: 'Heart', server_name: 'af_heart', languages: ['en-US'] };
    const line = ([key, value]: [string, unknown]) => `${key} = ${JSON.stringify(value)}\n`;
    const lines = (of: object) => Object.entries(of).map(line).join('');
    const toml = `[[engines]]\n${lines(kokoro)}[[engines.voices]]\n${lines(heart)}${wyoming('piper')}`;
    const piper = { name: 'piper', kind: 'wyoming', url: 'tcp://127.0.0.1:10200' };
    expect(parseEngines(toml)).toEqual({ ok: true, engines: [{ ...kokoro, style: false, voices: [heart] }, piper] });
  });

  test('states what a server with a key costs, be it nothing', () => {
    const cloud = '[[engines]]\nname = "cloud"\nkind = "openai"\nurl = "https://x/v1"\nkey = "k"\n';
    expect(problemsOf(cloud)).toEqual([
      'engine cloud: credits_per_character is missing: a server that wants a key may bill what it speaks. Say what a character costs in credits; 0 if it is free',
    ]);
    expect(problemsOf(`${cloud}credits_per_character = 0\n`)).toEqual([]);
    // Where no key is wanted, it alone is the mistake.
    expect(problemsOf(wyoming('piper', 'key = "k"\n'))).toEqual(['engines[0] Unrecognized key: "key"']);
  });

  test.each([
    ['', 2, false],
    ['credits_per_character = 1.9\n', 2, false],
    ['credits_per_character = 2\n', 2, true],
  ])('has no fallback that costs more, which limits would not cover: %j, %d', (own, price, isRight) => {
    const home = wyoming('home', `fallback = "cloud"\n${own}`);
    const cloud = wyoming('cloud', `credits_per_character = ${price}\n`);
    const told = 'fallback costs more than the engine itself: choose one with the same credits_per_character or fewer';
    expect(problemsOf(home + cloud)).toEqual(isRight ? [] : [`engine home: ${told}`]);
  });

  test('is refused with every mistake of form at once, each with its place, and never a value', () => {
    const problems = problemsOf(`
color = "red"
[[engines]]
name = "Kokoro 1"
kind = "openai"
url = "tcp://127.0.0.1:1"
key = "two words of a secret"
credits_per_character = -1
[[engines.voices]]
name = "a"
langauges = ["the tongue of men"]

[[engines]]
name = "Other"
kind = "espeak"
key = "another secret"
`);
    expect(problems).toEqual([
      'engines[0].url must be a web address',
      'engines[0].key must be one word without spaces',
      'engines[0].name must be up to 32 small letters, digits and hyphens',
      'engines[0].credits_per_character must be at least 0',
      'engines[0].voices[0] Unrecognized key: "langauges"',
      'engines[1].kind must be embedded, openai or wyoming',
      'Unrecognized key: "color"',
    ]);
  });

  test('is refused with every mistake between engines at once', () => {
    const voice = '[[engines.voices]]\nname = "a"\n';
    const embedded = (name: string) => `[[engines]]\nname = "${name}"\nkind = "embedded"\n`;
    const piper = wyoming('piper', `fallback = "nowhere"\n${voice}${voice}`);
    const gpro = wyoming('gpro', 'fallback = "gpro"\n');
    expect(problemsOf(piper + gpro + embedded('piper') + embedded('local'))).toEqual([
      'engine piper: fallback is not one of the engines',
      'engine piper: voices[2].name is another voice’s too',
      'engine gpro: name is one of the service’s models',
      'engine gpro: fallback is the engine itself',
      'engine piper: name is another engine’s too',
      'engine local: kind embedded is another engine’s too: one is enough',
    ]);
  });

  test.each([
    ['', 'engines must be a list: each engine begins with [[engines]]'],
    ['engines = []', 'engines must name at least one engine'],
  ])('of %j is refused', (toml, problem) => {
    expect(problemsOf(toml)).toEqual([problem]);
  });

  test('that is no TOML is refused with the line, which may hold a key and is not shown', () => {
    const [problem, ...others] = problemsOf('[[engines]]\nname = "a"\nkey = "k-secret\n');
    expect(others).toEqual([]);
    expect(problem).toMatch(/^line 3: \S/);
    expect(problem).not.toMatch(/secret|\n/);
  });

  test('is told apart from one that is not there', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'engines.toml');
    expect(readEnginesFile(path)).toEqual({ ok: false, problems: ['there is no such file'] });
    expect(readEnginesFile(folder)).toEqual({ ok: false, problems: ['it cannot be read (EISDIR)'] });
    writeFileSync(path, '[[engines]]\nname = "local"\nkind = "embedded"\n');
    expect(readEnginesFile(path)).toMatchObject({ ok: true, engines: [{ name: 'local' }] });
  });
});

describe('the prices of engines', () => {
  const pricesOf = (...lines: readonly string[]) => {
    const read = parseEngines(lines.map((line, at) => `[[engines]]\nname = "e${at}"\n${line}\n`).join(''));
    if (!read.ok) throw new Error(read.problems.join());
    return [read.engines.map((one) => priceOf(one, read.engines)), Object.fromEntries(statedPrices(read.engines))];
  };
  const free = 'kind = "wyoming"\nurl = "tcp://localhost:1"\n';

  test('are one credit a character, which costs nothing, where none is stated', () => {
    expect(pricesOf(free, `${free}credits_per_character = 0`)).toEqual([[1, 1], {}]);
  });

  test('are those that are stated and 0, by model, where one is', () => {
    const models = { gpro: 0, gpro31: 0, gpro38: 0, ext: 0, orpheus: 0 };
    const priced = `${free}credits_per_character = 15`;
    expect(pricesOf(priced, free, 'kind = "embedded"')).toEqual([[15, 0, 0], { e0: 15, e1: 0, ...models }]);
  });
});
