import { expect, it } from 'vitest';
import { findingsInPage, findingsInSource } from './prose.ts';
import { read, trackedFiles } from './tracked-files.ts';

/** The sentences of one page are samples of speech. */
const isPage = (file: string) =>
  /^(README|CONTRIBUTING|ARCHITECTURE|CHANGELOG)\.md$|^docs\/.*\.md$/.test(file) &&
  file !== 'docs/engineering/phonemes.md';
const isSource = (file: string) => /^src\/.*\.(ts|js)$/.test(file) && !file.startsWith('src/texts/');

it('the style guide is kept', () => {
  const found = trackedFiles().flatMap((file) => {
    const here = isPage(file) ? findingsInPage(read(file)) : isSource(file) ? findingsInSource(read(file)) : [];
    return here.map(({ rule, found: words }) => `${file}: ${rule}: ${words}`);
  });
  expect(found).toEqual([]);
});
