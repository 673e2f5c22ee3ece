import { createRequire } from 'node:module';
import { type DestinationStream, pino } from 'pino';
import type { Config } from '../config/config.ts';
import { SpeechError } from '../speech/errors.ts';

const CONCEALED = '[concealed]';

/** The log hides the values of fields with these names, because they contain keys and tokens. */
const SECRET_FIELDS = ['token', 'apiKey', 'key', 'authorization', 'password'];

/** Matches the token in the path of Discord's webhook and interaction addresses, which Discord's errors quote. */
const TOKEN_IN_PATH = /\b(webhooks|interactions)\/(\d+)\/[\w.~-]+/g;

/** Errors of HTTP libraries contain tokens and spoken texts, so only the listed fields are logged. */
function describeError(error: unknown, depth = 0, withStack = true): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' ? '[not an error]' : error;
  const fields = error as Error & Record<string, unknown>;
  const known = ['code', 'status', 'kind', 'type', 'requestId', 'closeCode', 'creditsMayBeSpent', 'retryAfterMs'];
  const details = known.flatMap((name) => {
    const value = fields[name];
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? [[name, value]] : [];
  });
  // The log omits the stack of an error that the speech service reported: the stack would only show the bot's HTTP client.
  const isAnswer = error instanceof SpeechError && error.kind !== 'bad-response';
  const describe = (other: unknown) => describeError(other, depth + 1, withStack && !isAnswer);
  return {
    name: error.name,
    message: error.message,
    ...Object.fromEntries(details),
    ...(withStack && !isAnswer ? { stack: error.stack } : {}),
    ...(error.cause === undefined || depth >= 4 ? {} : { cause: describe(error.cause) }),
    ...(error instanceof AggregateError ? { errors: error.errors.slice(0, 5).map(describe) } : {}),
  };
}

export function createLog(level: Config['logLevel'], destination: DestinationStream = process.stdout) {
  const secrets: string[] = [];
  const conceal = (line: string) => {
    const withoutPaths = line.replaceAll(TOKEN_IN_PATH, `$1/$2/${CONCEALED}`);
    return secrets.reduce((text, secret) => text.replaceAll(secret, CONCEALED), withoutPaths);
  };
  const isTerminal = 'isTTY' in destination && destination.isTTY === true;
  const stream = isTerminal ? prettyLines(destination) : destination;
  const log = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError, error: describeError },
      redact: { paths: SECRET_FIELDS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: CONCEALED },
      hooks: { streamWrite: conceal },
    },
    stream,
  );
  return {
    log,
    /** Hides a secret, such as a bot token or an API key, in every later line of the log. */
    conceal(secret: string): void {
      // Secrets of fewer than 6 characters are not hidden, because ordinary words would be hidden with them.
      if (secret.length < 6) return;
      secrets.push(secret);
      const inJson = JSON.stringify(secret).slice(1, -1);
      if (inJson !== secret) secrets.push(inJson);
    },
  };
}

export type Log = ReturnType<typeof createLog>;

/** Log lines are written synchronously, because the last line before the process exits must not be lost. */
function prettyLines(destination: DestinationStream): { write(line: string): void } {
  // The package pino-pretty takes 2 MB of memory, so it is loaded only if the log goes to a terminal.
  const { prettyFactory }: typeof import('pino-pretty') = createRequire(import.meta.url)('pino-pretty');
  const look = {
    translateTime: 'SYS:yyyy-mm-dd HH:MM:ss',
    singleLine: true,
    colorize: true,
  };
  const pretty = prettyFactory(look);
  const onOneLine = prettyFactory({ ...look, errorLikeObjectKeys: [] });
  return {
    write: (line) => void destination.write(line.includes('"stack":') ? pretty(line) : onOneLine(line)),
  };
}
