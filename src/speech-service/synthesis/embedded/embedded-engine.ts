// Also where another process, a test's say, runs the service: its threads meet the same faults of V8.
import '../../../process/v8-workarounds.ts';
import { Worker } from 'node:worker_threads';
import { EngineError, type SpeechEngine, type SynthesizedAudio, type TimbredJob } from '../engine.ts';
import { findEspeak } from './espeak-program.ts';
import { readsKanji } from './japanese.ts';
import { espeakLanguages } from './language.ts';
import type { FromWorker, ToWorker } from './worker.ts';

export interface EmbeddedEngineLimits {
  /** Requests that may wait; one more is refused at once. */
  maxWaiting: number;
  /** From the request to the finished audio, waiting included. */
  deadlineMs: number;
  /** Synthesis of the longest text takes about a second; a thread that takes this long is stuck and is replaced. */
  stuckAfterMs: number;
  /** The thread ends after this time without a text, until the next one. */
  restAfterMs: number;
}

const DEFAULT_LIMITS: EmbeddedEngineLimits = {
  maxWaiting: 256,
  deadlineMs: 60_000,
  stuckAfterMs: 20_000,
  restAfterMs: 15 * 60_000,
};
const THREAD = new URL('./worker.ts', import.meta.url);

interface Waiting {
  owner: string;
  job: TimbredJob;
  resolve(audio: SynthesizedAudio): void;
  reject(error: Error): void;
}

/**
 * eSpeak NG in a worker thread, one utterance at a time, with a bounded queue in which owners take turns. The thread is there
 * while there is something to speak, or may soon be: it takes some 0.2 s to start, and 40 MB. `program` is the thread's module; its messages are
 * `ToWorker` and `FromWorker`.
 */
