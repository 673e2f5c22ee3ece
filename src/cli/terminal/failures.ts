import { unknownAuthority } from '../../network/connection-errors.ts';
import type { SpeechError, SpeechErrorKind } from '../../speech/errors.ts';
import { MODEL_IDS, modelRules } from '../../speech/interface/models.ts';
import type { RequestField, RequestIssue, RequestWarning } from '../../speech/request.ts';
import { CliError, EXIT, type ExitCode, InterruptedError } from './exit.ts';
import { note, plain, plainLines, styled } from './terminal.ts';

interface Words {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly hint?: string;
}

const WORDS: Readonly<Record<SpeechErrorKind, Words>> = {
  'invalid-request': { exitCode: EXIT.failed, message: 'The service rejected the request; nothing was spent on it.' },
  'input-too-long': { exitCode: EXIT.failed, message: 'The text is too long for this voice; nothing was spent on it.' },
  'unsupported-format': {
    exitCode: EXIT.failed,
    message: 'This voice does not support that audio format; nothing was spent on it.',
  },
  'unsupported-language': {
    // The command line itself rejects a text in letters that the voice cannot read with the same exit code.
    exitCode: EXIT.usage,
    message: 'This voice cannot speak the language or script of the text; nothing was spent on it.',
    hint: 'voice voices shows which languages each voice speaks.',
  },
  'voice-not-found': {
    exitCode: EXIT.usage,
    message: 'The service has no such voice.',
    hint: 'voice voices lists them; names are exact, and belong to a model.',
  },
  'invalid-api-key': {
    exitCode: EXIT.notLoggedIn,
    message: 'The service does not accept the key.',
    hint: 'voice login saves a new one; voice config show shows which one is used.',
  },
  'insufficient-credits': {
    exitCode: EXIT.noCredits,
    message: 'There are not enough credits left.',
    hint: 'voice credits shows the balance; buy more in the dashboard of the account.',
  },
  'content-policy': {
    exitCode: EXIT.failed,
    message: 'The service rejected this text because of its content policy; nothing was spent on it.',
  },
  'rate-limited': {
    exitCode: EXIT.unavailable,
    message: 'Too many requests with this key.',
    hint: 'Try again in a minute.',
  },
  'quota-exceeded': {
    exitCode: EXIT.unavailable,
    message: "The quota of the model's provider is used up for now.",
    hint: 'Try again later, or with a voice of another model.',
  },
  unavailable: { exitCode: EXIT.unavailable, message: 'The service is not available.', hint: 'Try again later.' },
  'server-error': {
    exitCode: EXIT.unavailable,
    message: 'The service failed.',
    hint: 'Try again later; if it keeps failing, tell whoever runs the service.',
  },
  'bad-response': {
    exitCode: EXIT.failed,
    message: 'The response is not from a speech service.',
    hint: 'voice config show shows which address is used.',
  },
  network: {
    exitCode: EXIT.unavailable,
    message: 'The service could not be reached.',
    hint: 'Is the address right, and the network up? voice config show shows which address is used.',
  },
  timeout: { exitCode: EXIT.unavailable, message: 'The service did not answer in time.' },
  aborted: { exitCode: EXIT.interrupted, message: 'Stopped.' },
};

/** A 5xx answer without a code, a request id or a message probably comes from a proxy. */
const NOT_THE_SERVICE: Words = {
  exitCode: EXIT.unavailable,
  message: 'The error is not one of a speech service: a proxy before it may have answered.',
  hint: 'Try again later, and check the address: voice config show shows which one is used.',
};

const MAY_BE_BILLED = 'The request may have been billed anyway: check voice credits before repeating it.';

/** Checks the error's name, because most commands never load the speech client with its error class. */
export function isSpeechError(error: unknown): error is SpeechError {
  return error instanceof Error && error.name === 'SpeechError';
}

export function inWords(error: SpeechError): CliError {
  const isTheirs = [error.code, error.requestId, error.serverMessage].some((fact) => fact !== undefined);
  const isOfProxy = !isTheirs && (error.status ?? 0) >= 500;
  const { exitCode, hint, ...words } = isOfProxy ? NOT_THE_SERVICE : WORDS[error.kind];
  const isLost = error.kind === 'network' && error.creditsMayBeSpent;
  const message = isLost ? 'The connection was lost before the service answered.' : words.message;
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
  const code = error.creditsMayBeSpent && exitCode === EXIT.unavailable ? EXIT.failed : issues ? EXIT.usage : exitCode;
  const announced = TRY_LATER.includes(error.kind) && error.retryAfterMs ? tryAgainIn(error.retryAfterMs) : hint;
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

/** Request fields whose flag has another name. */
const FLAGS: Readonly<Partial<Record<RequestField, string>>> = {
  input: 'the text',
  voiceId: '--voice-id',
  model: '--model-id',
  responseFormat: '--format',
};

export function issueInWords(issue: RequestIssue): string {
  const flag = FLAGS[issue.field] ?? `--${issue.field}`;
  switch (issue.problem) {
    case 'empty':
      return issue.field === 'input' ? 'There is no text to speak.' : `${flag} is empty.`;
    case 'not-a-number':
      return `${flag} must be a number.`;
    case 'not-an-integer':
      return `${flag} must be a whole number.`;
    case 'out-of-range':
      return `${flag} must be between ${issue.min} and ${issue.max}.`;
    case 'unsupported':
      return `${flag} must be ${issue.allowed.join(' or ')} for this voice.`;
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
