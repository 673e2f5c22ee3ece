import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/**
 * One clock for all that runs in a test's process: bot, Discord on loopback, speech service and the test itself. It goes by
 * turns of the event loop, not by the machine's clock: in each turn it passes on to the next timer, 20 ms at the most. So a
 * text of seven seconds is heard packet by packet in half a second, each packet leaves at exactly its time, and a deadline
 * means what it says on the busiest machine: while the process computes, or has to wait for the processor, time stands
 * still. It also stands still while something is under way outside of the loop: a file is read, a program runs, a thread
 * or Web Crypto works.
 *
 * Vitest keeps the timers it found before, so its own deadlines are in real time.
 */

type Callback = (...args: unknown[]) => void;

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  now: performance.now.bind(performance),
  Date: globalThis.Date,
};

/** As many ms as there are between two packets. */
const MAX_A_TURN_MS = 20;
/**
 * How long a turn takes outside where the next timer is due within it, and where nothing is due so soon: then something may be
 * under way that nobody can see, such as a module that is loaded.
 */
const TURN_MS = 1;
const IDLE_TURN_MS = 4;
/** What `performance.now()` tells apart: a microsecond. */
const MIN_STEP_MS = 0.001;
/** What is under way outside of the loop, by the names of `process.getActiveResourcesInfo()`. */
const OUTSIDE = new Set(['FSReqCallback', 'FSReqPromise', 'GetAddrInfoReqWrap', 'ProcessWrap']);
/** Something that is under way for ever holds nothing up for ever: turns of about a millisecond. */
const MAX_TURNS_HELD = 3_000;

/** Whether it is the machine's clock. */
let isReal = true;
/** The time at the beginning of this turn, and when that was outside. */
let lastMs = real.now();
let lastRealMs = lastMs;
let turnsHeld = 0;
/** Calls of Web Crypto and WebAssembly without a result so far, and threads that owe an answer: Node's list has none of them. */
let owed = 0;
let lastGivenMs = lastMs;
const dateOffsetMs = real.Date.now() - lastMs;

let order = 0;
/** By time; those of one time in the order in which they were set. */
const queue: PacedTimer[] = [];
let wake: NodeJS.Timeout | undefined;
let isRunning = false;

function before(a: PacedTimer, b: PacedTimer): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order);
}

/** Where the timer stands, or would stand. */
function placeOf(timer: PacedTimer): number {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (before(queue[middle] as PacedTimer, timer)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function remove(timer: PacedTimer): void {
  const place = placeOf(timer);
  if (queue[place] === timer) queue.splice(place, 1);
}

/**
 * Within a turn as much passes as outside, but not beyond the turn. No two calls get the same time: as on a machine's clock, of
 * two commands one was asked for first.
 */
function now(): number {
  const passedMs = real.now() - lastRealMs;
  const atMs = isReal ? lastMs + passedMs : Math.min(lastMs + passedMs, endOfTurn());
  lastGivenMs = Math.max(atMs, lastGivenMs + MIN_STEP_MS);
  return lastGivenMs;
}

function endOfTurn(): number {
  return Math.max(lastMs, Math.min(lastMs + MAX_A_TURN_MS, queue[0]?.dueMs ?? Number.POSITIVE_INFINITY));
}

function beginTurn(): void {
  lastMs = isReal ? now() : isHeld() ? lastMs : endOfTurn();
  lastRealMs = real.now();
}

function isHeld(): boolean {
  const isOutside = owed > 0 || process.getActiveResourcesInfo().some((name) => OUTSIDE.has(name));
  turnsHeld = isOutside ? turnsHeld + 1 : 0;
  return turnsHeld > 0 && turnsHeld < MAX_TURNS_HELD;
}

class PacedTimer {
  order = 0;
  dueMs = 0;
  readonly callback: Callback;
  readonly args: unknown[];
  readonly delayMs: number;
  readonly repeats: boolean;
  constructor(callback: Callback, args: unknown[], delayMs: number, repeats: boolean) {
    this.callback = callback;
    this.args = args;
    this.delayMs = delayMs;
    this.repeats = repeats;
    this.start();
  }
  start(): void {
    this.order = order++;
    this.dueMs = now() + this.delayMs;
    queue.splice(placeOf(this), 0, this);
    plan();
  }
  // Whether the process may end is Vitest's to say.
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  refresh(): this {
    remove(this);
    this.start();
    return this;
  }
  close(): this {
    remove(this);
    return this;
  }
  [Symbol.toPrimitive](): number {
    return this.order;
  }
  [Symbol.dispose](): void {
    this.close();
  }
}

/** One real timer at a time. */
function plan(): void {
  if (isRunning) return;
  const next = queue[0];
  if (wake !== undefined) {
    if (!isReal) return;
    real.clearTimeout(wake);
    wake = undefined;
  }
  if (next === undefined) return;
  const waitMs = next.dueMs - now();
  const turnMs = waitMs > MAX_A_TURN_MS ? IDLE_TURN_MS : TURN_MS;
  wake = real.setTimeout(run, isReal ? Math.min(Math.max(0, waitMs), 2 ** 30) : turnMs);
  wake.unref();
}

function run(): void {
  wake = undefined;
  isRunning = true;
  try {
    beginTurn();
    for (let next = queue[0]; next !== undefined && next.dueMs <= lastMs; next = queue[0]) {
      remove(next);
      if (next.repeats) next.start();
      next.callback.apply(globalThis, next.args);
    }
  } finally {
    isRunning = false;
    plan();
  }
}

function delayOf(ms: unknown): number {
  const delay = Number(ms);
  return delay >= 1 && delay <= 2 ** 31 - 1 ? delay : 1;
}

const pacedSetTimeout = (callback: Callback, ms?: number, ...args: unknown[]) =>
  new PacedTimer(callback, args, delayOf(ms), false);
const pacedSetInterval = (callback: Callback, ms?: number, ...args: unknown[]) =>
  new PacedTimer(callback, args, delayOf(ms), true);

function clear(timer: unknown): void {
  if (timer instanceof PacedTimer) remove(timer);
  else real.clearTimeout(timer as NodeJS.Timeout);
}

function wait<T>(ms?: number, value?: T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const aborted = () => {
      clear(timer);
      const error = new Error('The operation was aborted', { cause: signal?.reason });
      reject(Object.assign(error, { name: 'AbortError', code: 'ABORT_ERR' }));
    };
    const timer = pacedSetTimeout(() => {
      signal?.removeEventListener('abort', aborted);
      resolve(value);
    }, ms);
    if (signal?.aborted) aborted();
    else signal?.addEventListener('abort', aborted, { once: true });
  });
}

