import './process/v8-workarounds.ts';
import { useCompileCache } from './process/compile-cache.ts';

/** EX_CONFIG of sysexits.h: a start would fail in the same way again. */
const WRONG_SETTING = 78;

// Before anything else is compiled, so all else is imported from there.
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
