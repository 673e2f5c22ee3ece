import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

const PROGRAM = join(import.meta.dirname, '../../scripts/layers.mjs');

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
  const wrong = Object.keys(imports).filter((file) => !file.includes('allowed'));
  expect(refused.sort()).toEqual(wrong.sort());
  expect(stderr).toContain('audio/playing stands below app: imports point down');
});
