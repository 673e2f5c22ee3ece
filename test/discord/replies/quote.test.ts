import { describe, expect, it } from 'vitest';
import { clockTime, quote, quoteLines } from '../../../src/discord/replies/layout.ts';

describe('quoting a member', () => {
  it('leaves ordinary words of any script as they are', () => {
    expect(quote('Hello, world! Привет, 世界 👩‍👩‍👧 ça va?')).toBe('Hello, world! Привет, 世界 👩‍👩‍👧 ça va?');
  });

  it('mentions no member and shows no emoji that was not typed as one', () => {
    expect(quote('<@123> <#4> <:pog:5> @everyone @here')).not.toMatch(/(?<!\\)<|@everyone|@here/);
  });

  it('takes away the effect of Markdown', () => {
    expect(quote('**b** `c` ||s|| [a](https://x.example)')).not.toMatch(
      /(?<!\\)\*\*|(?<!\\)`|(?<!\\)\|\||(?<!\\)\[a\]\(/,
    );
    expect(quote('# title\n- item')).not.toMatch(/^#|\n/);
  });

  it('leaves room for what stands behind it, however long single characters are', () => {
    const stacked = `a${'\u0301'.repeat(19)}`.repeat(160);
    expect(quote(stacked).length).toBeLessThanOrEqual(400);
    expect(quote('🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}'.repeat(60), 60).length).toBeLessThanOrEqual(
      150,
    );
  });

  it('shortens between graphemes', () => {
    expect(quote('👩‍👩‍👧'.repeat(10), 12)).toBe('👩‍👩‍👧👩‍👩‍👧…');
    expect([...quote('a'.repeat(6000))].length).toBeLessThanOrEqual(160);
  });
});

describe('lines in a reply', () => {
  it('stay lines, none of which is a quotation, small print or a title', () => {
    expect(quoteLines('One.\n\n > Two.\n-# Three.\n# Four.\n')).toBe('One.\n\\> Two.\n\\-# Three.\n\\# Four.');
    expect(quoteLines('One.\nTwo.', '-# ')).toBe('One.\n-# Two.');
  });

  it('end where one line would, and after ten', () => {
    expect(quoteLines(`${'a'.repeat(100)}\n${'b'.repeat(100)}\nc`)).toBe(`${'a'.repeat(100)}\n${'b'.repeat(59)}…`);
    expect(quoteLines(`${'a'.repeat(160)}\nb`)).toBe(`${'a'.repeat(160)}\n…`);
    expect(quoteLines('a\n'.repeat(10)).split('\n')).toHaveLength(10);
    expect(quoteLines('a\n'.repeat(11)).split('\n').slice(9)).toEqual(['a', '…']);
  });
});

it.each([
  [0, '0:00'],
  [7_400, '0:07'],
  [3_900_000, '1:05:00'],
  [-5, '0:00'],
])('%d ms is %s', (ms, words) => {
  expect(clockTime(ms)).toBe(words);
});