/** Counts the calls of these methods that have no result so far. */
function countCalls(of: object, names: readonly string[]): void {
  const methods = of as Record<string, (...args: unknown[]) => Promise<unknown>>;
  for (const name of names) {
    const call = methods[name];
    if (call === undefined) continue;
    methods[name] = function (this: unknown, ...args) {
      owed += 1;
      return call.apply(this, args).finally(() => {
        owed -= 1;
      });
    };
  }
}

/** Counts what Web Crypto, WebAssembly and threads owe. */
function watchOutside(): void {
  const { prototype } = SubtleCrypto;
  const calls = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  countCalls(prototype, calls);
  countCalls(Reflect.get(globalThis, 'WebAssembly'), ['compile', 'instantiate']);
  const { postMessage } = Worker.prototype;
  const owing = new WeakSet<Worker>();
  Worker.prototype.postMessage = function (this: Worker, ...args: Parameters<Worker['postMessage']>) {
    if (!owing.has(this)) {
      owing.add(this);
      owed += 1;
      const answered = () => {
        if (owing.delete(this)) owed -= 1;
      };
      this.once('message', answered);
      this.once('exit', answered);
    }
    postMessage.apply(this, args);
  };
}

let isInstalled = false;

function install(): void {
  if (performance.now === now && (globalThis.setTimeout as unknown) === pacedSetTimeout) return;
  class PacedDate extends real.Date {
    constructor(...args: [number?]) {
      if (args.length === 0) super(Math.floor(now() + dateOffsetMs));
      else super(...(args as [number]));
    }
    static override now(): number {
      return Math.floor(now() + dateOffsetMs);
    }
  }
  Object.defineProperty(PacedDate, 'name', { value: 'Date' });
  Object.defineProperty(pacedSetTimeout, promisify.custom, { value: wait });
  const timers = {
    setTimeout: pacedSetTimeout,
    clearTimeout: clear,
    setInterval: pacedSetInterval,
    clearInterval: clear,
  };
  Object.assign(globalThis, timers, { Date: PacedDate });
  performance.now = now;
  AbortSignal.timeout = (ms: number) => {
    const controller = new AbortController();
    const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    pacedSetTimeout(() => controller.abort(timeout), ms);
    return controller.signal;
  };
  const require = createRequire(import.meta.url);
  Object.assign(require('node:timers'), timers);
  Object.assign(require('node:timers/promises'), { setTimeout: wait });
  syncBuiltinESMExports();
  if (!isInstalled) watchOutside();
  isInstalled = true;
  setReal(realTimeUsers.size > 0);
}

/** Those for whom time passes as on the machine's clock. */
const realTimeUsers = new Set<symbol>();

function setReal(on: boolean): void {
  if (on === isReal) return;
  lastMs = now();
  lastRealMs = real.now();
  isReal = on;
  plan();
}

function take(): () => void {
  const user = Symbol('real time');
  realTimeUsers.add(user);
  setReal(true);
  return () => {
    realTimeUsers.delete(user);
    setReal(!isInstalled || realTimeUsers.size > 0);
  };
}

/**
 * The first copy of this module in the process. Vitest can load a copy for a setup file beside that of a test file, and two
 * clocks at once would not agree on the time.
 */
const KEY = Symbol.for('Crier: the paced clock of tests');
const copies = globalThis as { [KEY]?: { readonly install: () => void; readonly take: () => () => void } };
const first = copies[KEY] ?? { install, take };
copies[KEY] = first;

/** Puts the paced clock in the place of Node's own, before anything else is imported. */
export const installPacedClock = (): void => first.install();

/**
 * Time passes as on the machine's clock until all that asked for it have called what this returns: where other processes take
 * part, or pace itself is tried.
 */
export const takeRealTime = (): (() => void) => first.take();
