import { once } from 'node:events';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { pino } from 'pino';
import { request } from 'undici';
import type { Config } from '../config/config.ts';
import { addressKind } from '../network/address.ts';
import { readAtMost } from '../network/downloads.ts';
import { parseBaseUrl } from '../speech/base-url.ts';
import { createSpeechClient } from '../speech/client/client.ts';
import type { EngineSettings } from '../speech/engines/engines-file.ts';
import { SpeechError, type SpeechErrorKind } from '../speech/errors.ts';
import { attention, blocking, type Finding, good, reason } from './finding.ts';
import { bitsOfOthers } from './store.ts';

const SERVICE_DEADLINE_MS = 10_000;

/** How every SQLite database begins that is not empty; https://www.sqlite.org/fileformat.html#magic_header_string */
const SQLITE_HEADER = Buffer.from('SQLite format 3\0');

/** Which of the local voice's own files is no database; undefined when all is well, or nothing there yet. */
function damagedFile(folder: string): string | undefined {
  const files = ['speech-service.sqlite', 'speech-service.lock'].map((name) => join(folder, 'speech', name));
  return files.find((file) => {
    if (!existsSync(file) || statSync(file).size === 0) return false;
    const descriptor = openSync(file, 'r');
    try {
      const begin = Buffer.alloc(SQLITE_HEADER.length);
      readSync(descriptor, begin);
      return !begin.equals(SQLITE_HEADER);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** A finding where the local voice's own data is damaged. */
export function checkLocalData(dataDir: string): Finding | undefined {
  const damaged = damagedFile(resolve(dataDir));
  if (damaged === undefined) return undefined;
  return blocking('speech', {
    found: `${damaged} is damaged, or is not a database of the local voice`,
    means: 'Neither the local voice nor the bot starts.',
    remedy: 'Move it away, and the local voice starts with a new account; or put a backup in its place.',
  });
}

/** The embedded voice where no engine is set. espeak-ng is an optional package: its version is null where it is not installed. */
export function checkLocalVoice(espeakVersion: string | null): Finding {
  if (espeakVersion !== null) {
    return good('speech', `the local voice (espeak-ng ${espeakVersion}): VOICE_API_URL and VOICE_API_KEY are not set`);
  }
  return blocking('speech', {
    found: 'VOICE_API_URL and VOICE_API_KEY are not set, and the local voice (espeak-ng) is not installed',
    means: 'Nothing can be spoken.',
    remedy: 'Set both, or SPEECH_ENGINES or SPEECH_ENGINE_URL, or run npm install espeak-ng.',
  });
}

const NOT_A_SERVICE = {
  means: 'What answers there is not a speech service.',
  remedy: 'Check VOICE_API_URL: the base address of the service, with nothing after it.',
};

/** The meaning of a refusal of the service. Kinds that are not here are temporary. */
const MEANINGS: Partial<Record<SpeechErrorKind, { readonly means: string; readonly remedy: string }>> = {
  'invalid-api-key': {
    means: 'The service does not accept this key.',
    remedy: 'Check VOICE_API_KEY (and VOICE_AUTH_HEADER_PREFIX) against your account at the service.',
  },
  network: {
    means: 'The service cannot be reached from this machine.',
    remedy: 'Check VOICE_API_URL, the network, and firewalls.',
  },
  timeout: {
    means: 'The service cannot be reached from this machine, or is far too slow.',
    remedy: 'Check VOICE_API_URL, the network, and firewalls.',
  },
  'bad-response': NOT_A_SERVICE,
  'invalid-request': NOT_A_SERVICE,
};

/** Asks the configured service for its models, which costs nothing. The key is never shown. */
export async function checkSpeechService(
  { url, key, authHeaderPrefix }: Extract<Config['speech'], { kind: 'service' }>,
  signal: AbortSignal,
  deadlineMs = SERVICE_DEADLINE_MS,
): Promise<Finding> {
  const client = createSpeechClient({ baseUrl: url, apiKey: key, authHeaderPrefix, log: pino({ level: 'silent' }) });
  const startedAtMs = performance.now();
  const address = parseBaseUrl(url).href.replace(/\/$/, '');
  try {
    const { models } = await client.models({ signal, deadlineMs });
    const elapsedMs = Math.round(performance.now() - startedAtMs);
    const names = models.map(({ id }) => id).join(', ');
    return good('speech', `${address} answers in ${elapsedMs} ms and accepts the key that is set; models: ${names}`);
  } catch (error) {
    const meaning = error instanceof SpeechError ? MEANINGS[error.kind] : undefined;
    const why = error instanceof SpeechError && isWithoutTls(error.cause) ? NO_TLS : reason(error);
    const found = `${address}, with the key that is set: ${why}`;
    if (meaning !== undefined) return blocking('speech', { found, ...meaning });
    const means = 'The service has a problem right now: try again later.';
    return attention('speech', { found, means, remedy: undefined });
  } finally {
    await client.close();
  }
}

/* The engines that speak for the local voice. Findings contain no key and no whole address, which may hold one. */

type OpenAiSettings = Extract<EngineSettings, { kind: 'openai' }>;

const DEADLINE_MS = 10_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** What is wrong with an engine, and what to do; undefined where it is there. */
interface Trouble {
  readonly found: string;
  readonly remedy: string;
}

/** Each engine. The bot can run while one of them can speak. */
export async function checkEngines(
  engines: readonly EngineSettings[],
  { espeakVersion, signal }: { readonly espeakVersion: string | null; readonly signal: AbortSignal },
): Promise<Finding[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  const troubles = await Promise.all(engines.map((engine) => troubleOf(engine, espeakVersion, inTime)));
  const canSpeak = troubles.includes(undefined);
  return engines.map((engine, index) => {
    const trouble = troubles[index];
    const { name, fallback } = engine;
    const who =
      engine.kind === 'embedded' ? `engine ${name}, the local synthesizer,` : `engine ${name} at ${hostOf(engine.url)}`;
    if (trouble === undefined) return good('speech', `${who} is there`);
    const { found, remedy } = trouble;
    if (!canSpeak) {
      return blocking('speech', {
        found: `${who} ${found}`,
        means: 'No engine is there: nothing can be spoken.',
        remedy,
      });
    }
    const means =
      fallback === undefined ? 'Texts for its voices fail meanwhile.' : `${fallback} speaks meanwhile, if it is there.`;
    return attention('speech', { found: `${who} ${found}`, means, remedy });
  });
}

const hostOf = (url: string): string => new URL(url).host;

function troubleOf(
  engine: EngineSettings,
  espeakVersion: string | null,
  signal: AbortSignal,
): Promise<Trouble | undefined> | Trouble | undefined {
  if (engine.kind === 'embedded') {
    if (espeakVersion !== null) return undefined;
    return { found: 'is not installed (espeak-ng)', remedy: 'Run npm install espeak-ng, or take it out of the file.' };
  }
  const look = engine.kind === 'openai' ? troubleOfOpenAi(engine, signal) : connectTo(new URL(engine.url), signal);
  return look.catch((error: unknown) => ({
    found: `does not answer: ${isWithoutTls(error) ? NO_TLS : reason(error)}`,
    remedy: 'Start that server, or check its address, the network, and firewalls.',
  }));
}

async function connectTo({ hostname, port }: URL, signal: AbortSignal): Promise<undefined> {
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  try {
    await once(socket, 'connect', { signal });
  } finally {
    socket.destroy();
  }
}

/** An order without a text costs nothing, and is refused as each is whose key or address is wrong. */
async function troubleOfOpenAi(engine: OpenAiSettings, signal: AbortSignal): Promise<Trouble | undefined> {
  // A local server may break at it, and still speak. Its list of models then shows whether it is there.
  const order = await ask(engine, 'audio/speech', signal, '{}').catch(() => undefined);
  const { status, body } = order !== undefined && order.status < 500 ? order : await ask(engine, 'models', signal);
  if (status >= 500) return { found: `answers with status ${status}`, remedy: 'It has a problem: try again later.' };
  if (order === undefined || order.status >= 500) return undefined;
  if (status === 401 || status === 403) {
    const key = engine.key === undefined ? 'requests without a key' : 'its key';
    return {
      found: `does not accept ${key} (${status})`,
      remedy: 'Set the key of that server in the file of engines.',
    };
  }
  // OpenAI's form of an error, about the model that the order lacks: a text with the right one is taken.
  const isAboutModel = /"error".*model(?!s)/is.test(body);
  if ((status !== 404 && status !== 405) || isAboutModel) return undefined;
  const where = `${new URL(engine.url).origin}${addressOf(engine, 'audio/speech').pathname}`;
  return {
    found: `takes no text at ${where} (${status})`,
    remedy: 'Its address must be the /v1 address of a server with OpenAI’s POST /v1/audio/speech.',
  };
}

/** The engine takes an address without a path as one with /v1, and one of the whole path too. */
function addressOf({ url }: OpenAiSettings, path: string): URL {
  const address = new URL(url);
  const base = address.pathname.replace(/\/+$/, '').replace(/\/audio\/speech$/, '');
  address.pathname = `${base === '' ? '/v1' : base}/${path}`;
  return address;
}

async function ask(engine: OpenAiSettings, path: string, signal: AbortSignal, order?: string) {
  const { statusCode, body } = await request(addressOf(engine, path), {
    method: order === undefined ? 'GET' : 'POST',
    headers: {
      authorization: engine.key === undefined ? undefined : `Bearer ${engine.key}`,
      'content-type': order === undefined ? undefined : 'application/json',
    },
    body: order,
    signal,
  });
  const bytes = await readAtMost(body, MAX_ANSWER_BYTES, () => new Error('Its answer is too long.'));
  return { status: statusCode, body: bytes.toString() };
}

/** OpenSSL's codes for an answer that is not TLS. */
const NOT_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

const NO_TLS = 'that port does not speak TLS: if its server speaks plain http, write http://';

const isWithoutTls = (error: unknown): boolean =>
  NOT_TLS.includes(String((error as NodeJS.ErrnoException | undefined)?.code));

/** Names of this machine, of a container on it or in its cluster, or in a VPN that encrypts its traffic. */
const NAME_NEARBY = /^[^.]+$|\.(?:localhost|docker\.internal|containers\.internal|svc|svc\.cluster\.local|ts\.net)$/i;
/** What reaches this machine by any of its addresses. */
const UNSPECIFIED = ['0.0.0.0', '::'];

function isElsewhere({ hostname }: URL): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (isIP(bare) === 0) return !NAME_NEARBY.test(bare);
  return addressKind(bare) !== 'loopback' && !UNSPECIFIED.includes(bare);
}

/** Checks for other accounts on this machine that can read the keys in the engines file. */
export function checkEngineKeys(path: string, engines: readonly EngineSettings[]): Finding[] {
  const withKeys = engines.filter((one): one is OpenAiSettings => one.kind === 'openai' && one.key !== undefined);
  const stats = statSync(path, { throwIfNoEntry: false });
  const isOpen = withKeys.length > 0 && stats !== undefined && (stats.mode & bitsOfOthers(stats)) !== 0;
  const onTheWay = withKeys.filter(({ url }) => url.startsWith('http:') && isElsewhere(new URL(url)));
  const findings = onTheWay.map(({ name, url }) =>
    attention('SPEECH_ENGINES', {
      found: `the key of engine ${name} is sent over plain http to ${hostOf(url)}`,
      means: 'Everyone on the way there can read it, and the texts.',
      remedy: 'Write https:// where that server speaks it. In a network that nobody else uses, it may stay.',
    }),
  );
  if (!isOpen) return findings;
  const open = attention('SPEECH_ENGINES', {
    found: 'readable by others',
    means: 'Other accounts on this machine can read the keys in it.',
    remedy: `chmod 600 ${path}`,
  });
  return [open, ...findings];
}
