// v8-workarounds.ts is also imported here, because tests start the synthesis thread without the service's main program.
import '../../../process/v8-workarounds.ts';
import { Worker } from 'node:worker_threads';
import { EngineError, type SpeechEngine, type SynthesizedAudio, type TimbredJob } from '../engine.ts';
import { findEspeak } from './espeak.ts';
import { readsKanji } from './japanese.ts';
import { espeakLanguages } from './language.ts';
import type { FromWorker, ToWorker, WorkerData } from './worker.ts';

const DEFAULTS = {
  english: 'flite' as WorkerData['english'],
  maxWaiting: 256,
  deadlineMs: 60_000,
  /** The synthesis thread is replaced if a part of a text takes more than this many milliseconds. Parts usually take up to 1 s. */
  stuckAfterMs: 20_000,
  /** After this many milliseconds without a text, the synthesis thread ends. The next text starts a new thread. */
  restAfterMs: 15 * 60_000,
  program: new URL('./worker.ts', import.meta.url),
};

/** After this many failed starts in a row, the engine rejects all texts until the service restarts. */
const MAX_FAILED_STARTS = 3;

interface Waiting extends PromiseWithResolvers<SynthesizedAudio> {
  readonly id: number;
  readonly job: TimbredJob;
}

/** The synthesis thread takes 0.2 s to start and 40 MB of memory, so it lives only while texts come. */
export function createEmbeddedEngine(options: Partial<typeof DEFAULTS> = {}): SpeechEngine {
  const { english, maxWaiting, deadlineMs, stuckAfterMs, restAfterMs, program } = { ...DEFAULTS, ...options };
  const queue = new Set<Waiting>();
  let nextId = 1;
  let running: Waiting | undefined;
  let thread: Worker | undefined;
  let isReady = false;
  /** The timer fires if the synthesis thread is stuck at a text, or has had no text for `restAfterMs`. */
  let timer: NodeJS.Timeout | undefined;
  let failedStarts = 0;
  const found = findEspeak();
  let problem = 'problem' in found ? found.problem : undefined;
  let isClosed = false;

  function start(): void {
    const started = new Worker(program, { name: 'speech synthesis', workerData: { english } satisfies WorkerData });
    thread = started;
    started.on('message', (message: FromWorker) => {
      if (started === thread) onMessage(message);
    });
    started.on('error', (error) => onDeath(started, `The synthesis thread failed: ${error.message}`));
    started.on('exit', () => onDeath(started, 'The synthesis thread ended.'));
  }

  function onMessage(message: FromWorker): void {
    if (message.type === 'speaking') {
      timer?.refresh();
      return;
    }
    if (message.type === 'ready') {
      isReady = true;
      failedStarts = 0;
    } else if (running?.id === message.id) {
      if (message.type === 'done') running.resolve({ bytes: message.bytes, format: running.job.format });
      else running.reject(new EngineError('failed', message.message));
      running = undefined;
    }
    advance();
  }

  function onDeath(dead: Worker, reason: string): void {
    if (dead !== thread) return;
    endThread(new EngineError('failed', reason));
    failedStarts += 1;
    if (failedStarts >= MAX_FAILED_STARTS) {
      problem = reason;
      rejectWaiting(new EngineError('unavailable', reason));
    }
    advance();
  }

  function endThread(error: EngineError): Promise<number> | undefined {
    const ended = thread;
    clearTimeout(timer);
    running?.reject(error);
    [thread, running, isReady] = [undefined, undefined, false];
    return ended?.terminate();
  }

  function rejectWaiting(error: EngineError): void {
    for (const item of queue) item.reject(error);
    queue.clear();
  }

  function advance(): void {
    if (thread === undefined && queue.size > 0) start();
    const current = thread;
    if (current === undefined || !isReady || running !== undefined) return;
    clearTimeout(timer);
    [running] = queue;
    if (running === undefined) {
      timer = setTimeout(() => void endThread(new EngineError('failed', 'It rests.')), restAfterMs).unref();
      return;
    }
    queue.delete(running);
    timer = setTimeout(() => onDeath(current, 'Synthesis took too long.'), stuckAfterMs);
    current.postMessage({ id: running.id, job: running.job } satisfies ToWorker);
  }

  return {
    name: english === 'flite' ? 'Flite and eSpeak NG' : 'eSpeak NG',
    languages: espeakLanguages(readsKanji()),
    problem,
    async synthesize({ timbre, ...rest }, signal) {
      if (timbre === undefined) throw new EngineError('failed', 'This voice is another engine’s.');
      if (isClosed) throw new EngineError('unavailable', 'The service is shutting down.');
      if (problem !== undefined) throw new EngineError('down', problem);
      signal.throwIfAborted();
      if (queue.size >= maxWaiting) {
        throw new EngineError('busy', 'Too many requests are waiting for the synthesizer.');
      }
      const item: Waiting = { id: nextId++, job: { ...rest, timbre }, ...Promise.withResolvers<SynthesizedAudio>() };
      const giveUp = (reason: unknown) => {
        // A running synthesis cannot be stopped: the synthesis thread completes it, and the result is dropped.
        queue.delete(item);
        item.reject(reason);
      };
      const onAbort = () => giveUp(signal.reason);
      const deadline = setTimeout(() => giveUp(new EngineError('busy', 'The synthesizer is too busy.')), deadlineMs);
      signal.addEventListener('abort', onAbort, { once: true });
      queue.add(item);
      advance();
      try {
        return await item.promise;
      } finally {
        clearTimeout(deadline);
        signal.removeEventListener('abort', onAbort);
      }
    },
    wake() {
      if (isClosed || problem !== undefined) return;
      if (thread === undefined) start();
      else advance();
    },
    async close() {
      isClosed = true;
      const closing = new EngineError('unavailable', 'The service is shutting down.');
      rejectWaiting(closing);
      await endThread(closing);
    },
  };
}
