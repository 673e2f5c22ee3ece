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
 * Returns unused memory to the system after a start, during which V8 has grown its heap. V8 alone would return only up
 * to half. Takes about 0.1 s, so call it only when no work is waiting.
 */
export function compactHeap(): void {
  garbageCollector()({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/**
 * Ends the process with the exit code `code`. Must be called after everything is closed.
 * At the end, Node waits for V8's threads. A thread that compiles while the heap is full waits for the main thread, and
 * the process hangs forever. Collecting garbage first leaves room for these threads, and takes a few dozen
 * milliseconds. src/process/v8-workarounds.ts prevents only the most frequent case.
 */
export function exitPromptly(code: number): never {
  garbageCollector()();
  process.exit(code);
}
