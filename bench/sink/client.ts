import { SINK_CORE, startChild } from '../child.ts';
import type { SinkCalls } from './protocol.ts';

/** The sink process, as functions. */
export type Sink = {
  [Name in keyof SinkCalls]: (...argument: Parameters<SinkCalls[Name]>) => Promise<ReturnType<SinkCalls[Name]>>;
} & { close(): Promise<void> };

const CALL_TIMEOUT_MS = 30_000;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** Starts it on a core of its own. It ends with this process. */
export function startSink(): Sink {
  const child = startChild('./sink/process.ts', [], [SINK_CORE]);
  const waiting = new Map<number, Waiting>();
  let calls = 0;

  child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    const call = waiting.get(id);
    if (!call) return;
    waiting.delete(id);
    clearTimeout(call.timer);
    if (error === undefined) call.resolve(result);
    else call.reject(new Error(`Sink: ${error}`));
  });
  child.on('exit', (code, signal) => {
    for (const { reject, timer } of waiting.values()) {
      clearTimeout(timer);
      reject(new Error(`The sink ended (${signal ?? code})`));
    }
    waiting.clear();
  });

  function call(name: string, argument: unknown): Promise<unknown> {
    calls += 1;
    const id = calls;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(id);
        reject(new Error(`The sink did not answer ${name} within ${CALL_TIMEOUT_MS} ms`));
      }, CALL_TIMEOUT_MS);
      waiting.set(id, { resolve, reject, timer });
      child.send({ id, name, argument });
    });
  }

  async function close(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await ended;
    clearTimeout(timer);
  }

  return new Proxy({} as Sink, {
    get: (_, name) => {
      if (name === 'close') return close;
      // The proxy is not a promise: `await` looks for `then`.
      if (typeof name !== 'string' || name === 'then') return undefined;
      return (argument: unknown) => call(name, argument);
    },
  });
}
