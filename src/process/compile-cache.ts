import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

/**
 * The cache saves a third of the work of a start, for child processes and threads too. A folder for temporary files
 * would be unsafe: other users could put code there.
 */
export function useCompileCache(): void {
  if (process.env.NODE_COMPILE_CACHE) return;
  const { directory } = enableCompileCache(FOLDER);
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = directory;
}
