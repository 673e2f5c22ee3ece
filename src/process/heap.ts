import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

function garbageCollector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc');
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}

/**
 * Returns memory that the start of a program needed to the system: V8 has grown its heap for that, and by itself gives
 * back only up to half. It takes some 0.1 s, so it is for a moment without waiting work.
 */
export function compactHeap(): void {
  garbageCollector()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * Ends the process with this code, after all that is to be closed has been. Node joins V8's threads then, and one that
 * compiles and finds the heap full waits for the main thread, which waits for it, forever (src/process/v8-workarounds.ts keeps only
 * the most frequent of them from it). Cleared right before, the heap has room for whatever they are at: a few dozen
 * milliseconds once.
 */
export function exitPromptly(code: number): never {
  garbageCollector()();
  process.exit(code);
}
