import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/user-errors.ts';
import {
  createDictionary,
  createServerDictionaries,
  type DictionaryEntry,
  entryKey,
} from '../../../src/services/text/dictionary.ts';
import { foldCase } from '../../../src/services/text/readable/characters.ts';
import { silentLog as log } from '../../silent-log.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

const entry = (from: string, to: string, options: Partial<DictionaryEntry> = {}): DictionaryEntry => {
  return { from, to, wholeWord: true, ...options };
};
const atOnce = async () => undefined;
const spoken = (text: string, ...entries: DictionaryEntry[]) =>
  createDictionary(entries).apply(text, Number.POSITIVE_INFINITY, atOnce);
const PART = { wholeWord: false };

describe('a pronunciation dictionary', () => {
  it('takes the longest of the entries that begin at a place', async () => {
    const entries = [entry('New', 'old'), entry('New York', 'the Big Apple'), entry('York', 'Jorvik')];
    expect(await spoken('New York, new, York', ...entries)).toBe('the Big Apple, old, Jorvik');
  });

  it('goes through a text once: what it put in is not replaced again', async () => {
    expect(await spoken('cat dog', entry('cat', 'dog'), entry('dog', 'cat'))).toBe('dog cat');
    expect(await spoken('a', entry('a', 'a a'))).toBe('a a');
  });

  it('replaces whole words, and parts of words where an entry says so', async () => {
    expect(await spoken('cat, concatenate! Cat’s cat9', entry('cat', 'dog'))).toBe('dog, concatenate! dog’s cat9');
    expect(await spoken('concatenate', entry('cat', 'dog', PART))).toBe('condogenate');
  });

  it('does not mind case unless an entry does', async () => {
    expect(await spoken('LOL lol Lol', entry('lol', 'ha'))).toBe('ha ha ha');
    expect(await spoken('IT it', entry('IT', 'I T', { caseSensitive: true }))).toBe('I T it');
    expect(await spoken('IT it', entry('it', 'that'), entry('IT', 'I T', { caseSensitive: true }))).toBe('I T that');
  });

  it.each([
    ['STRASSE', 'Straße', 'street'],
    ['ΟΔΟΣ οδος', 'οδός'.normalize('NFD').replaceAll('\u0301', ''), 'road'],
    ['ÉCOLE', 'e\u0301cole', 'school'],
    ['istanbul İSTANBUL ISTANBUL ıstanbul', 'İstanbul', 'Constantinople'],
    ['İzmir izmir', 'IZMIR', 'Smyrna'],
  ])('knows %s as %s in other letters', async (text, from, to) => {
    expect(new Set((await spoken(text, entry(from, to))).split(' '))).toEqual(new Set([to]));
  });

  it('tears no mark off its letter', async () => {
    expect(await spoken('कि क', entry('क', 'ka', PART))).toBe('कि ka');
    expect(await spoken('q\u0303', entry('q', 'kew', PART))).toBe('q\u0303');
    expect(await spoken('ß', entry('s', 'x', PART))).toBe('ß');
  });

  it.each([
    ['finds words in Japanese, which has no spaces', '東京都に行く', 'Tokyo都に行く', [entry('東京', 'Tokyo')]],
    ['finds words in Thai, which has no spaces', 'ฉันรักแมว', 'ฉันรักcat', [entry('แมว', 'cat')]],
    ['finds what has no letters', 'C++ & C', 'see plus plus and C', [entry('C++', 'see plus plus'), entry('&', 'and')]],
    ['can leave a word unspoken', 'um, well', ', well', [entry('um', '')]],
    ['takes replacements literally', 'cash', '$& $1 $<a>', [entry('cash', '$& $1 $<a>')]],
    ['takes the later of two entries for the same word', 'a', 'second', [entry('a', 'first'), entry('A', 'second')]],
  ])('%s', async (_, written, words, entries) => {
    expect(await spoken(written, ...entries)).toBe(words);
  });

  it('agrees with looking for each word anew', async () => {
    const word = fc.stringMatching(/^[ab]{1,3}$/);
    const [words, texts] = [fc.dictionary(word, fc.constant('x'), { maxKeys: 5 }), fc.array(word, { maxLength: 20 })];
    const replaces = async (known: Record<string, string>, text: readonly string[]) => {
      const entries = Object.entries(known).map(([from, to]) => entry(from, to));
      const expected = text.map((one) => known[one] ?? one).join(' ');
      expect(await spoken(text.join(' '), ...entries)).toBe(expected);
    };
    await fc.assert(fc.asyncProperty(words, texts, replaces));
  });

  it('takes entries for the same that differ in case only, as it does in texts', async () => {
    const unit = fc.constantFrom(...'aAßẞΣσςΌςİıŒǅ\u0345 ');
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit })), (from) => {
        const words = from.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
        expect(entryKey(entry(from, ''))).toBe(`~${[...words].map(foldCase).join('').replaceAll('ς', 'σ')}`);
      }),
    );
  });

  it('is cut where it becomes longer than any text may be', async () => {
    const dictionary = createDictionary([entry('a', 'ha')]);
    expect(await dictionary.apply('a a a a', 5, atOnce)).toBe('ha ha');
  });
});

function open() {
  const { store } = openMemoryStore();
  const dictionaries = createServerDictionaries(store, log);
  const spokenIn = async (guildId: string) => (await dictionaries.of(guildId)).apply('a gif', 100, atOnce);
  return { dictionaries, spokenIn, store };
}

const gif = entry('gif', 'jif');

it('keeps the words of each server apart, and no values that were read before a concurrent change', async () => {
  const { dictionaries, spokenIn } = open();
  const before = await dictionaries.of('1');
  expect(await dictionaries.of('1')).toBe(before);
  await Promise.all([dictionaries.of('1'), dictionaries.change('1', () => [gif]), dictionaries.of('1')]);
  expect([await spokenIn('1'), await spokenIn('2')]).toEqual(['a jif', 'a gif']);
});

it('a store that is down prevents no speech, and fails changes', async () => {
  const { dictionaries, spokenIn, store } = open();
  await store.close();
  expect(await spokenIn('1')).toBe('a gif');
  await expect(dictionaries.change('1', () => [gif])).rejects.toThrow(StoreError);
});
