import { describe, expect, it } from 'vitest';
import { readScript } from '../../../src/commands/say/script.ts';
import { UserError } from '../../../src/errors/user-errors.ts';

const said = (written: string) => readScript(written).map(({ speaker, words }) => [speaker, words]);
const refusal = (written: string) => {
  try {
    return said(written);
  } catch (error) {
    return error instanceof UserError ? error.text.key : error;
  }
};

describe('a script', () => {
  it('has a speaker before each line', () => {
    expect(said('aria: Hello!\n\n  basil (ext) :  How are you?\nアン：元気です')).toEqual([
      ['aria', 'Hello!'],
      ['basil (ext)', 'How are you?'],
      ['アン', '元気です'],
    ]);
  });

  it('goes on with the same speaker where a line has none: links, emoji and mentions are none', () => {
    expect(said('aria: See\nhttps://example.com now\n<:smile:123> and so on')).toEqual([
      ['aria', 'See\nhttps://example.com now\n<:smile:123> and so on'],
    ]);
  });

  it('ends its lines in any way that a line can end', () => {
    const ends = ['\r\n', '\r', '\u2028', '\u2029', '\u0085', '\v', '\f'];
    for (const end of ends) {
      expect(said(`aria: Hello!${end}basil: Hi.`)).toEqual([
        ['aria', 'Hello!'],
        ['basil', 'Hi.'],
      ]);
    }
  });

  it('takes a time, a score or a verse for words, and a speaker whose name ends in a digit for one', () => {
    expect(said('aria: Listen.\nWe meet at 10:30: be there.\nIt ended 3：1 for us.')).toEqual([
      ['aria', 'Listen.\nWe meet at 10:30: be there.\nIt ended 3：1 for us.'],
    ]);
    expect(said('aria2: 5 apples\nbasil:7 pears')).toEqual([
      ['aria2', '5 apples'],
      ['basil', '7 pears'],
    ]);
    expect(refusal('We meet at 10:30')).toBe('script.no-name');
  });

  it('begins with a speaker, and each says something', () => {
    expect(refusal('Hello!')).toBe('script.no-name');
    expect(refusal('aria: Hello!\nbasil:')).toBe('script.no-words');
    expect(refusal('')).toEqual([]);
  });
});
