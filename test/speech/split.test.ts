import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTags, type TagSyntax, WRAPPING_TAGS } from '../../src/speech/interface/models.ts';
import { MIN_SPLIT_ROOM, splitText } from '../../src/speech/split.ts';

/** What a listener hears, unit by unit: each character or event with the ways of speaking around it. Spaces are silent. */
function heard(text: string, syntax: TagSyntax): string[] {
  const around: string[] = [];
  return parseTags(text, syntax).flatMap((segment) => {
    if (segment.kind === 'open') around.push(segment.name);
    else if (segment.kind === 'close') around.pop();
    else if (segment.kind === 'instant') return [`${around.join('+')}:${segment.raw}`];
    else return Array.from(segment.raw.replace(/\s/gu, ''), (character) => `${around.join('+')}:${character}`);
    return [];
  });
}
/** Most characters of tags open at once, their ends included. */
function nesting(text: string, syntax: TagSyntax): number {
  const sizes: number[] = [];
  const depths = parseTags(text, syntax).map((segment) => {
    if (segment.kind === 'open') sizes.push(2 * segment.raw.length + 1);
    if (segment.kind === 'close') sizes.pop();
    return sizes.reduce((sum, size) => sum + size, 0);
  });
  return Math.max(0, ...depths);
}
const ext = { syntax: 'closed', aims: [] } as const;
const isWrapping = new RegExp(`^</?(?:${WRAPPING_TAGS.join('|')})>$`);

describe('splitting text', () => {
  it.each([
    ['between sentences', 'One two. Three four! Five six? Seven eight nine ten.', 24, 'One two. Three four!'],
    ['after a clause where a sentence is too long', 'when it rains, it pours all day long', 24, 'when it rains,'],
    ['then between words', 'alpha beta gamma delta epsilon', 20, 'alpha beta gamma'],
    ['never in a word with tags', 'aaaaaaaaaaaaaa bbbbbbb<soft>bbbbbbbb</soft>bbbbbbbbb cc', 42, 'aaaaaaaaaaaaaa'],
    [
      'between words of scripts that write without spaces',
      '今日はとても天気がいいので散歩に行きましょう。明日も晴れるといいですね。',
      24,
      '今日はとても天気がいいので散歩に行きましょう。',
    ],
  ])('cuts %s, and fills each part', (_, text, limit, first) => {
    expect(splitText(text, { ...ext, room: limit })[0]).toBe(first);
  });

  it.each([
    ['Then Prof. Smith said', 'it was St. Louis.'],
    ['Das sagt Hr. Dr. Ott', 'am 3. Oktober z. B. Abb. 3.'],
  ])('does not cut after an abbreviation: %s …', (first, rest) => {
    const [cut, ...others] = splitText(`${first} ${rest}`, { ...ext, room: first.length + 2 });
    expect([cut, others.join(' ')]).toEqual([first, rest]);
    for (const part of others.slice(0, -1)) expect(part).not.toMatch(/(?:St|Av|Abb|\b[A-Zz3])\.$/u);
  });

  it('leaves no empty pair of tags at a cut', () => {
    const parts = splitText('One two three four five. <loud>Six seven eight nine.</loud> Ten.', { ...ext, room: 40 });
    expect(parts).toEqual(['One two three four five.', '<loud>Six seven eight nine.</loud> Ten.']);
  });

  it('never cuts a family of emoji, a flag or an accent from its letter', () => {
    const family = '👨‍👩‍👧‍👦';
    for (const piece of [family, '🇬🇧', 'e\u0301']) {
      for (const part of splitText(piece.repeat(20), { ...ext, room: 25 })) {
        expect(part.length % piece.length).toBe(0);
      }
    }
  });

  it('refuses parts without room for words', () => {
    expect(() => splitText('hello', { ...ext, room: MIN_SPLIT_ROOM - 1 })).toThrow(RangeError);
  });
});

