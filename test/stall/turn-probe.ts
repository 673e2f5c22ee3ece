// Loaded before the bot (--import): on SIGUSR2 it tells the longest turn of the event loop since it was last asked, and how long
// this processor takes at the moment for the same work each time.

import { isMainThread } from 'node:worker_threads';

/** CPU time of this thread, exact: without the first call Linux tells it as of the last tick of its scheduler. */
function cpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const TEXT = 'Once upon a time there was a word of its own, and another one. '.repeat(2_000);
const NOT_THERE = /(?:\p{L}+ ){2}one! /u;
const REPEATS = 5;
const WARMING_UP = 20;

/** Work of the kind that a text makes, without any garbage; the time in the middle of some. */
function referenceMs(): number {
  const times = Array.from({ length: REPEATS }, () => {
    const startedMs = cpuMs();
    TEXT.search(NOT_THERE);
    return cpuMs() - startedMs;
  });
  return times.toSorted((a, b) => a - b)[REPEATS >> 1] as number;
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
  for (let run = 0; run < WARMING_UP; run++) referenceMs();
  turn();
  process.on('SIGUSR2', () => {
    process.stdout.write(`${JSON.stringify({ msg: 'Turn', longestMs, referenceMs: referenceMs() })}\n`);
    longestMs = 0;
    beforeMs = cpuMs();
  });
}
