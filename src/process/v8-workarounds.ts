import { setFlagsFromString } from 'node:v8';

/** Every program of Crier imports this module first. So does embedded-engine.ts: tests start its threads without a program. */

// Only Node 22 to 26 know these V8 flags. Other versions would print a warning in every program.
if (/^1[2-4]\./.test(process.versions.v8)) {
  // At exit, Node waits for V8's threads. A thread of V8's baseline compiler that finds the heap full waits for the main
  // thread (https://github.com/nodejs/node/issues/54918). With Node 24, about 1 in 400 bots that had spoken never exited.
  // Without the compiler's thread, the main thread compiles the same code in well under a millisecond.
  setFlagsFromString('--no-concurrent-sparkplug');

  // V8 compiles faster wrappers for WebAssembly's calls to JavaScript. If V8 clears a wrapper of an ended thread while
  // another thread compiles one, the process can crash (SIGSEGV or a damaged heap in Runtime_TierUpWasmToJSWrapper).
  // The built-in voice calls JavaScript too rarely to need such wrappers.
  setFlagsFromString('--wasm-wrapper-tiering-budget=1000000000');
}
