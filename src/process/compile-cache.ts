import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

/**
 * Keeps what Node compiles, which is a third of the work of a start. In NODE_COMPILE_CACHE where that is set, else with the packages; where neither can be written, the start is
 * slower. Not in the folder for temporary files, where other users could put code. Child processes and threads share it.
 */
export function useCompileCache(): void {
  if (process.env.NODE_COMPILE_CACHE) return;
  const { directory } = enableCompileCache(FOLDER);
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory;
}
