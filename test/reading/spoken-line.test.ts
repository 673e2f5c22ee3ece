import { describe, expect, it } from 'vitest';
import { lineOf, shortName } from '../../src/reading/spoken-line.ts';

const line = (parts: Partial<Parameters<typeof lineOf>[0]>) =>
  lineOf({ words: 'hello', name: undefined, form: 'says', locale: 'en-US', limit: 200, ...parts });

describe('the spoken line of a message', () => {
  it('is the author’s name, then the words', () => {
    expect(line({})).toBe('hello');
    expect(line({ name: 'Ann' })).toBe('Ann says: hello');
    expect(line({ name: 'Ann', locale: 'de' })).toBe('Ann sagt: hello');
    expect(line({ name: 'Ann', form: 'replies', words: 'replying to Ben. hello' })).toBe('Ann, replying to Ben. hello');
    expect(line({ name: 'Ann', form: 'sent', words: 'an image' })).toBe('Ann sent an image');
  });

  it('is all of it where it fits, and otherwise whole words of it with an announcement', () => {
    const words = 'one two three four five six seven';
    expect(line({ words, limit: words.length })).toBe(words);
    expect(line({ words, limit: words.length - 1 })).toBe('one two three four … and more');
    for (let limit = 24; limit < 60; limit++) {
      expect(line({ words: words.repeat(3), name: 'Ann', limit }).length).toBeLessThanOrEqual(limit);
    }
  });

  it('is cut between signs where a script has no spaces, and never within one', () => {
    expect(line({ words: '今日はとても良い天気ですね。散歩に行きましょう。', limit: 21 })).toBe(
      '今日はとても良い天気 … and more',
    );
    expect(line({ words: '👨‍👩‍👧'.repeat(20), limit: 40 }).isWellFormed()).toBe(true);
    expect(line({ words: 'a long text that does not fit', limit: 1 })).not.toBe('');
  });
});

it.each([
  ['Ann', 'Ann'],
  ['✨Ann✨ (she)', 'Ann she'],
  ['🎉🎉', 'party popper party'],
  ['The Most Honourable Sir Lancelot', 'The Most Honourable'],
  ['Llanfairpwllgwyngyllgogerychwyrn', 'Llanfairpwllgwyngyll'],
  ['\u200B', 'somebody'],
])('an author’s name %s is spoken as %s', (name, spoken) => {
  expect(shortName(name, 'en-US')).toBe(spoken);
});
