import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
// @ts-expect-error A script without declarations; the used parts are typed here.
import * as script from '../../scripts/layers.mjs';
import { temporaryFolder } from '../temporary-folder.ts';

const { ORDER, readImports, roomOf } = script as {
  readonly ORDER: readonly string[];
  roomOf(file: string): string | undefined;
  readImports(folder: string): { readonly file: string; readonly imports: readonly string[] }[];
};
const PROGRAM = join(import.meta.dirname, '../../scripts/layers.mjs');
const SOURCES = join(import.meta.dirname, '../../src');

test('the order of the folders names only folders that exist, and has a place for each', () => {
  expect(ORDER.filter((room) => !existsSync(join(SOURCES, room)))).toEqual([]);
  const names = new Set(readImports(SOURCES).map(({ file }) => dirname(file)));
  names.delete('.');
  expect([...names].filter((name) => roomOf(`${name}/probe.ts`) === undefined)).toEqual([]);
});

test('an import in the wrong direction fails the lint, however it is written', () => {
  const folder = temporaryFolder();
  const imports = {
    'audio/playing/static.ts': `import {\n  a,\n  b,\n} from '../../app/app.ts';`,
    'audio/playing/effect.ts': `import '../../app/app.ts';`,
    'audio/playing/type.ts': `import type { App } from '../../app/app.ts';`,
    'audio/playing/passed-on.ts': `export * from '../../app/app.ts';`,
    'audio/playing/dynamic.ts': `const app = await import('../../app/app.ts');`,
    'audio/playing/allowed.ts': `import { clip } from '../clips/clip.ts';`,
  };
  for (const [file, code] of Object.entries(imports)) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, folder], { encoding: 'utf8' });
  expect(status).toBe(1);
  const refused = [...stderr.matchAll(/^src\/(\S+) imports /gm)].map(([, file]) => file);
  expect(refused.sort()).toEqual(
    Object.keys(imports)
      .filter((file) => !file.includes('allowed'))
      .sort(),
  );
  expect(stderr).toContain('audio/playing stands below app: imports point down');
});
