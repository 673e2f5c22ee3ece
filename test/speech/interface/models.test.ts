import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTags, removeTags, spokenText, type TagSyntax } from '../../../src/speech/interface/models.ts';

const kinds = (text: string, syntax: TagSyntax) => parseTags(text, syntax).map((segment) => segment.kind);
const pieces = '[|]|<|>|</|/| |pause|soft|[pause]|<soft>|</soft>|<loud>|é'.split('|');
const tagSoup = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'grapheme', maxLength: 5 })), { maxLength: 20 })
  .map((pieces) => pieces.join(''));
const anySyntax = fc.constantFrom<TagSyntax>('none', 'closed', 'square-open', 'angle-open');

/** What looks like a tag and is none. */
const stray = (text: string, syntax: TagSyntax = 'closed') =>
  parseTags(text, syntax).flatMap(({ kind, raw }) => (kind === 'stray' ? [raw] : []));

describe('the closed lists of ext', () => {
  it.each([
    ['so [Laugh] <pause> [whisper] then', ['[Laugh]', '<pause>', '[whisper]']],
    ['<soft>hi', ['<soft>']],
    // Of tags that cross each other the inner one is text.
    ['<soft><loud>a</soft>b</loud>', ['<loud>', '</loud>']],
    ['<slow>one [pause] <soft>two</soft></slow>', []],
  ])('%j has the stray tags %j', (text, expected) => {
    expect(stray(text)).toEqual(expected);
  });

  it('leaves alone links, mentions, numbers and empty brackets', () => {
    const texts = ['<https://a.example>', '<@123>', '<:wave:1>', '<t:1700000000:R>', '[1]', '[]', '<>', 'a < b > c'];
    for (const text of texts) expect(stray(text)).toEqual([]);
  });
});

it.each<[TagSyntax, string, string[]]>([
  ['square-open', '[cheerful] hi <b>', ['instant', 'text']],
  ['angle-open', '<sigh> hi [x]', ['instant', 'text']],
  ['none', '[laugh] <soft>x</soft>', ['text']],
])('with %s, %j is %j', (syntax, text, expected) => {
  expect(kinds(text, syntax)).toEqual(expected);
});

describe('taking tags out', () => {
  it('removes the brackets and keeps the words', () => {
    expect(removeTags('ha [laugh] <soft>ho</soft> <nope>', 'closed')).toBe('ha laugh ho nope');
    expect(removeTags('[cheerful] hi', 'square-open')).toBe('cheerful hi');
    expect(removeTags('[[laugh]]', 'closed')).toBe('laugh');
  });

  it('leaves the audible words', () => {
    expect(spokenText('a [pause]<soft>b</soft> [nope]', 'closed')).toBe('a b [nope]');
  });
});

describe('for any text', () => {
  it('parsing loses nothing and every open has its close', () => {
    fc.assert(
      fc.property(tagSoup, anySyntax, (text, syntax) => {
        const segments = parseTags(text, syntax);
        expect(segments.map((segment) => segment.raw).join('')).toBe(text);
        const stack: string[] = [];
        for (const segment of segments) {
          if (segment.kind === 'open') stack.push(segment.name);
          if (segment.kind === 'close') expect(stack.pop()).toBe(segment.name);
        }
        expect(stack).toEqual([]);
      }),
    );
  });
});
