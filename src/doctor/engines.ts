import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect, isIP } from 'node:net';
import { request } from 'undici';
import { addressKind } from '../network/address.ts';
import { readAtMost } from '../network/downloads.ts';
import type { EngineSettings } from '../speech/engines/engines-file.ts';
import { attention, blocking, type Finding, good, reason } from './finding.ts';
import { bitsOfOthers } from './store.ts';

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

export const NO_TLS = 'that port does not speak TLS: if its server speaks plain http, write http://';

export const isWithoutTls = (error: unknown): boolean =>
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
