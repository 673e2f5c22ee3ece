import { endpoint, PATHS } from '../../speech/base-url.ts';
import { modelRules } from '../../speech/interface/models.ts';
import {
  type RequestIssue,
  requestCharacters,
  requestIssues,
  requestWarnings,
  toWire,
} from '../../speech/interface/schemas.ts';
import { loadSettings, requireUrl, withSession } from '../config/session.ts';
import { readText, wantedFormat } from '../speech/files.ts';
import { matchVoice, namedVoice } from '../speech/voice-match.ts';
import {
  interruptible,
  issueInWords,
  json,
  number,
  print,
  usageError,
  warn,
  warningInWords,
} from '../terminal/terminal.ts';
import { findOnPath } from './play.ts';
import { readParameters, type SpeechFlags, tellDefault } from './tts.ts';

type CurlFlags = SpeechFlags & { readonly oneline: boolean };

/** Prints the speech request as a curl command without the API key: the command fetches the key when it runs. */
export function curl(words: readonly string[], flags: CurlFlags): Promise<void> {
  return interruptible(({ signal }) => printCommand(words, flags, signal));
}

async function printCommand(words: readonly string[], flags: CurlFlags, signal: AbortSignal): Promise<void> {
  const format = wantedFormat(flags.format, undefined);
  const parameters = readParameters(flags);
  const named = namedVoice(flags);
  const input = await readText(words, flags.file, signal);
  const settings = await loadSettings(flags);
  const baseUrl = requireUrl(settings, flags);
  // If the flags determine the voice, the list of voices is not loaded. The voice may be unable to read the letters of
  // the text: that is not checked, because printing a command bills nothing.
  const wish = { format, style: undefined, text: '', signal };
  const voice = named ?? (await withSession(flags, ({ client }) => matchVoice(client, flags, wish)));
  const request = { ...parameters, input, voice: voice.selection, responseFormat: format };
  // A format that only Crier's own table of models rules out causes a warning, not an error: the table may be outdated.
  const isGuess = ({ problem }: RequestIssue) => problem === 'unsupported' && voice.selection.formats === undefined;
  const issues = requestIssues(request);
  const certain = issues.filter((issue) => !isGuess(issue));
  if (certain.length > 0) throw usageError(certain.map(issueInWords).join('\n'));
  for (const issue of issues) warn(issueInWords(issue));
  for (const warning of requestWarnings(request)) warn(warningInWords(warning));
  tellDefault(voice);
  const { known, maxInputLength } = modelRules(voice.model);
  if (known && requestCharacters(request) > maxInputLength) {
    warn(
      `The text is over the limit of ${number(maxInputLength)} characters of ${voice.model}: voice tts splits it, curl does not.`,
    );
  }
  if (findOnPath('voice') === undefined) {
    warn(
      'The command asks voice for the key, and voice is not on the PATH: install it first (docs/reference/voice.md).',
    );
  }
  // The printed command passes the name of the environment in use, because the file's default environment may change later.
  const env = settings.key?.from === 'VOICE_API_KEY' ? undefined : settings.env;
  const prefix = settings.prefix.value;
  print(curlCommand({ baseUrl, prefix, env, body: toWire(request), isOneLine: flags.oneline }));
}

export function curlCommand(options: {
  baseUrl: URL;
  prefix: string;
  env: string | undefined;
  body: unknown;
  isOneLine: boolean;
}): string {
  const { baseUrl } = options;
  const env = options.env === undefined ? '' : ` --env ${shellQuote(options.env)}`;
  return [
    `curl -sS -X POST ${shellQuote(endpoint(baseUrl, PATHS.speech).href)}`,
    `-H "Authorization: ${insideDoubleQuotes(options.prefix)} $(voice key${env} --api-url ${shellQuote(baseUrl.href)})"`,
    "-H 'Content-Type: application/json'",
    `--data-raw ${shellQuote(json(options.body))}`,
  ].join(options.isOneLine ? ' ' : ' \\\n  ');
}

function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function insideDoubleQuotes(text: string): string {
  return text.replace(/[$`"\\]/g, (character) => `\\${character}`);
}
