import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NODE_FLAGS } from '../../src/process/child-environment.ts';
import { root } from '../repository/tracked-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('the built-in voice can use what the bot has compiled: nothing of it is compiled for other flags of V8', () => {
  const folder = temporaryFolder();
  const run = (...args: readonly string[]) => {
    const env = { NODE_COMPILE_CACHE: join(folder, 'compiled'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const { stderr } = spawnSync(process.execPath, [...NODE_FLAGS, ...args], { cwd: folder, env, encoding: 'utf8' });
    return { accepted: stderr.match(/ was accepted/g)?.length ?? 0, rejected: stderr.match(/ was rejected/g) };
  };
  // It ends at once, without settings.
  run(join(root, 'src/main.ts'));
  const { accepted, rejected } = run(join(root, 'src/speech-service/main.ts'), '--help');
  expect(rejected).toBeNull();
  expect(accepted).toBeGreaterThan(20);
});
