import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
// @ts-expect-error A script without declarations; the table and its path are strings.
import { EMOJI_NAMES_FILE, emojiTable } from '../../../../scripts/build-emoji-names.mjs';
import { namesOfEmoji } from '../../../../src/services/text/readable/emoji-names.ts';

test('the table of names is what its package gives', () => {
  expect(readFileSync(EMOJI_NAMES_FILE, 'utf8') === emojiTable()).toBe(true);
});

test.each([
  ['en-US', 'red heart'],
  ['de', 'rotes Herz'],
  ['es-419', 'corazón rojo'],
  ['a language without names', 'red heart'],
])('an emoji has its name in %s', (locale, name) => {
  expect(namesOfEmoji('❤️', locale)).toEqual([name]);
});

test('a sequence without a name of its own is named by its parts, in any skin tone', () => {
  expect(namesOfEmoji('👍🏿', 'en-US')).toEqual(['thumbs up']);
  expect(namesOfEmoji('👍🏿\u200D❤️', 'en-US')).toEqual(['thumbs up', 'red heart']);
  expect(namesOfEmoji('🇦', 'en-US')).toEqual(['A']);
});
