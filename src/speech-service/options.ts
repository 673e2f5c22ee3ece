import { commandOf, FlagsError, parseFlags, usualDataDir } from '../process/package.ts';
import { engineDeadlineMs, engineOfUrl, readEnginesFile } from '../speech/engines/engines-file.ts';
import type { SpeechServiceOptions } from './server.ts';
import { MAX_TOP_UP } from './store/account.ts';

export const SERVICE_USAGE = `Usage: ${commandOf('speech-service', '[options]')}

  --host ADDRESS        where to listen (default 127.0.0.1)
  --port N              port of the API (default 8640; 0 takes any free one)
  --audio-port N        port of the audio (default: the next one, or any free one with --port 0)
  --dashboard-port N    port of the dashboard (default 8642, or any free one when --port is given)
  --dashboard-host ADDRESS
                        where it listens (default 127.0.0.1); it is opened as http://127.0.0.1:N all the same
  --no-dashboard        no dashboard
  --audio-base-url URL  how clients reach the audio, if not on the API's host and the audio port
  --data DIR            where keys, credits and history are kept (default data/speech-service)
  --json                print one line of JSON once the service answers
  --faults              let faults be switched on over HTTP, at /faults on the dashboard's address
  --exit-with-parent    end when standard input closes
  --top-up N            add N credits to the account and end
  --help

The first start makes an API key and prints it last, once. Others are made on the dashboard,
under API Keys, or with SPEECH_SERVICE_KEY.

Environment:
  SPEECH_SERVICE_KEY    makes this API key valid
  SPEECH_ENGINES        a file of several engines, each with its voices and its price: docs/reference/engines-file.md
  SPEECH_ENGINE_URL     short for a file of one free engine without a key: the /v1 address of an OpenAI-compatible
                        server, or tcp://HOST:PORT of one that speaks Wyoming, such as Piper
  SPEECH_TIMEOUT_MS     how long clients wait for a text (default 120000): a server may take half of that until its
                        first audio, and a minute at least
  DATA_DIR              the voices in DATA_DIR/voices are offered too (default data): npm run voices
  SPEECH_VOICE_ENGINE   espeak: eSpeak NG speaks English too; or the name of an installed voice, to list it first
  SPEECH_SERVICE_FAULTS on: as --faults, for the service that the bot starts
  LOG_LEVEL             what goes to stderr: trace, debug, info (default), warn, error, fatal or silent
`;

const DEFAULT_PORT = 8640;

export class UsageError extends Error {
  override name = 'UsageError';
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

export function readServiceOptions(args: readonly string[], env: Readonly<Record<string, string | undefined>>) {
  const flags = parse(args);
  if (flags['no-dashboard'] && flags.faults) throw new UsageError('--faults needs the dashboard’s address.');
  const port = portOf('--port', flags.port) ?? DEFAULT_PORT;
  const nextPort = port === 0 ? 0 : port + 1;
  const logLevel = env.LOG_LEVEL || 'info';
  if (!LOG_LEVELS.includes(logLevel)) throw new UsageError(`LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}.`);
  const apiKey = env.SPEECH_SERVICE_KEY || undefined;
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new UsageError('SPEECH_SERVICE_KEY must consist of printable ASCII characters without spaces.');
  }
  return {
    service: {
      dataDir: flags.data ?? 'data/speech-service',
      host: flags.host ?? '127.0.0.1',
      port,
      dashboardPort: flags['no-dashboard']
        ? 'off'
        : (portOf('--dashboard-port', flags['dashboard-port']) ?? (flags.port === undefined ? DEFAULT_PORT + 2 : 0)),
      dashboardHost: flags['dashboard-host'] ?? '127.0.0.1',
      faultsOverHttp: flags.faults ?? env.SPEECH_SERVICE_FAULTS === 'on',
      audioPort: portOf('--audio-port', flags['audio-port']) ?? nextPort,
      audioBaseUrl: flags['audio-base-url'] && audioBaseUrlOf(flags['audio-base-url']),
      apiKey,
      voicesIn: env.DATA_DIR || usualDataDir,
      voiceEngine: env.SPEECH_VOICE_ENGINE || 'flite',
    } satisfies SpeechServiceOptions,
    engines: readEngines(env),
    engineDeadlineMs: readEngineDeadline(env),
    json: flags.json ?? false,
    exitWithParent: flags['exit-with-parent'] ?? false,
    topUp: wholeNumber(flags['top-up'], [1, MAX_TOP_UP], WRONG_TOP_UP),
    logLevel,
    help: flags.help ?? false,
  };
}

function readEngines({ SPEECH_ENGINES: path, SPEECH_ENGINE_URL: url }: Readonly<Record<string, string | undefined>>) {
  if (path && url) throw new UsageError('SPEECH_ENGINES and SPEECH_ENGINE_URL exclude each other.');
  if (!path && !url) return undefined;
  const read = path ? readEnginesFile(path) : engineOfUrl(url ?? '');
  if (read.ok) return read.engines;
  const where = path ? `SPEECH_ENGINES, ${path}` : 'SPEECH_ENGINE_URL';
  throw new UsageError(`${where}:\n${read.problems.map((problem) => `  ${problem}`).join('\n')}`);
}

/** The range and default of SPEECH_TIMEOUT_MS are those of the bot's configuration. */
const TIMEOUT_MS = { least: 1_000, most: 600_000, usual: 120_000 };

function readEngineDeadline({ SPEECH_TIMEOUT_MS: given }: Readonly<Record<string, string | undefined>>): number {
  const { least, most, usual } = TIMEOUT_MS;
  const refusal = `SPEECH_TIMEOUT_MS must be a whole number of milliseconds from ${least} to ${most}.`;
  return engineDeadlineMs(wholeNumber(given || undefined, [least, most], refusal) ?? usual);
}

function parse(args: readonly string[]) {
  try {
    return parseFlags({
      args: [...args],
      options: {
        host: { type: 'string' },
        port: { type: 'string' },
        'audio-port': { type: 'string' },
        'dashboard-port': { type: 'string' },
        'dashboard-host': { type: 'string' },
        'no-dashboard': { type: 'boolean' },
        faults: { type: 'boolean' },
        'audio-base-url': { type: 'string' },
        data: { type: 'string' },
        json: { type: 'boolean' },
        'exit-with-parent': { type: 'boolean' },
        'top-up': { type: 'string' },
      },
    }).values;
  } catch (error) {
    if (!(error instanceof FlagsError)) throw error;
    // The parser's error explains how to pass negative values. It is replaced, because --top-up takes none.
    throw new UsageError(error.message.startsWith('--top-up needs a value') ? WRONG_TOP_UP : error.message);
  }
}

/** Throws a UsageError with the message `refusal` if `text` is not a whole number in the range. */
function wholeNumber(text: string | undefined, [least, most]: readonly [number, number], refusal: string) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) throw new UsageError(refusal);
  return value;
}

const portOf = (flag: string, text: string | undefined) =>
  wholeNumber(text, [0, 65_535], `${flag} must be a whole number up to 65535.`);

const WRONG_TOP_UP = `--top-up must be a whole number from 1 to ${MAX_TOP_UP}, without separators: credits are only added.`;

function audioBaseUrlOf(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href;
  throw new UsageError('--audio-base-url must be an http or https URL.');
}
