import './process/v8-workarounds.ts';
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Node's compile cache saves a third of the work at a program's start, in child processes and threads too. It is not in
// a folder for temporary files, where other users could plant code. It only covers modules that are imported after this
// call, so the program is imported afterwards.
if (!process.env.NODE_COMPILE_CACHE) {
  const { directory } = enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory;
}
try {
  await import('./app/program.ts');
} catch (error) {
  const { brokenPackage, WRONG_SETTING } = await import('./process/package.ts');
  const problem = brokenPackage(error);
  if (problem === undefined) throw error;
  process.stderr.write(`Crier cannot start: ${problem}\n`);
  process.exit(WRONG_SETTING);
}
