export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notLoggedIn: 3,
  noCredits: 4,
  unavailable: 5,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** An error with its remedy and exit code. Never contains an API key. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, message: string, hint?: string) {
    super(message);
    this.exitCode = exitCode;
    this.hint = hint;
  }
}

export const usageError = (message: string, hint?: string): CliError => new CliError(EXIT.usage, message, hint);
export const failure = (message: string, hint?: string): CliError => new CliError(EXIT.failed, message, hint);

/** Thrown if a signal such as Ctrl-C ended the command. No message is printed, because the user knows why. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

export type Interrupt = ReturnType<typeof watchInterrupts>;

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.terminated } as const;
type SignalName = keyof typeof CODES;

/** The first signal aborts the command, the second ends the program at once. */
export function watchInterrupts() {
  const controller = new AbortController();
  const onSignal = (name: SignalName) => {
    if (controller.signal.aborted) process.exit(CODES[name]);
    controller.abort(new InterruptedError(CODES[name]));
  };
  const names = Object.keys(CODES) as SignalName[];
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    /** A prompt gets Ctrl-C as a key instead of a signal. */
    stop: () => onSignal('SIGINT'),
    dispose() {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

/** After a signal, the command ends with the signal's exit code, whatever error the abort caused. */
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
