import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TagSyntax } from '../../../src/speech/interface/models.ts';
import { parseTags, removeTags, spokenText, suggestTag, validateTags } from '../../../src/speech/interface/tags.ts';

const kinds = (text: string, syntax: TagSyntax) => parseTags(text, syntax).map((segment) => segment.kind);
const tagSoup = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '[',
        ']',
        '<',
        '>',
        '</',
        '/',
        ' ',
        'pause',
        'soft',
        '[pause]',
        '<soft>',
        '</soft>',
        '<loud>',
        'é',
      ),
      fc.string({ unit: 'grapheme', maxLength: 5 }),
    ),
    { maxLength: 20 },
  )
  .map((pieces) => pieces.join(''));
const anySyntax = fc.constantFrom<TagSyntax>('none', 'closed', 'square-open', 'angle-open');

describe('the closed lists of ext', () => {
  it.each([
    ['[longpause]', '[long-pause]'],
    ['[long pause]', '[long-pause]'],
    ['[Laugh]', '[laugh]'],
    ['[gigle]', '[giggle]'],
    ['<wisper>', '<whisper>…</whisper>'],
    ['[whisper]', '<whisper>…</whisper>'],
    ['<pause>', '[pause]'],
    ['<sing song>', '<sing-song>…</sing-song>'],
  ])('suggests for %s the tag %s', (written, suggestion) => {
    expect(validateTags(`so ${written} then`, 'closed')).toEqual([
      { problem: 'unknown', raw: written, index: 3, suggestion },
    ]);
  });

  it('suggests nothing when nothing is near', () => {
    expect(suggestTag('[edit]')).toBeUndefined();
    expect(validateTags('[citation needed]', 'closed')[0]?.suggestion).toBeUndefined();
  });

  it('reports a wrapping tag without its other end', () => {
    expect(validateTags('<soft>hi', 'closed')).toMatchObject([{ problem: 'unclosed', raw: '<soft>', index: 0 }]);
    expect(validateTags('hi</soft>', 'closed')).toMatchObject([{ problem: 'unopened', raw: '</soft>', index: 2 }]);
  });

  it('keeps tags that cross each other as text, innermost first', () => {
    expect(validateTags('<soft><loud>a</soft>b</loud>', 'closed').map((issue) => issue.raw)).toEqual([
      '<loud>',
      '</loud>',
    ]);
  });

  it('leaves alone links, mentions, numbers and empty brackets', () => {
    for (const text of [
      '<https://a.example>',
      '<@123>',
      '<:wave:1>',
      '<t:1700000000:R>',
      '[1]',
      '[]',
      '<>',
      'a < b > c',
    ]) {
      expect(validateTags(text, 'closed')).toEqual([]);
    }
  });
});

describe('the open lists', () => {
  it('takes any words in square brackets for gpro31', () => {
    expect(kinds('[cheerful] hi <b>', 'square-open')).toEqual(['instant', 'text']);
    expect(validateTags('[anything at all]', 'square-open')).toEqual([]);
  });

  it('takes any words in angle brackets for gpro38', () => {
    expect(kinds('<sigh> hi [x]', 'angle-open')).toEqual(['instant', 'text']);
    expect(kinds('<short pause>', 'angle-open')).toEqual(['instant']);
  });

  it('has no tags where a model has none', () => {
    expect(kinds('[laugh] <soft>x</soft>', 'none')).toEqual(['text']);
  });
});

describe('taking tags out', () => {
  it('removes the brackets and keeps the words', () => {
    expect(removeTags('ha [laugh] <soft>ho</soft> <nope>', 'closed')).toBe('ha laugh ho nope');
    expect(removeTags('[cheerful] hi', 'square-open')).toBe('cheerful hi');
  });

  it('is not fooled by brackets within brackets', () => {
    expect(removeTags('[[laugh]]', 'closed')).toBe('laugh');
    expect(removeTags('<so<soft>x</soft>ft>', 'closed')).not.toMatch(/<soft>/);
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
          expect(text.startsWith(segment.raw, segment.index)).toBe(true);
          if (segment.kind === 'open') stack.push(segment.name);
          if (segment.kind === 'close') expect(stack.pop()).toBe(segment.name);
        }
        expect(stack).toEqual([]);
      }),
    );
  });

  it('no tag survives its removal', () => {
    fc.assert(
      fc.property(tagSoup, anySyntax, (text, syntax) => {
        expect(kinds(removeTags(text, syntax), syntax).every((kind) => kind === 'text')).toBe(true);
      }),
    );
  });
});
