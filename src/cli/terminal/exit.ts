/** How the program ends; listed in `voice --help`. */
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

/** Ends a command: the problem, its remedy, and the exit code. Never holds a key. */
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

/** A signal ended the command; no further message is due. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}
