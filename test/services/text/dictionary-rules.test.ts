import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDictionary, type DictionaryEntry, entryKey } from '../../../src/services/text/dictionary-rules.ts';
import { foldCase } from '../../../src/services/text/readable/word-borders.ts';
import { leastCpuMs } from './readable/cpu-time.ts';

const entry = (from: string, to: string, options: Partial<DictionaryEntry> = {}): DictionaryEntry => ({
  from,
  to,
  wholeWord: true,
  ...options,
});
const spoken = (text: string, ...entries: DictionaryEntry[]) => createDictionary(entries).apply(text);
const PART = { wholeWord: false };

describe('a pronunciation dictionary', () => {
  it('takes the longest of the entries that begin at a place', () => {
    const entries = [entry('New', 'old'), entry('New York', 'the Big Apple'), entry('York', 'Jorvik')];
    expect(spoken('New York, new, York', ...entries)).toBe('the Big Apple, old, Jorvik');
  });

  it('goes through a text once: what it put in is not replaced again', () => {
    expect(spoken('cat dog', entry('cat', 'dog'), entry('dog', 'cat'))).toBe('dog cat');
    expect(spoken('a', entry('a', 'a a'))).toBe('a a');
  });

  it('replaces whole words, and parts of words where an entry says so', () => {
    expect(spoken('cat, concatenate! Cat’s cat9', entry('cat', 'dog'))).toBe('dog, concatenate! dog’s cat9');
    expect(spoken('concatenate', entry('cat', 'dog', PART))).toBe('condogenate');
  });

  it('does not mind case unless an entry does', () => {
    expect(spoken('LOL lol Lol', entry('lol', 'ha'))).toBe('ha ha ha');
    expect(spoken('IT it', entry('IT', 'I T', { caseSensitive: true }))).toBe('I T it');
    expect(spoken('IT it', entry('it', 'that'), entry('IT', 'I T', { caseSensitive: true }))).toBe('I T that');
  });

  it.each([
    ['STRASSE', 'Straße', 'street'],
    ['Straße', 'STRASSE', 'street'],
    ['ΟΔΟΣ οδος', 'οδός'.normalize('NFD').replaceAll('\u0301', ''), 'road'],
    ['ÉCOLE', 'e\u0301cole', 'school'],
    ['МОСКВА', 'москва', 'Moscow'],
    ['istanbul İSTANBUL ISTANBUL ıstanbul', 'İstanbul', 'Constantinople'],
    ['İzmir izmir', 'IZMIR', 'Smyrna'],
  ])('knows %s as %s in other letters', (text, from, to) => {
    expect(new Set(spoken(text, entry(from, to)).split(' '))).toEqual(new Set([to]));
  });

  it.each([
    ['東京都に行く', '東京', 'Tokyo'],
    ['ソードアート', 'ソード', 'sword'],
    ['ฉันรักแมว', 'แมว', 'cat'],
  ])('finds words in %s, which writes no spaces', (text, from, to) => {
    expect(spoken(text, entry(from, to))).toBe(text.replace(from, to));
  });

  it('tears no mark off its letter', () => {
    expect(spoken('कि क', entry('क', 'ka', PART))).toBe('कि ka');
    expect(spoken('q\u0303', entry('q', 'kew', PART))).toBe('q\u0303');
    expect(spoken('ß', entry('s', 'x', PART))).toBe('ß');
  });

  it('finds what has no letters', () => {
    expect(spoken('C++ & C', entry('C++', 'see plus plus'), entry('&', 'and'))).toBe('see plus plus and C');
  });

  it('can leave a word unspoken', () => {
    expect(spoken('um, well', entry('um', ''))).toBe(', well');
  });

  it('takes replacements literally', () => {
    expect(spoken('cash', entry('cash', '$& $1 $<a>'))).toBe('$& $1 $<a>');
  });

  it('takes the later of two entries for the same word', () => {
    expect(spoken('a', entry('a', 'first'), entry('A', 'second'))).toBe('second');
  });

  it('agrees with looking for each word anew', () => {
    const word = fc.stringMatching(/^[ab]{1,3}$/);
    fc.assert(
      fc.property(
        fc.dictionary(word, fc.constant('x'), { maxKeys: 5 }),
        fc.array(word, { maxLength: 20 }),
        (known, text) => {
          const entries = Object.entries(known).map(([from, to]) => entry(from, to));
          const expected = text.map((one) => known[one] ?? one).join(' ');
          expect(spoken(text.join(' '), ...entries)).toBe(expected);
        },
      ),
    );
  });

  it('leaves alone what it does not know, in any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(spoken(text, entry('\u{10FFFD}never', 'x'))).toBe(text.normalize('NFC'));
      }),
    );
  });

  it('takes entries for the same that differ in case only, as it does in texts', () => {
    const unit = fc.constantFrom(...'aAßẞΣσςΌςİıŒǅ\u0345 ');
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit })), (from) => {
        const words = from.normalize('NFC').replaceAll(/\s+/gu, ' ').trim();
        expect(entryKey(entry(from, ''))).toBe(`~${[...words].map(foldCase).join('').replaceAll('ς', 'σ')}`);
      }),
    );
  });

  it('is quick when full, even with entries made to be slow', () => {
    const entries = Array.from({ length: 1_000 }, (_, index) =>
      entry(`${'a'.repeat(1 + (index % 99))}${String.fromCharCode(98 + (index % 20))}`, 'x'.repeat(200), PART),
    );
    const dictionary = createDictionary(entries);
    const text = 'a'.repeat(6_000);
    expect(leastCpuMs(() => dictionary.apply(text))).toBeLessThan(100);
  });
});
