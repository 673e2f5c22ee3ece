import './process/v8-workarounds.ts';
import { useCompileCache } from './process/compile-cache.ts';

/** EX_CONFIG of sysexits.h: the exit code for problems that another start would not solve. */
const WRONG_SETTING = 78;

// The compile cache only covers modules that are imported after this call, so the program is imported afterwards.
useCompileCache();
try {
  await import('./app/program.ts');
} catch (error) {
  const { brokenPackage } = await import('./process/package.ts');
  const problem = brokenPackage(error);
  if (problem === undefined) throw error;
  process.stderr.write(`Crier cannot start: ${problem}\n`);
  process.exit(WRONG_SETTING);
}
