import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { unknownAuthority } from '../../network/connection-errors.ts';
import type { SpeechError, SpeechErrorKind } from '../../speech/errors.ts';
import { MODEL_IDS, modelRules } from '../../speech/interface/models.ts';
import type { RequestIssue, RequestWarning } from '../../speech/interface/schemas.ts';

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
export const notLoggedIn = (message: string, hint?: string): CliError => new CliError(EXIT.notLoggedIn, message, hint);
export const unavailable = (message: string, hint?: string): CliError => new CliError(EXIT.unavailable, message, hint);

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

export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Characters that JSON leaves unescaped but terminals may obey: DEL, C1, line separators and direction controls. */
const OBEYED_BY_TERMINALS = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

export function json(value: unknown, indent?: number): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, null, indent).replace(OBEYED_BY_TERMINALS, escaped);
}

/** Messages go to stderr, because stdout carries the data. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Resolves when stdout has taken all bytes, however slow its reader is. Rejects if the write fails or `signal` aborts. */
export async function printBytes(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  await promise.finally(() => signal.removeEventListener('abort', onAbort));
}

type Style = 'bold' | 'dim' | 'red' | 'yellow' | 'green' | 'cyan';

/** Only a terminal gets colors, unless NO_COLOR (https://no-color.org) or a dumb terminal rules them out. */
export function styled(style: Style, text: string, stream: NodeJS.WriteStream): string {
  const { NO_COLOR, TERM } = process.env;
  const hasColors = stream.isTTY === true && !NO_COLOR && TERM !== 'dumb';
  return hasColors ? styleText(style, text, { validateStream: false }) : text;
}

export function warn(text: string): void {
  note(`${styled('yellow', 'warning:', process.stderr)} ${plainLines(text)}`);
}

export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/**
 * Makes untrusted text safe for one line. Control characters could steer the terminal, line breaks could forge table
 * rows, and direction controls could reorder other text.
 */
export function plain(text: string): string {
  return text.replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '');
}

export const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

export const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });

export const counted = (count: number, singular: string): string =>
  `${number(count)} ${singular}${count === 1 ? '' : 's'}`;

/**
 * Resolves with undefined if the input ended. With `hidden`, the terminal does not show what the user types. Rejects
 * with the signal's reason after Ctrl-C.
 */
export function ask(
  question: string,
  interrupt: Interrupt,
  options: { hidden?: boolean } = {},
): Promise<string | undefined> {
  const { signal } = interrupt;
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  if (signal.aborted) {
    reject(signal.reason);
    return promise;
  }
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({
    input: process.stdin,
    output: options.hidden ? nowhere : process.stderr,
    terminal: true,
    historySize: 0,
  });
  if (options.hidden) process.stderr.write(question);
  const onAbort = () => end(() => reject(signal.reason));
  const end = (settle: () => void) => {
    signal.removeEventListener('abort', onAbort);
    lines.off('close', onClose);
    lines.close();
    if (options.hidden) process.stderr.write('\n');
    settle();
  };
  const onClose = () => end(() => resolve(undefined));
  signal.addEventListener('abort', onAbort, { once: true });
  lines.on('close', onClose);
  lines.on('SIGINT', () => {
    if (!options.hidden) process.stderr.write('\n');
    interrupt.stop();
    if (!signal.aborted) end(() => reject(interrupt.signal.reason));
  });
  lines.question(options.hidden ? '' : question, (line) => end(() => resolve(line)));
  return promise;
}

