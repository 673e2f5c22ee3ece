import { once } from 'node:events';
import { SINK_CORE, startChild } from '../child.ts';
import type { SinkCalls } from './process.ts';

export type Sink = {
  [Name in keyof SinkCalls]: (...given: Parameters<SinkCalls[Name]>) => Promise<Awaited<ReturnType<SinkCalls[Name]>>>;
} & { close(): Promise<void> };

const CALL_TIMEOUT_MS = 30_000;

/** Starts the sink on a separate core. The sink ends with the parent process. */
export function startSink(): Sink {
  const child = startChild('./sink/process.ts', [], [SINK_CORE]);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let calls = 0;

  child.on('message', ({ id, result, error }: { id: number; result?: unknown; error?: string }) => {
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(`Sink: ${error}`));
  });
  child.on('exit', (code, signal) => {
    for (const { reject } of waiting.values()) reject(new Error(`The sink ended (${signal ?? code})`));
  });

  function call(name: string, argument: unknown): Promise<unknown> {
    const id = calls++;
    const answered = Promise.withResolvers<unknown>();
    waiting.set(id, answered);
    const late = () => answered.reject(new Error(`The sink did not answer ${name} within ${CALL_TIMEOUT_MS} ms`));
    const timer = setTimeout(late, CALL_TIMEOUT_MS);
    child.send({ id, name, argument });
    return answered.promise.finally(() => {
      clearTimeout(timer);
      waiting.delete(id);
    });
  }

  async function close(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.disconnect();
    await once(child, 'exit', { signal: AbortSignal.timeout(3_000) }).catch(() => child.kill('SIGKILL'));
  }

  return new Proxy({} as Sink, {
    get: (_, name) => {
      if (name === 'close') return close;
      // `await` looks for `then`: the proxy must not look like a promise.
      if (typeof name !== 'string' || name === 'then') return undefined;
      return (argument: unknown) => call(name, argument);
    },
  });
}
