import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Returns to the system what the start of a program left behind: V8 has grown its heap for it by then, and by itself gives back
 * half of that at most. For a moment in which nothing waits: it takes some 0.1 s.
 */
export function compactHeap(): void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
