// Loaded before the bot (--import): on SIGUSR2 it tells the longest turn of the event loop since it was last asked.

import { isMainThread } from 'node:worker_threads';

/** CPU time of this thread, exact: without the first call Linux tells it as of the last tick of its scheduler. */
function cpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

let longestMs = 0;
let beforeMs = cpuMs();

/** Once in each turn, and for none does it keep the event loop awake: waiting for something to do costs no CPU time. */
function turn(): void {
  const nowMs = cpuMs();
  longestMs = Math.max(longestMs, nowMs - beforeMs);
  beforeMs = nowMs;
  setImmediate(turn).unref();
}

// Worker threads load it, too: they may take their time.
if (isMainThread) {
  turn();
  process.on('SIGUSR2', () => {
    process.stdout.write(`${JSON.stringify({ msg: 'Turn', longestMs })}\n`);
    longestMs = 0;
  });
}
