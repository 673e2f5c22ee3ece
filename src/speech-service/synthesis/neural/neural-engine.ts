import { type ChildProcess, fork } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { childEnvironment, NODE_FLAGS } from '../../../process/child-environment.ts';
import { EngineError, type SpeechEngine, type SynthesisJob } from '../engine.ts';
import { createServerRequests } from '../server-requests.ts';
import type { InstalledVoice } from './installed-voices.ts';
import { runtimeProblem } from './runtime.ts';
import type { FromWorker, ToWorker, WorkerData } from './worker.ts';

const DEFAULTS = {
  /** A voice's process is killed after this many milliseconds at a sentence. A request's deadline is longer. */
  stuckAfterMs: 50_000,
  /** After this many milliseconds without a text, the voice's process ends, which frees its memory. */
  restAfterMs: 5 * 60_000,
  /** Milliseconds until the engine tries again to load a neural voice that did not load. */
  againAfterMs: 5 * 60_000,
  program: new URL('./worker.ts', import.meta.url),
};

/** Maximum milliseconds to the first audio and between chunks, equal to the built-in synthesizer's deadline. */
const DEADLINE_MS = 60_000;
const MAX_REASON = 300;
/** Matches the source position at the start of the neural runtime's messages, such as `/…/model.cc:Init:169 `. */
const PLACE_IN_SOURCE = /^\S+\.(?:cc|h):\w+:\d+ /;

/** Speaks with one neural voice. The voice's model runs in a process of its own, which only lives while texts come. */
export function createNeuralEngine(voice: InstalledVoice, options: Partial<typeof DEFAULTS> = {}): SpeechEngine {
  const { stuckAfterMs, restAfterMs, againAfterMs, program } = { ...DEFAULTS, ...options };
  const requests = createServerRequests(DEADLINE_MS);
  let current: ChildProcess | undefined;
  let loading: Promise<ChildProcess> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let rest: NodeJS.Timeout | undefined;
  let failure: { readonly reason: string; readonly atMs: number } | undefined;
  let nextId = 1;

  async function load(): Promise<ChildProcess> {
    const { kind, files, folder } = voice;
    const data: WorkerData = { kind, files, folder };
    const child = fork(program, [JSON.stringify(data)], {
      serialization: 'advanced',
      execArgv: [...NODE_FLAGS],
      // The environment has API keys of the speech service, which the native library must not see.
      env: childEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    current = child;
    const onEnd = () => {
      if (current === child) current = loading = undefined;
    };
    child.once('exit', onEnd).once('error', onEnd);
    let lastWords = '';
    const lines = createInterface({ input: child.stderr as NonNullable<typeof child.stderr> });
    lines.on('line', (line) => {
      lastWords = `${lastWords} ${line.replace(PLACE_IN_SOURCE, '')}`.trim().slice(-MAX_REASON);
    });
    const deadline = AbortSignal.timeout(stuckAfterMs);
    try {
      await Promise.race([
        once(child, 'message', { signal: deadline }),
        once(child, 'close').then(() => Promise.reject(new Error(lastWords || 'Its process ended.'))),
      ]);
    } catch (error) {
      // The voice's process was killed by `end` while it loaded, so the voice itself has not failed.
      if (child.killed) throw new EngineError('down', `The voice ${voice.name} was stopped.`, { cause: error });
      child.kill('SIGKILL');
      const reason = deadline.aborted ? 'It takes too long.' : (error as Error).message;
      failure = { reason: `The voice ${voice.name} does not load: ${reason}`, atMs: performance.now() };
      throw new EngineError('down', failure.reason, { cause: error });
    }
    // Messages of the voice's process are ignored once it has loaded, because they may quote the text.
    lines.removeAllListeners('line').on('line', () => undefined);
    failure = undefined;
    return child;
  }

  function known(): string | undefined {
    if (!existsSync(voice.files.model)) return `The voice ${voice.name} was removed.`;
    return failure && performance.now() - failure.atMs < againAfterMs ? failure.reason : undefined;
  }

  async function* speak(job: SynthesisJob, signal: AbortSignal) {
    signal.throwIfAborted();
    const before = turn;
    const over = Promise.withResolvers<void>();
    turn = before.then(() => over.promise);
    let isItsTurn = false;
    const finish = () => {
      over.resolve();
      if (!isItsTurn) return;
      clearTimeout(rest);
      rest = setTimeout(() => void end(), restAfterMs).unref();
    };
    const left = once(signal, 'abort').then(() => signal.throwIfAborted());
    // A disconnected client stops reading speak(), so `finally` may never run: the abort signal calls finish() too.
    left.catch(finish);
    try {
      await Promise.race([before, left]);
      isItsTurn = true;
      clearTimeout(rest);
      const problem = known();
      if (problem !== undefined) throw new EngineError('down', problem);
      loading ??= load();
      const child = await Promise.race([loading, left]);
      if (child) yield* audioOf(child, job, signal);
    } finally {
      finish();
    }
  }

  async function* audioOf(child: ChildProcess, job: SynthesisJob, signal: AbortSignal) {
    const id = nextId++;
    const send = (message: ToWorker) => child.connected && child.send(message);
    const stuck = setTimeout(() => child.kill('SIGKILL'), stuckAfterMs);
    const cancel = () => {
      clearTimeout(stuck);
      send({ cancel: id });
    };
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const messages = on(child, 'message', { signal, close: ['exit'] });
      send({ id, job });
      for await (const [message] of messages as AsyncIterable<[FromWorker]>) {
        if (message.type === 'ready' || message.id !== id) continue;
        stuck.refresh();
        if (message.type === 'end') return;
        if (message.type === 'failed') throw new EngineError('failed', message.message);
        yield message.bytes;
      }
      throw new EngineError('failed', `The voice ${voice.name} ended while it spoke.`);
    } finally {
      clearTimeout(stuck);
      signal.removeEventListener('abort', cancel);
    }
  }

  async function end(): Promise<void> {
    clearTimeout(rest);
    const child = current;
    current = loading = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }

  return {
    name: `the voice ${voice.name}`,
    languages: undefined,
    problem: runtimeProblem(),
    async ask() {
      const problem = known();
      if (problem !== undefined) throw new EngineError('down', problem);
      return voice.voices;
    },
    async synthesize(job, signal) {
      try {
        return await requests.speak(signal, (given) => speak(job, given));
      } catch (error) {
        signal.throwIfAborted();
        // The deadline passed while the text waited. Clients may send it again: a neural voice bills nothing.
        if (!(error instanceof EngineError && error.mayBeBilled)) throw error;
        throw new EngineError('busy', `The voice ${voice.name} is too busy.`, { cause: error });
      }
    },
    async close() {
      requests.close();
      await end();
    },
  };
}
