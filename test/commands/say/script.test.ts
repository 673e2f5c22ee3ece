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

  it('begins with a speaker, and each says something', () => {
    expect(refusal('Hello!')).toBe('script.no-name');
    expect(refusal('aria: Hello!\nbasil:')).toBe('script.no-words');
    expect(refusal('')).toEqual([]);
  });
});