const word = fc.oneof(
  fc.stringMatching(/^[a-zà-ü]{1,12}$/),
  fc.constantFrom('👨‍👩‍👧‍👦', '🇬🇧', 'e\u0301a', '今日は', 'नमस्ते', 'Dr.', '3.14', "can't", '\n\n', 'x'.repeat(90)),
);
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 12 }), fc.constantFrom('.', '!', '?', ',', ' –', '…', ''))
  .map(([parts, end]) => parts.join(' ') + end);
const { tagged } = fc.letrec<{ tagged: string; piece: string }>((tie) => ({
  piece: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    sentence,
    fc.constantFrom('[pause]', ' [long-pause] ', '[laugh]', '<sigh>', '[cheerful]', '[short pause]'),
    fc.tuple(fc.constantFrom(...WRAPPING_TAGS), tie('tagged')).map(([name, inner]) => `<${name}>${inner}</${name}>`),
  ),
  tagged: fc.array(tie('piece'), { maxLength: 8 }).map((pieces) => pieces.join(' ')),
}));
const limits = fc.integer({ min: 160, max: 400 });
const syntaxes = fc.constantFrom<TagSyntax>('closed', 'square-open', 'angle-open', 'none');

describe('for any text', () => {
  it('every part is within the limit, tags are balanced and together the parts speak the same', () => {
    fc.assert(
      fc.property(tagged, syntaxes, limits, (text, syntax, limit) => {
        const parts = splitText(text, { ...ext, syntax, room: limit });
        for (const part of parts) {
          expect(part.length).toBeLessThanOrEqual(limit);
          expect(part.trim()).not.toBe('');
          const halves = parseTags(part, syntax).filter(({ kind, raw }) => kind === 'stray' && isWrapping.test(raw));
          expect(halves).toEqual([]);
        }
        // Deeper nesting than half a part has room for loses tags, never words.
        if (nesting(text, syntax) <= limit / 2)
          expect(parts.flatMap((part) => heard(part, syntax))).toEqual(heard(text, syntax));
      }),
      { numRuns: 300 },
    );
  });

  it('also holds for tags that are broken, crossed or unknown', () => {
    const pieces = '<soft>|</soft>|<loud>|</loud>|[pause]|[nope]|<|]|word. |a |é'.split('|');
    const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 120 }).map((some) => some.join(''));
    fc.assert(
      fc.property(soup, fc.integer({ min: 60, max: 200 }), (text, limit) => {
        const parts = splitText(text, { ...ext, room: limit });
        expect(parts.every((part) => part.length <= limit)).toBe(true);
        const words = (value: string) => value.replace(/<\/?(?:soft|loud)>|\s/g, '');
        expect(parts.map(words).join('')).toBe(words(text));
      }),
      { numRuns: 300 },
    );
  });

  it('a part that is too short for its aim is better than one that ends in a word', () => {
    const text = `${'x'.repeat(90)} ÷${'a'.repeat(9)} a`;
    expect(splitText(text, { syntax: 'none', room: 100, aims: [274] })).toEqual([
      'x'.repeat(90),
      `÷${'a'.repeat(9)} a`,
    ]);
  });

  it('a part that is too short for its aim is no better where words have no spaces between them', () => {
    const text = `嗨 ${'今天天气真好，我们一起去公园散步吧，'.repeat(60)}`;
    const [first = ''] = splitText(text, { syntax: 'none', room: 1000, aims: [274] });
    expect(first.length).toBeGreaterThan(900);
  });

  it('cuts only at graphemes, and only in words longer than a part, whatever the first parts aim at', () => {
    const texts = fc.array(word, { minLength: 1, maxLength: 60 }).map((pieces) => pieces.join(' '));
    const aims = fc.array(fc.integer({ min: 5, max: 300 }), { maxLength: 3 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 100, max: 200 }), aims, (text, limit, wanted) => {
        const parts = splitText(text, { syntax: 'closed', room: limit, aims: wanted });
        expect(parts.every((part) => part.length <= limit)).toBe(true);
        const words = text.split(/\s+/u).filter((piece) => piece !== '');
        expect(parts.flatMap((part) => part.trim().split(/\s+/u))).toEqual(words);
      }),
      { numRuns: 300 },
    );
  });
});
