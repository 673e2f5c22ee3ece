import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { compactHeap } from '../../src/process/heap.ts';

test('what is used no longer goes back to the system, and nothing is left behind in the program', () => {
  let used: object[] | undefined = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  const grownBytes = getHeapStatistics().total_physical_size;
  expect(used).toHaveLength(1_000_000);
  used = undefined;
  compactHeap();
  expect(grownBytes - getHeapStatistics().total_physical_size).toBeGreaterThan(20e6);
  expect(globalThis.gc).toBeUndefined();
});

const MODULE = new URL('../../src/process/heap.ts', import.meta.url);

/** Ends a process that has filled its heap, and tells how much of it is left at the very end. */
const program = `
  import { exitPromptly } from '${MODULE}';
  let garbage = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  garbage = undefined;
  const before = process.memoryUsage().heapUsed;
  process.on('exit', () => console.log(process.memoryUsage().heapUsed < before / 2));
  exitPromptly(7);
`;

test('ends with the code it was given, and with room in the heap for what V8 is still at', () => {
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
    timeout: 30_000,
  });
  expect({ status, stdout }).toEqual({ status: 7, stdout: 'true\n' });
});
