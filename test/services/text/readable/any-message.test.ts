import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReadableContext } from '../../../../src/services/text/readable/readable.ts';
import { readable } from '../../../../src/services/text/readable/readable.ts';
import { parseTags } from '../../../../src/speech/interface/models.ts';

const CONTEXT: ReadableContext = {
  locale: 'en-US',
  now: 0,
  tags: 'remove',
  users: (id) => (id.endsWith('1') ? '[laugh] https://name.example/secret <soft>' : undefined),
  channels: (id) => (id.endsWith('1') ? 'ge*ne*ral' : undefined),
  roles: () => '@everyone',
};

const ID = '123456789012345671';
const FRAGMENTS = [
  ...['*', '**', '_', '__', '~~', '||', '`', '```', '\n', '\n\n', '> ', '>>> ', '# ', '- ', '-# ', '1. ', ' ', '\\'],
  ...['[', ']', '(', ')', '](', '<', '>', '/', ':', '@', '#', '!', 'a', 'laugh', 'soft', '</soft>', '[sigh]'],
  ...['https://', 'example.com/secret', 'www.', `<@${ID}>`, `<@!${ID}>`, `<@&${ID}>`, `<#${ID}>`, `<:blob:${ID}>`],
  ...[
    `<t:${ID.slice(0, 10)}:R>`,
    '<t:',
    ':R>',
    `</say:${ID}>`,
    '<id:guide>',
    '@everyone',
    '😂',
    '👩‍👩‍👧',
    '🏽',
    '\u200D',
  ],
  '\uFE0F',
  ...['\u0301', '\u202E', 'क्ष', '語', '1', '\uD800'],
];
const message = fc.oneof(
  fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 60 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 200 }),
);

describe('any message', () => {
  it('is spoken without failing, in bounded length, without ids, addresses or tags', async () => {
    fc.assert(
      fc.property(message, fc.constantFrom('en-US', 'de', 'ja', 'not a locale'), (content, locale) => {
        const text = readable(content, { ...CONTEXT, locale });
        expect(text.length).toBeLessThanOrEqual(12 * content.length + 1_000);
        expect(text).not.toMatch(/<(?:@[!&]?|#|a?:\w+:|t:|\/\w+:)\d+(?::\w)?>/);
        expect(text).not.toContain('://');
        expect(text).not.toMatch(/[\n\u200B\u202E]|\s\s/);
        for (const syntax of ['closed', 'square-open', 'angle-open'] as const) {
          expect(parseTags(text, syntax).filter(({ kind }) => kind !== 'text')).toEqual([]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('of plain words stays what it is, however often it is made readable', async () => {
    const word = fc.stringMatching(/^(?:[a-z]{1,3}|[A-Z][a-z]{1,2}|\d{1,9}|é|ß|я|語|नमस्ते|مرحبا)$/);
    const sentence = fc.array(word, { minLength: 1, maxLength: 30 }).map((words) => `${words.join(' ')}.`);
    fc.assert(
      fc.property(sentence, (words) => {
        expect(readable(words, CONTEXT)).toBe(words);
      }),
    );
  });
});
