// Loaded before the bot (--import). On SIGUSR2 writes the longest turn of the event loop since the last signal, and the
// processor's current time for reference work.

import { isMainThread } from 'node:worker_threads';

/**
 * Exact CPU time of the thread: without the call of `cpuUsage`, Linux returns the time of the scheduler's last tick.
 */
function cpuMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const TEXT = 'Once upon a time there was a word of its own, and another one. '.repeat(2_000);
const NOT_THERE = /(?:\p{L}+ ){2}one! /u;
const REPEATS = 5;
const WARMING_UP = 20;

/** The median time of reference work that resembles a text's, without garbage. */
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

/** Runs once in each turn of the event loop and never keeps it awake. Idle waiting costs no CPU time. */
function turn(): void {
  const nowMs = cpuMs();
  longestMs = Math.max(longestMs, nowMs - beforeMs);
  beforeMs = nowMs;
  setImmediate(turn).unref();
}

// Worker threads load the probe too: their turns do not matter.
if (isMainThread) {
  for (let run = 0; run < WARMING_UP; run++) referenceMs();
  turn();
  process.on('SIGUSR2', () => {
    process.stdout.write(`${JSON.stringify({ msg: 'Turn', longestMs, referenceMs: referenceMs() })}\n`);
    longestMs = 0;
    beforeMs = cpuMs();
  });
}
