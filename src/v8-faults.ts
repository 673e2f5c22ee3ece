import { setFlagsFromString } from 'node:v8';

/** Imported first by everything that is a process of its own: keeps V8 13.6 (Node 24) from what it cannot end well. */

// Node ends by joining V8's threads. One that just then compiles for the baseline compiler, and finds the heap full, waits
// for the main thread to clear it, which waits for it: the process stays for ever, long after it said that it has stopped
// (https://github.com/nodejs/node/issues/54918; seen in one of some 400 ends of a bot that had spoken, by its threads'
// stacks). Without that thread the same code is compiled where it is wanted, in well under a millisecond.
setFlagsFromString('--no-concurrent-sparkplug');

// When one thread compiles a faster wrapper for what WebAssembly calls, and such a wrapper of a thread that has ended is
// cleared away, the process can end (SIGSEGV or a damaged heap in Runtime_TierUpWasmToJSWrapper, by a core dump). The local
// voice's synthesiser calls out too seldom to gain from faster ones: they are never asked for.
setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');
