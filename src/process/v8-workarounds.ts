import { setFlagsFromString } from 'node:v8';

/** Imported first by every program, and by what starts threads in processes of others: keeps V8 from what it cannot end well. */

// Node 22 to 26 know both flags. A version without them would complain on stderr of every program.
if (/^1[2-4]\./.test(process.versions.v8)) {
  // Node ends by joining V8's threads. One that just then compiles for the baseline compiler, and finds the heap full, waits
  // for the main thread to clear it, which waits for it: the process stays forever, long after it said that it has stopped
  // (https://github.com/nodejs/node/issues/54918; seen with Node 24 in one of some 400 ends of a bot that had spoken, by its
  // threads' stacks). Without that thread the same code is compiled where it is wanted, in well under a millisecond.
  setFlagsFromString('--no-concurrent-sparkplug');

  // When one thread compiles a faster wrapper for what WebAssembly calls, and such a wrapper of a thread that has ended is
  // cleared away, the process can end (SIGSEGV or a damaged heap in Runtime_TierUpWasmToJSWrapper, by a core dump). The
  // local voice's synthesizer calls out too seldom to gain from faster ones: they are never asked for.
  setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');
}
