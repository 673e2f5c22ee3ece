import { EXIT, InterruptedError } from './exit.ts';

/** Ctrl-C and similar signals as one abort signal with an `InterruptedError` as its reason. */
export type Interrupt = ReturnType<typeof watchInterrupts>;

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.terminated } as const;
type SignalName = keyof typeof CODES;

/** The first signal aborts the command, the second one ends the program at once. */
export function watchInterrupts() {
  const controller = new AbortController();
  const onSignal = (name: SignalName) => {
    if (controller.signal.aborted) process.exit(CODES[name]);
    controller.abort(new InterruptedError(CODES[name]));
  };
  /** The effect of Ctrl-C, for prompts: they take the keys before the terminal makes a signal of them. */
  const stop = () => onSignal('SIGINT');
  return { signal: controller.signal, stop, dispose: onSignals(onSignal) };
}

/** Calls back for each of the signals; the returned function ends that. */
function onSignals(callback: (name: SignalName) => void): () => void {
  const names = Object.keys(CODES) as SignalName[];
  for (const name of names) process.on(name, callback);
  return () => {
    for (const name of names) process.off(name, callback);
  };
}

/** Runs an abortable command. Whatever error an aborted request fails with, the command ends as the signal says. */
export async function interruptible<T>(work: (interrupt: Interrupt) => Promise<T>): Promise<T> {
  const interrupt = watchInterrupts();
  try {
    return await work(interrupt);
  } catch (error) {
    interrupt.signal.throwIfAborted();
    throw error;
  } finally {
    interrupt.dispose();
  }
}
