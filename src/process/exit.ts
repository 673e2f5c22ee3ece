import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Ends the process with this code, after all that is to be closed has been. Node joins V8's threads then, and one that
 * compiles and finds the heap full waits for the main thread, which waits for it, for ever (src/process/v8-workarounds.ts keeps only
 * the most frequent of them from it). Cleared right before, the heap has room for whatever they are at: a few dozen
 * milliseconds once.
 */
export function exitPromptly(code: number): never {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  collectGarbage();
  process.exit(code);
}