export async function confirm(question: string, interrupt: Interrupt): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `, interrupt);
  return /^y(es)?$/i.test(answer?.trim() ?? '');
}

const WORDS: Readonly<Record<SpeechErrorKind, CliError>> = {
  'invalid-request': failure('The service rejected the request; nothing was spent on it.'),
  'input-too-long': failure('The text is too long for this voice; nothing was spent on it.'),
  'unsupported-format': failure('This voice does not support that audio format; nothing was spent on it.'),
  // If a voice cannot read a text's letters, `mustRead` throws a usage error. The service's refusal gets the same exit code.
  'unsupported-language': usageError(
    'This voice cannot speak the language or script of the text; nothing was spent on it.',
    'voice voices shows which languages each voice speaks.',
  ),
  'voice-not-found': usageError(
    'The service has no such voice.',
    'voice voices lists them; names are exact, and belong to a model.',
  ),
  'invalid-api-key': notLoggedIn(
    'The service does not accept the key.',
    'voice login saves a new one; voice config show shows which one is used.',
  ),
  'insufficient-credits': new CliError(
    EXIT.noCredits,
    'There are not enough credits left.',
    'voice credits shows the balance; buy more in the dashboard of the account.',
  ),
  'content-policy': failure('The service rejected this text because of its content policy; nothing was spent on it.'),
  'rate-limited': unavailable('Too many requests with this key.', 'Try again in a minute.'),
  'quota-exceeded': unavailable(
    "The quota of the model's provider is used up for now.",
    'Try again later, or with a voice of another model.',
  ),
  unavailable: unavailable('The service is not available.', 'Try again later.'),
  'server-error': unavailable(
    'The service failed.',
    'Try again later; if it keeps failing, tell whoever runs the service.',
  ),
  'bad-response': failure(
    'The response is not from a speech service.',
    'voice config show shows which address is used.',
  ),
  network: unavailable(
    'The service could not be reached.',
    'Is the address right, and the network up? voice config show shows which address is used.',
  ),
  timeout: unavailable('The service did not answer in time.'),
  aborted: new CliError(EXIT.interrupted, 'Stopped.'),
};

/** A 5xx answer that has neither an error code nor a request id nor a message probably comes from a proxy. */
const NOT_THE_SERVICE = unavailable(
  'The error is not one of a speech service: a proxy before it may have answered.',
  'Try again later, and check the address: voice config show shows which one is used.',
);

const MAY_BE_BILLED = 'The request may have been billed anyway: check voice credits before repeating it.';

/** Checks the error's name, because most commands never load the speech client with its error class. */
export function isSpeechError(error: unknown): error is SpeechError {
  return error instanceof Error && error.name === 'SpeechError';
}

export function inWords(error: SpeechError): CliError {
  const isTheirs = [error.code, error.requestId, error.serverMessage].some((fact) => fact !== undefined);
  const isOfProxy = !isTheirs && (error.status ?? 0) >= 500;
  const told = isOfProxy ? NOT_THE_SERVICE : WORDS[error.kind];
  const isLost = error.kind === 'network' && error.creditsMayBeSpent;
  const message = isLost ? 'The connection was lost before the service answered.' : told.message;
  const authority = unknownAuthority(error.cause);
  const theirs =
    error.serverMessage === undefined ? undefined : plain(error.serverMessage.split('\n')[0] ?? '').slice(0, 300);
  const status = isTheirs || error.status === undefined ? undefined : `HTTP ${error.status}`;
  const facts = plain([error.code, error.requestId, status].filter((fact) => fact !== undefined).join(', '));
  const issues = error.issues.map(issueInWords).join('\n');
  const text = [issues || message, theirs && `The service says: ${theirs}`, facts && `(${facts})`]
    .filter(Boolean)
    .join(' ');
  // The exit code of a request that may have been billed never means 'try again': a script's retry could be billed
  // again.
  const isNoRetry = error.creditsMayBeSpent && told.exitCode === EXIT.unavailable;
  const code = isNoRetry ? EXIT.failed : issues ? EXIT.usage : told.exitCode;
  const announced = TRY_LATER.includes(error.kind) && error.retryAfterMs ? tryAgainIn(error.retryAfterMs) : told.hint;
  return new CliError(code, text, error.creditsMayBeSpent ? MAY_BE_BILLED : (authority ?? announced));
}

/** Failures whose hint says when to try again, if the service announced a time. */
const TRY_LATER: readonly SpeechErrorKind[] = ['rate-limited', 'unavailable'];

function tryAgainIn(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `Try again in ${seconds} s.`;
  const minutes = Math.ceil(seconds / 60);
  const parts = [`${Math.floor(minutes / 60)} h`, `${minutes % 60} min`].filter((part) => !part.startsWith('0 '));
  return `Try again in ${parts.join(' ')}.`;
}

export function issueInWords(issue: RequestIssue): string {
  switch (issue.problem) {
    case 'empty':
      return 'There is no text to speak.';
    case 'not-a-number':
      return `--${issue.field} must be a number.`;
    case 'not-an-integer':
      return `--${issue.field} must be a whole number.`;
    case 'out-of-range':
      return `--${issue.field} must be between ${issue.min} and ${issue.max}.`;
    case 'unsupported':
      return `--format must be ${issue.allowed.join(' or ')} for this voice.`;
  }
}

export function warningInWords({ field, model }: RequestWarning): string {
  const others = MODEL_IDS.filter((id) => modelRules(id)[field]);
  return `--${field} is ignored: this voice (model ${model}) does not support it. Other models do: ${others.map((id) => `-m ${id}`).join(', ')}.`;
}

export async function report(error: unknown, verbose: boolean): Promise<ExitCode> {
  if (error instanceof InterruptedError) return error.exitCode;
  const told = isSpeechError(error) ? inWords(error) : error;
  if (told instanceof CliError) {
    note(`${styled('red', 'error:', process.stderr)} ${plainLines(told.message)}`);
    if (told.hint !== undefined) note(styled('dim', plainLines(told.hint), process.stderr));
    return told.exitCode;
  }
  const { message, stack } = told instanceof Error ? told : new Error(String(told));
  note(`${styled('red', 'error:', process.stderr)} ${plainLines(verbose ? (stack ?? message) : message)}`);
  return EXIT.failed;
}
