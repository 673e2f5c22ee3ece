import { expect, it } from 'vitest';
import { en } from '../../src/texts/en.ts';
import { keysNamedIn, sources } from './places.ts';

/** What can stand where a person reads: given as a property, or to what sends it. */
const SHOWN_DIRECTLY =
  /\b(?:content|label|title|placeholder|lines|text|words): (?:\[)?(?:'[^'\n]*[a-z] [^'\n]*'|`[^`\n]*[a-z] [^`\n]*`)|\.(?:send|reply|editReply|followUp|update|respond)\((?:\[)?['`]|\bUserError\(['`]/u;

it('every text is used somewhere', () => {
  const named = new Set(sources('**').flatMap(({ code }) => keysNamedIn(code)));
  expect(Object.keys(en).filter((key) => !named.has(key))).toEqual([]);
});

it('nothing that people read is written outside of the catalogs', () => {
  const written = sources('commands', 'discord', 'reading').flatMap(({ file, code }) =>
    code
      .split('\n')
      .map((line, index) => `${file}:${index + 1}: ${line.trim()}`)
      .filter((line) => SHOWN_DIRECTLY.test(line)),
  );
  expect(written).toEqual([]);
});
