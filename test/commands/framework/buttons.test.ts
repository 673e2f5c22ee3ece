import { describe, expect, it } from 'vitest';
import { pageLines, pageOf, pageRows } from '../../../src/commands/framework/buttons.ts';
import { render } from '../../../src/texts/catalog.ts';

const items = Array.from({ length: 25 }, (_, index) => index);

describe('a list in pages', () => {
  it('shows the page that was asked for, and the nearest one there is', () => {
    expect(pageOf(items, 10, 1)).toEqual({ number: 1, pages: 3, shown: items.slice(10, 20) });
    expect(pageOf(items, 10, 99)).toEqual({ number: 2, pages: 3, shown: items.slice(20) });
    expect(pageOf(items, 10, -1).number).toBe(0);
    expect(pageOf([], 10, 1)).toEqual({ number: 0, pages: 1, shown: [] });
    expect(pageOf(items.slice(0, 20), 10, 5)).toMatchObject({ number: 1, pages: 2 });
  });

  it('says where one is, and leads back and forth, where there are several pages', () => {
    const first = pageOf(items, 10, 0);
    expect(pageLines(first).map((line) => render(line))).toEqual(['-# Page 1 of 3']);
    const ends = (page: number) =>
      pageRows('list', pageOf(items, 10, page), '|rest')
        .flatMap((row) => ('kind' in row ? [] : row))
        .map(({ argument, disabled }) => [argument, disabled]);
    expect(ends(0)).toEqual([
      ['-1|rest', true],
      ['1|rest', false],
    ]);
    expect(ends(2)).toEqual([
      ['1|rest', false],
      ['3|rest', true],
    ]);
    const only = pageOf(items, 25, 0);
    expect([...pageLines(only), ...pageRows('list', only)]).toEqual([]);
  });
});
