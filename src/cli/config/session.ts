import { isLoopback, parseBaseUrl } from '../../speech/base-url.ts';
import type { SpeechClient, SpeechLog } from '../../speech/client/client.ts';
import { otherProtocol } from '../../speech/engines/engines-file.ts';
import {
  CliError,
  canAsk,
  confirm,
  failure,
  type Interrupt,
  interruptible,
  inWords,
  isSpeechError,
  note,
  notLoggedIn,
  plain,
  styled,
  usageError,
  warn,
} from '../terminal/terminal.ts';
import { type CliSettings, readConfigFile, resolveSettings, type SettingsFlags, shownPath } from './config-file.ts';

export interface ConnectionFlags extends SettingsFlags {
  readonly verbose: boolean;
  readonly allowHttp: boolean;
}

export type CliSession = { readonly client: SpeechClient; readonly baseUrl: URL };

const SUCH_AS = 'One is such as https://voice.example.com.';

export async function loadSettings(flags: SettingsFlags): Promise<CliSettings> {
  const file = await readConfigFile();
  if (file.isShared) warn(`${shownPath(file.path)} can be read by others: chmod 600 ${shownPath(file.path)}`);
  return resolveSettings(flags, process.env, file.config);
}

export function requireUrl({ url, explicitEnv, env }: CliSettings, flags: ConnectionFlags): URL {
  if (url !== undefined) return mustBePrivate(speechAddress(url.value, ` (It comes from ${url.from}.)`), flags);
  const where = env === undefined ? '' : ` --env ${env}`;
  throw usageError(
    env === undefined ? 'No address of a speech service is set.' : `The environment "${env}" has no address.`,
    `voice login --api-url URL${where} saves one with a key. Or give it ${explicitEnv ? '' : 'in the variable VOICE_API_URL, or '}with --api-url URL.`,
  );
}

export function speechAddress(given: string, origin = ''): URL {
  let url: URL;
  try {
    url = parseBaseUrl(given);
  } catch (error) {
    throw usageError(`${sentence(error)}${origin}`, SUCH_AS);
  }
  const problem = otherProtocol(url);
  if (problem !== undefined) throw usageError(`${url.host} ${problem}.${origin}`);
  return url;
}

/** Throws for a plain http address that is neither loopback nor allowed by the user: others could read the API key. */
export function mustBePrivate(url: URL, { allowHttp }: ConnectionFlags): URL {
  const refused = allowHttp ? undefined : exposed(url);
  if (refused === undefined) return url;
  throw refused;
}

export function exposed(url: URL): CliError | undefined {
  if (url.protocol === 'https:' || isLoopback(url)) return undefined;
  const allowed = (process.env.VOICE_ALLOW_HTTP ?? '').split(',').map((host) => host.trim().toLowerCase());
  if (allowed.includes(url.host) || allowed.includes(url.hostname)) return undefined;
  return usageError(
    `${url.host} is reached over plain http://: the key could be read on the way.`,
    `Use https://. On a network of your own: --allow-http, or VOICE_ALLOW_HTTP=${url.host}.`,
  );
}

export function requireKey({ key, isWithheld, url, env, explicitEnv }: CliSettings): string {
  if (key !== undefined) return key.value;
  const where = env === undefined ? '' : ` --env ${env}`;
  const variable = explicitEnv ? '' : ', or set VOICE_API_KEY';
  if (isWithheld)
    throw notLoggedIn(
      `The saved key is for another address, and is not sent to ${url?.from === undefined ? 'this one' : `that of ${url.from}`}.`,
      `voice login --env NAME --api-url URL saves a key for another address, --env NAME uses it${variable}.`,
    );
  const missing = env === undefined ? 'there is no key' : `the environment "${env}" has no key`;
  throw notLoggedIn(`You are not logged in: ${missing}.`, `voice login${where} saves one${variable}.`);
}

/** Asks before a saved API key is replaced: the service never shows a key again. Rejects without a terminal. */
export async function agreeOnLostKey(env: string | undefined, interrupt: Interrupt): Promise<void> {
  const effect = `Another key is saved ${env === undefined ? 'at the top level' : `in [env.${env}]`}, and would be lost.`;
  const hint = '--env NAME saves the new one beside it; --force replaces the old one.';
  if (!canAsk()) throw failure(`Nothing was changed: this needs a confirmation.\n${effect}`, hint);
  note(`${effect}\n${hint}`);
  if (!(await confirm('Replace it?', interrupt))) throw failure('Nothing was changed.');
}

export async function withSession<T>(flags: ConnectionFlags, work: (session: CliSession) => Promise<T>): Promise<T> {
  const settings = await loadSettings(flags);
  const baseUrl = requireUrl(settings, flags);
  const client = await clientFor(baseUrl, requireKey(settings), settings.prefix.value, flags.verbose);
  try {
    return await work({ client, baseUrl });
  } catch (error) {
    throw settings.key?.from === 'VOICE_API_KEY' ? namingTheVariable(error) : error;
  } finally {
    await client.close();
  }
}

export function asked(flags: ConnectionFlags, work: (client: SpeechClient, signal: AbortSignal) => Promise<void>) {
  return interruptible(({ signal }) => withSession(flags, ({ client }) => work(client, signal)));
}

/** If VOICE_API_KEY holds the rejected API key, the error names the variable: a new login would not help. */
function namingTheVariable(error: unknown): unknown {
  if (!isSpeechError(error) || error.kind !== 'invalid-api-key') return error;
  const { exitCode, message } = inWords(error);
  return new CliError(
    exitCode,
    message,
    'The key is the one in the variable VOICE_API_KEY, which goes before a saved one: correct it, or unset it.',
  );
}

export async function clientFor(baseUrl: URL, apiKey: string, prefix: string, verbose: boolean): Promise<SpeechClient> {
  const { createSpeechClient } = await import('../../speech/client/client.ts');
  try {
    return createSpeechClient({
      baseUrl,
      apiKey,
      authHeaderPrefix: prefix,
      userAgent: 'crier-voice',
      log: attemptsLog(verbose),
    });
  } catch (error) {
    if (error instanceof TypeError) throw usageError(sentence(error));
    throw error;
  }
}

function attemptsLog(verbose: boolean): SpeechLog {
  const tell = (facts: object, message: string) => {
    if (!verbose) return;
    const words = Object.entries(facts).map(([name, value]) => `${name}=${value}`);
    note(styled('dim', plain(`${message}: ${words.join(' ')}`), process.stderr));
  };
  return { debug: tell, info: tell, warn: tell };
}

function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
