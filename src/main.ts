import './process/v8-workarounds.ts';
import { useCompileCache } from './process/compile-cache.ts';

/** The exit code EX_CONFIG of sysexits.h, for problems that another start would not solve. */
const WRONG_SETTING = 78;

// The compile cache only covers modules that are imported after it is turned on, so the program is imported afterwards.
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
