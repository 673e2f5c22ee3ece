import { isLoopback, parseBaseUrl } from '../../speech/base-url.ts';
import type { SpeechClient, SpeechLog } from '../../speech/client/client.ts';
import { otherProtocol } from '../../speech/engines/other-protocols.ts';
import { CliError, EXIT, failure, usageError } from '../terminal/exit.ts';
import { inWords, isSpeechError } from '../terminal/failures.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { confirm } from '../terminal/prompt.ts';
import { canAsk, note, plain, styled, warn } from '../terminal/terminal.ts';
import { readConfigFile } from './config-file.ts';
import { shownPath } from './paths.ts';
import { type CliSettings, type MovedKey, resolveSettings, type VoiceConfig, type WithSource } from './settings.ts';

/** The options of every command that reaches the service. */
export interface ConnectionFlags {
  readonly env?: string;
  readonly apiUrl?: string;
  readonly verbose?: boolean;
  readonly allowHttp?: boolean;
}

export type CliSession = { readonly client: SpeechClient; readonly baseUrl: URL };

const SUCH_AS = 'One is such as https://voice.example.com.';

/** The settings in effect, from flags, environment and file. */
export async function loadSettings(flags: ConnectionFlags): Promise<CliSettings> {
  const file = await readConfigFile();
  if (file.isShared) warn(`${shownPath(file.path)} can be read by others: chmod 600 ${shownPath(file.path)}`);
  return resolveSettings(flags, process.env, file.config);
}

/** The base address; throws when it is missing or is none. No address is built in. */
export function requireUrl(settings: CliSettings): URL {
  const { url, explicitEnv, env, addressed } = settings;
  if (url === undefined) {
    const [first = '', ...more] = addressed;
    if (env === undefined && first !== '') {
      const names = more.length === 0 ? `environment ${first} has` : `environments ${addressed.join(', ')} have`;
      throw usageError(
        `No address of a speech service is set at the top level; the ${names} one.`,
        `To use one: --env ${first}, or from now on: voice config use ${first}. Or set one at the top level: voice config set api_url URL.`,
      );
    }
    const set = env === undefined ? 'voice config set api_url URL' : `voice config set api_url URL --env ${env}`;
    throw usageError(
      explicitEnv ? `The environment "${env}" has no address.` : 'No address of a speech service is set.',
      explicitEnv
        ? `Set one with: ${set}, or give --api-url URL.`
        : `Set one with: ${set}, or the variable VOICE_API_URL, or give --api-url URL.`,
    );
  }
  return speechAddress(url.value, ` (It comes from ${url.from}.)`);
}

/** An address as it is used; throws for one that is none, or from which no speech can come. */
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

/** Refuses an address to which a key would go readable for every machine on the way, unless that was allowed. */
export function mustBePrivate(url: URL, { allowHttp }: Pick<ConnectionFlags, 'allowHttp'>): void {
  const refused = allowHttp ? undefined : exposed(url);
  if (refused !== undefined) throw refused;
}

/** Why an address is refused, if so, as far as no flag allows it. */
export function exposed(url: URL): CliError | undefined {
  if (url.protocol === 'https:' || isLoopback(url)) return undefined;
  const allowed = (process.env.VOICE_ALLOW_HTTP ?? '').split(',').map((host) => host.trim().toLowerCase());
  if (allowed.includes(url.host) || allowed.includes(url.hostname)) return undefined;
  return usageError(
    `${url.host} is reached over plain http://: the key could be read on the way.`,
    `Use https://. On a network of your own: --allow-http, or VOICE_ALLOW_HTTP=${url.host}.`,
  );
}

/** The key; throws with the exit code for 'not logged in' when there is none. */
export async function requireKey({ key, withheld, url, env, explicitEnv }: CliSettings): Promise<string> {
  if (key !== undefined) return key.value;
  if (withheld !== undefined && url !== undefined) return agreedKey(withheld, url);
  if (env === undefined) {
    throw new CliError(
      EXIT.notLoggedIn,
      'You are not logged in: there is no key.',
      'voice login saves one, or set VOICE_API_KEY.',
    );
  }
  throw new CliError(
    EXIT.notLoggedIn,
    `You are not logged in: the environment "${env}" has no key.`,
    explicitEnv
      ? `voice login --env ${env} saves one. Neither the top level's key nor VOICE_API_KEY is used with --env.`
      : `voice login saves one in it, or set VOICE_API_KEY. The top level's key is not used for an environment.`,
  );
}

