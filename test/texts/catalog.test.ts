import { describe, expect, it } from 'vitest';
import { firstItems, render, type TextList, text } from '../../src/texts/catalog.ts';

describe('the texts', () => {
  it('makes a text’s commands clickable once their ids are known, and nothing that a person wrote', () => {
    const ids = new Map([
      ['say', '11'],
      ['voice set', '12'],
    ]);
    expect(render(text('queue.empty'), 'de', ids)).toContain('</say:11>');
    expect(render(text('queue.empty'), 'de')).not.toContain('<');
    expect(render(text('say.own-gone', { voice: '/say' }), 'de', ids)).toMatch(/Stimme, \/say, .*<\/voice set:12>/);
    const why = text('reading.usual-cannot-speak');
    expect(render(text('reading.trouble', { member: '<@1>', why }), 'de', ids)).toContain('</voice set:12>');
  });

  it.each([
    ['en-US', 'a, b, and c', 'a, b, or c', 'a, b, and 5 more'],
    ['de', 'a, b und c', 'a, b oder c', 'a, b und 5 weitere'],
    ['es-ES', 'a, b y c', 'a, b o c', 'a, b y 5 más'],
  ])('says “and” and “or” in %s', (locale, all, any, some) => {
    const items = ['a', 'b', 'c'];
    const listed = (list: TextList) => render(text('lines.item', { item: list }), locale);
    expect(listed({ list: items })).toContain(all);
    expect(listed({ anyOf: items })).toContain(any);
    expect(listed(firstItems([...items, 'd', 'e', 'f', 'g'], 2))).toContain(some);
  });

  it('takes what members typed as it is, braces and quotes included', () => {
    const typed = "{count} isn't '{' <b>";
    expect(render(text('voices.none', { search: typed }))).toContain(typed);
  });

  it.each([
    ['de', '12.345,5 Credits'],
    ['es-ES', '12.345,5 créditos'],
    ['es-419', '12,345.5 créditos'],
    ['en-GB', '12,345.5 credits'],
  ])('writes figures as %s does', (locale, words) => {
    expect(render(text('credits.left', { left: 12345.5 }), locale)).toContain(words);
  });

  it.each([
    ['de-AT', 'Stoppen'],
    ['es-MX', 'Detener'],
    ['en', 'Stop'],
    ['xx', 'Stop'],
    ['toString', 'Stop'],
  ])('reads %j as a language where it is one', (locale, words) => {
    expect(render(text('say.stop'), locale)).toBe(words);
  });
});
