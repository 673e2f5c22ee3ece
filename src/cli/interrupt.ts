import { EXIT, InterruptedError } from './exit.ts';

/** Ctrl-C and its relatives as one abort signal, whose reason is an `InterruptedError`. */
export interface Interrupt {
  readonly signal: AbortSignal;
  /** What Ctrl-C does, for prompts: they take the keys before the terminal makes a signal of them. */
  stop(): void;
  dispose(): void;
}

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.terminated } as const;

/** The first signal stops what is under way, the second one ends the program where it stands. */
export function watchInterrupts(): Interrupt {
  const controller = new AbortController();
  const onSignal = (name: keyof typeof CODES) => {
    if (controller.signal.aborted) process.exit(CODES[name]);
    controller.abort(new InterruptedError(CODES[name]));
  };
  const names = Object.keys(CODES) as (keyof typeof CODES)[];
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    stop: () => onSignal('SIGINT'),
    dispose() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}