/** A saved key goes to another address only after a yes. */
async function agreedKey(saved: NonNullable<CliSettings['withheld']>, url: WithSource): Promise<string> {
  const place = savedFor(saved);
  const refused = (message: string) =>
    new CliError(
      EXIT.notLoggedIn,
      message,
      `voice login --env NAME --api-url URL saves a key for another address, --env NAME uses it; or set VOICE_API_KEY.`,
    );
  if (!canAsk()) throw refused(`The key in ${saved.from} is ${place}, and is not sent to ${address(url.value)}.`);
  note(`The key in ${saved.from} is ${place}.`);
  const question = `Send it to ${address(url.value)} this once?`;
  if (!(await interruptible((interrupt) => confirm(question, interrupt)))) throw refused('The key was not sent.');
  return saved.value;
}

/** 'for https://speech.example' */
export function savedFor(saved: NonNullable<CliSettings['withheld']>): string {
  return saved.address === undefined ? 'saved without an address' : `for ${address(saved.address)}`;
}

/** Keys that were saved for one address would go to another one: that needs a yes. */
export async function agreeOnMovedKeys(moved: readonly MovedKey[], { default_env }: VoiceConfig): Promise<void> {
  if (moved.length === 0) return;
  const effects = moved.map(movedInWords).join('\n');
  // Without --env, logout means the chosen environment.
  const topLogout = default_env === undefined ? 'voice logout' : 'voice config use --none, then voice logout';
  const logouts = moved.map(({ env }) => (env === undefined ? topLogout : `voice logout --env ${env}`));
  const removal = `To remove ${moved.length === 1 ? 'the key' : 'the keys'} first: ${logouts.join('; ')}.`;
  const hint = `${removal} To keep both addresses: voice config add NAME --api-url URL.`;
  if (!canAsk()) throw failure(`Nothing was changed: this needs a confirmation.\n${effects}`, hint);
  note(`${effects}\n${hint}`);
  if (!(await interruptible((interrupt) => confirm('Continue anyway?', interrupt))))
    throw failure('Nothing was changed.');
}

/** 'The key in [env.a] is for https://a.example, and would go to https://b.example.' */
export function movedInWords({ env, from, to }: MovedKey): string {
  const place = env === undefined ? 'at the top level' : `in [env.${env}]`;
  return `The key ${place} is for ${address(from)}, and would go to ${address(to)}.`;
}

/** An address that cannot be read may hold a secret and is not repeated. */
function address(configured: string): string {
  try {
    return plain(parseBaseUrl(configured).href.replace(/\/$/, ''));
  } catch (error) {
    if (error instanceof TypeError) return 'another address';
    throw error;
  }
}

/** Runs `work` with a client for the service in effect and closes it afterwards, however that ends. */
export async function withSession<T>(flags: ConnectionFlags, work: (session: CliSession) => Promise<T>): Promise<T> {
  const settings = await loadSettings(flags);
  const baseUrl = requireUrl(settings);
  mustBePrivate(baseUrl, flags);
  const client = await clientFor(baseUrl, await requireKey(settings), settings.prefix.value, flags.verbose ?? false);
  try {
    return await work({ client, baseUrl });
  } catch (error) {
    throw settings.key?.from === 'VOICE_API_KEY' ? namingTheVariable(error) : error;
  } finally {
    await client.close();
  }
}

/** Where the refused key is the variable's, a login would change nothing. */
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

/** Reports attempts on stderr with --verbose. */
function attemptsLog(verbose: boolean): SpeechLog {
  const silent = () => {};
  const tell = (facts: object, message: string) => {
    const line: Readonly<Record<string, unknown>> = { ...facts };
    const parts = [
      line.method,
      line.path,
      line.status === undefined ? undefined : `→ ${line.status}`,
      line.code ?? line.type ?? line.kind,
      line.requestId,
      line.attempt === undefined ? undefined : `attempt ${line.attempt}`,
      line.attempts === undefined ? undefined : `${line.attempts} ${line.attempts === 1 ? 'attempt' : 'attempts'}`,
      line.durationMs === undefined ? undefined : `${line.durationMs} ms`,
      line.delayMs === undefined ? undefined : `again in ${line.delayMs} ms`,
    ].filter((part) => part !== undefined);
    note(styled('dim', plain(`${message}: ${parts.join(' ')}`), process.stderr));
  };
  const level = verbose ? tell : silent;
  return { debug: level, info: level, warn: level };
}

function sentence(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
