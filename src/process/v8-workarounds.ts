import { setFlagsFromString } from 'node:v8';

/**
 * Must be imported first by every program, and by code that starts threads in other programs' processes. Turns off two
 * features of V8: one can hang a process at its end, the other can crash a process in which a thread has ended.
 */

// Only Node 22 to 26 know the V8 flags --no-concurrent-sparkplug and --wasm-wrapper-tiering-budget. Other versions
// would print a warning in every program.
if (/^1[2-4]\./.test(process.versions.v8)) {
  // Keeps the process from hanging at its end, when Node waits for V8's threads. A thread of the baseline compiler that
  // finds the heap full waits for the main thread (https://github.com/nodejs/node/issues/54918). With Node 24, about 1
  // of 400 bots that had spoken hung at their end, as their threads' stacks showed. Without that thread, the main
  // thread compiles the same code in well under a millisecond.
  setFlagsFromString('--no-concurrent-sparkplug');

  // Keeps the process from crashing after one of its threads has ended. V8 compiles faster wrappers for WebAssembly's
  // calls to JavaScript. If V8 clears a wrapper of the ended thread while another thread compiles one, the process can
  // crash. Core dumps showed a SIGSEGV or a damaged heap in Runtime_TierUpWasmToJSWrapper. The built-in voice's
  // synthesizer calls JavaScript too rarely to need faster wrappers, so they are never compiled.
  setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');
}