export function createEmbeddedEngine(
  limits: Partial<EmbeddedEngineLimits> = {},
  { program = THREAD }: { program?: URL } = {},
): SpeechEngine {
  const { maxWaiting, deadlineMs, stuckAfterMs, restAfterMs } = { ...DEFAULT_LIMITS, ...limits };
  const queue = createFairQueue<Waiting>();
  let nextId = 1;
  let running: { id: number; item: Waiting; stuckTimer: NodeJS.Timeout } | undefined;
  let worker: Worker | undefined;
  let restTimer: NodeJS.Timeout | undefined;
  const found = findEspeak();
  let problem = 'problem' in found ? found.problem : undefined;
  let state: 'resting' | 'starting' | 'ready' | 'missing' | 'closed' = problem === undefined ? 'resting' : 'missing';
  let failuresInARow = 0;

  const start = () => {
    state = 'starting';
    const thread = new Worker(program, { name: 'speech synthesis' });
    worker = thread;
    thread.on('message', (message: FromWorker) => {
      if (thread === worker) onMessage(message);
    });
    thread.on('error', (error) => onDeath(thread, `The synthesis thread failed: ${error.message}`));
    thread.on('exit', () => onDeath(thread, 'The synthesis thread ended.'));
  };

  const onMessage = (message: FromWorker) => {
    if (message.type === 'ready') {
      state = 'ready';
      failuresInARow = 0;
      advance();
    } else if (running?.id === message.id) {
      const { item } = running;
      finishRunning();
      if (message.type === 'done') item.resolve({ bytes: message.bytes, format: item.job.format });
      else item.reject(new EngineError('failed', message.message));
      advance();
    }
  };

  const onDeath = (thread: Worker, reason: string) => {
    if (thread !== worker) return;
    worker = undefined;
    clearTimeout(restTimer);
    void thread.terminate();
    running?.item.reject(new EngineError('failed', reason));
    finishRunning();
    if (state === 'closed' || state === 'missing') return;
    failuresInARow += 1;
    // A thread that cannot even start three times will not start the fourth time.
    if (failuresInARow >= 3) giveUp(reason);
    else rest();
  };

  const giveUp = (reason: string) => {
    state = 'missing';
    problem = reason;
    rejectWaiting(new EngineError('unavailable', reason));
  };

  const rejectWaiting = (error: EngineError) => {
    for (let item = queue.next(); item !== undefined; item = queue.next()) item.reject(error);
  };

  const finishRunning = () => {
    if (running !== undefined) clearTimeout(running.stuckTimer);
    running = undefined;
  };

  /** Until the next text; where one waits, that is now. */
  const rest = () => {
    const thread = worker;
    worker = undefined;
    state = 'resting';
    void thread?.terminate();
    advance();
  };

  const advance = () => {
    if (state === 'resting' && queue.size > 0) start();
    if (state !== 'ready' || running !== undefined || worker === undefined) return;
    clearTimeout(restTimer);
    const item = queue.next();
    if (item === undefined) {
      restTimer = setTimeout(rest, restAfterMs).unref();
      return;
    }
    const thread = worker;
    const id = nextId++;
    const stuckTimer = setTimeout(() => onDeath(thread, 'Synthesis took too long.'), stuckAfterMs);
    running = { id, item, stuckTimer };
    thread.postMessage({ id, job: item.job } satisfies ToWorker);
  };

  return {
    name: 'eSpeak NG',
    languages: espeakLanguages(readsKanji()),
    problem,
    synthesize({ timbre, ...rest }, { owner, signal }) {
      if (timbre === undefined) return Promise.reject(new EngineError('failed', 'This voice is another engine’s.'));
      const job: TimbredJob = { ...rest, timbre };
      if (state === 'missing') return Promise.reject(new EngineError('down', problem ?? 'No synthesizer.'));
      if (state === 'closed') return Promise.reject(new EngineError('unavailable', 'The service is shutting down.'));
      if (signal.aborted) return Promise.reject(signal.reason as Error);
      if (queue.size >= maxWaiting) {
        return Promise.reject(new EngineError('busy', 'Too many requests are waiting for the synthesizer.'));
      }
      const { promise, resolve, reject } = Promise.withResolvers<SynthesizedAudio>();
      const item: Waiting = { owner, job, resolve, reject };
      const giveUpWaiting = (reason: Error) => {
        // A synthesis under way is left to end, within a second; its result is dropped.
        queue.remove(owner, item);
        reject(reason);
      };
      const onAbort = () => giveUpWaiting(signal.reason as Error);
      const deadline = setTimeout(
        () => giveUpWaiting(new EngineError('busy', 'The synthesizer is too busy.')),
        deadlineMs,
      );
      signal.addEventListener('abort', onAbort, { once: true });
      queue.push(owner, item);
      advance();
      return promise.finally(() => {
        clearTimeout(deadline);
        signal.removeEventListener('abort', onAbort);
      });
    },
    wake() {
      if (state === 'resting') start();
      else advance();
    },
    async close() {
      if (state === 'closed') return;
      state = 'closed';
      clearTimeout(restTimer);
      const thread = worker;
      worker = undefined;
      const closing = new EngineError('unavailable', 'The service is shutting down.');
      running?.item.reject(closing);
      finishRunning();
      rejectWaiting(closing);
      await thread?.terminate();
    },
  };
}

/** A first-in-first-out queue for each owner; `next` goes round the owners, so that none waits for all of another's. */
export function createFairQueue<T>() {
  // Insertion order is the order of turns: an owner that was served goes to the end.
  const lines = new Map<string, T[]>();
  let size = 0;
  return {
    get size(): number {
      return size;
    },
    push(owner: string, item: T): void {
      const line = lines.get(owner);
      if (line === undefined) lines.set(owner, [item]);
      else line.push(item);
      size += 1;
    },
    next(): T | undefined {
      const turn = lines.entries().next();
      if (turn.done === true) return undefined;
      const [owner, line] = turn.value;
      const item = line.shift();
      lines.delete(owner);
      if (line.length > 0) lines.set(owner, line);
      size -= 1;
      return item;
    },
    /** Takes out an item that is still waiting. */
    remove(owner: string, item: T): boolean {
      const line = lines.get(owner);
      const at = line?.indexOf(item) ?? -1;
      if (line === undefined || at < 0) return false;
      line.splice(at, 1);
      if (line.length === 0) lines.delete(owner);
      size -= 1;
      return true;
    },
  };
}
