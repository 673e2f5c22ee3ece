import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Finding, findingsInPage, findingsInSource } from './prose.ts';
import { read, root, trackedFiles } from './tracked-files.ts';

const ALLOWED = 'test/repository/prose.json';

/** Pages go by their folder; sources are one group, since code moves between modules. */
const groupOf = (file: string) => (file.startsWith('src/') ? 'src' : dirname(file));

function findings(): Map<string, (Finding & { file: string })[]> {
  const found = new Map<string, (Finding & { file: string })[]>();
  const isPage = (file: string) => /^(README|CONTRIBUTING|ARCHITECTURE|CHANGELOG)\.md$|^docs\/.*\.md$/.test(file);
  const isSource = (file: string) => /^src\/.*\.(ts|js)$/.test(file) && !file.startsWith('src/texts/');
  for (const file of trackedFiles()) {
    const here = isPage(file) ? findingsInPage(read(file)) : isSource(file) ? findingsInSource(read(file)) : [];
    const group = groupOf(file);
    if (here.length > 0)
      found.set(group, [...(found.get(group) ?? []), ...here.map((finding) => ({ ...finding, file }))]);
  }
  return found;
}

describe('the style guide', () => {
  it('is kept, but for what is left from before, which only gets less', () => {
    const allowed: Record<string, number> = JSON.parse(read(ALLOWED));
    const found = findings();
    if (process.env.PROSE === 'write') {
      const fewer = Object.entries(allowed).map(([group, count]) => [
        group,
        Math.min(count, found.get(group)?.length ?? 0),
      ]);
      const left = Object.fromEntries(fewer.filter(([, count]) => count !== 0));
      writeFileSync(join(root, ALLOWED), `${JSON.stringify(left, undefined, 2)}\n`);
    }
    const tooMany = [...found].filter(([group, { length }]) => length > (allowed[group] ?? 0));
    const listed = tooMany.flatMap(([group, here]) => [
      `${group}: ${here.length}, allowed ${allowed[group] ?? 0}`,
      ...here.map(({ file, rule, found: words }) => `  ${file}: ${rule}: ${words}`),
    ]);
    expect(listed.join('\n')).toBe('');
  });
});
