import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { SETTINGS } from '../../src/config/environment.ts';
import { read, root, trackedFiles } from './tracked-files.ts';

const documents = trackedFiles().filter((file) => file.endsWith('.md'));

/** A setting's row in docs/reference/settings.md. */
function settingRow(variable: string, { about, fallback, required }: (typeof SETTINGS)[keyof typeof SETTINGS]): string {
  return `| \`${variable}\` | ${about} | ${required ? 'must be set' : fallback ? `\`${fallback}\`` : ''} |`;
}

/** Files that a page has its reader write. */
const MADE_BY_READERS = ['deploy/.env', 'src/texts/fr.ts'];

const withoutCode = (markdown: string) => markdown.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');

/** The targets of a page's links and pictures inside the repository. */
function localLinks(markdown: string): string[] {
  const targets = [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The anchors that GitHub gives to a page's headings. */
function anchors(markdown: string): string[] {
  const headings = [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

function brokenLinks(page: string, markdown: string): string[] {
  return localLinks(markdown).filter((link) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? page : join(page, '..', path);
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !anchors(target === page ? markdown : read(target)).includes(anchor);
  });
}

describe('the documents', () => {
  it('list each setting once, as the configuration knows it', () => {
    const rows = Object.entries(SETTINGS).map(([variable, setting]) => settingRow(variable, setting));
    const shown = [...read('docs/reference/settings.md').matchAll(/^\| `[A-Z_]+` .*$/gm)].map(([row]) => row);
    expect(shown.sort()).toEqual(rows.sort());
  });

  it('list each metric', () => {
    const sources = trackedFiles().filter((file) => /^src\/services\/monitoring\/.*\.ts$/.test(file));
    const metrics = sources.flatMap((file) => read(file).match(/(?<=')crier_\w+(?=')/g) ?? []);
    expect(metrics.length).toBeGreaterThan(20);
    const page = read('docs/reference/metrics.md');
    expect(metrics.filter((metric) => !page.includes(`\`${metric}\``))).toEqual([]);
  });

  it.each(documents.filter((page) => page !== 'docs/engineering/promises.md'))(
    'name only paths that exist (%s)',
    (page) => {
      const paths = [...read(page).matchAll(/`((?:src|test|scripts|docs|deploy|bench)\/[\w./-]+)`/g)].map(
        ([, path]) => path ?? '',
      );
      expect(paths.filter((path) => !existsSync(join(root, path)) && !MADE_BY_READERS.includes(path))).toEqual([]);
    },
  );

  it('name only files that exist in the index of ARCHITECTURE.md', () => {
    const index = read('ARCHITECTURE.md').split('## Where to look')[1]?.split('\n## ')[0] ?? '';
    const paths = [...index.matchAll(/`([\w./-]+(?:\.ts|\/))`/g)].map(([, path]) => path ?? '');
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter((path) => !existsSync(join(root, 'src', path)))).toEqual([]);
  });

  it('link the page of the voice package to nothing outside of the package', () => {
    expect(localLinks(read('docs/reference/voice.md')).filter((link) => !link.startsWith('#'))).toEqual([]);
  });
});

test.each(documents)('links in %s point to a file and a heading that exist', (page) => {
  expect(brokenLinks(page, read(page))).toEqual([]);
});
