import { once } from 'node:events';
import { connect } from 'node:net';
import { pino } from 'pino';
import { request } from 'undici';
import type { Config } from '../config/config.ts';
import { readAtMost } from '../network/downloads.ts';
import { parseBaseUrl } from '../speech/base-url.ts';
import { createSpeechClient } from '../speech/client/client.ts';
import { SpeechError, type SpeechErrorKind } from '../speech/errors.ts';
import { attention, blocking, type Finding, good, installedVersion, reason } from './finding.ts';
import { isOpenToOthers } from './store.ts';

const ANSWER_DEADLINE_MS = 10_000;

/** `espeakVersion` is undefined if the optional package espeak-ng, the built-in voice, is not installed. */
function checkBuiltInVoice(espeakVersion: string | undefined): Finding {
  if (espeakVersion !== undefined) {
    const found = `the built-in voice (espeak-ng ${espeakVersion}): VOICE_API_URL and VOICE_API_KEY are not set`;
    return good('speech', found);
  }
  return blocking(
    'speech',
    'VOICE_API_URL and VOICE_API_KEY are not set, and the built-in voice (espeak-ng) is not installed',
    'Nothing can be spoken.',
    'Set both, or SPEECH_ENGINES or SPEECH_ENGINE_URL, or run npm install espeak-ng.',
  );
}

const SEE_NETWORK = 'Check VOICE_API_URL, the network, and firewalls.';
const NOT_A_SERVICE = [
  'What answers there is not a speech service.',
  'Check VOICE_API_URL: the base address of the service, with nothing after it.',
] as const;

/** Errors of the speech service that only the operator can fix. Errors that are not listed are temporary. */
const MEANINGS: Partial<Record<SpeechErrorKind, readonly [means: string, remedy: string]>> = {
  'invalid-api-key': [
    'The service does not accept this key.',
    'Check VOICE_API_KEY (and VOICE_AUTH_HEADER_PREFIX) against your account at the service.',
  ],
  network: ['The service cannot be reached from this machine.', SEE_NETWORK],
  timeout: ['The service cannot be reached from this machine, or is far too slow.', SEE_NETWORK],
  'bad-response': NOT_A_SERVICE,
  'invalid-request': NOT_A_SERVICE,
};

/** Asks the speech service for its models, because that is free. The finding never contains the API key. */
export async function checkSpeechService(
  { url, key, authHeaderPrefix }: { readonly url: URL; readonly key: string; readonly authHeaderPrefix: string },
  signal: AbortSignal,
  deadlineMs = ANSWER_DEADLINE_MS,
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
    if (meaning !== undefined) return blocking('speech', found, ...meaning);
    return attention('speech', found, 'The service has a problem right now: try again later.');
  } finally {
    await client.close();
  }
}

type EngineSettings = Extract<Config['speech'], { kind: 'local' }>['engines'][number];
type OpenAiSettings = Extract<EngineSettings, { kind: 'openai' }>;

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

type Trouble = readonly [found: string, remedy: string] | undefined;

/** One working engine is enough for the bot. Findings never contain an engine's whole address, which may hold a key. */
export async function checkEngines(
  engines: readonly EngineSettings[],
  espeakVersion: string | undefined,
  signal: AbortSignal,
): Promise<Finding[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]);
  const troubles = await Promise.all(engines.map((engine) => troubleOf(engine, espeakVersion, inTime)));
  return engines.map((engine, index) => {
    const { name, fallback } = engine;
    const where = engine.kind === 'embedded' ? ', the built-in synthesizer,' : ` at ${new URL(engine.url).host}`;
    const who = `engine ${name}${where}`;
    const trouble = troubles[index];
    if (trouble === undefined) return good('speech', `${who} is there`);
    const [what, remedy] = trouble;
    const found = `${who} ${what}`;
    if (!troubles.includes(undefined))
      return blocking('speech', found, 'No engine is there: nothing can be spoken.', remedy);
    const means = fallback
      ? `${fallback} speaks meanwhile, if it is there.`
      : 'Its voices do not speak. While it is down, others do in their place.';
    return attention('speech', found, means, remedy);
  });
}

async function troubleOf(
  engine: EngineSettings,
  espeakVersion: string | undefined,
  signal: AbortSignal,
): Promise<Trouble> {
  if (engine.kind === 'embedded') {
    if (espeakVersion !== undefined) return undefined;
    return ['is not installed (espeak-ng)', 'Run npm install espeak-ng, or take it out of the file.'];
  }
  try {
    return await (engine.kind === 'openai' ? troubleOfOpenAi(engine, signal) : connectTo(new URL(engine.url), signal));
  } catch (error) {
    const found = `does not answer: ${isWithoutTls(error) ? NO_TLS : reason(error)}`;
    return [found, 'Start that server, or check its address, the network, and firewalls.'];
  }
}

async function connectTo({ hostname, port }: URL, signal: AbortSignal): Promise<undefined> {
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) });
  try {
    await once(socket, 'connect', { signal });
  } finally {
    socket.destroy();
  }
}

/** A speech request without a text is free, and still fails if the key or the address is wrong. */
async function troubleOfOpenAi(engine: OpenAiSettings, signal: AbortSignal): Promise<Trouble> {
  const answer = await ask(engine, 'audio/speech', signal, '{}').catch(() => undefined);
  if (answer === undefined || answer.status >= 500) {
    // A local speech server may fail at the incomplete request and still speak: its list of models shows that it runs.
    const { status } = await ask(engine, 'models', signal);
    return status < 500 ? undefined : [`answers with status ${status}`, 'It has a problem: try again later.'];
  }
  const { status, body } = answer;
  if (status === 401 || status === 403) {
    const key = engine.key === undefined ? 'requests without a key' : 'its key';
    return [`does not accept ${key} (${status})`, 'Set the key of that server in the file of engines.'];
  }
  // An error in OpenAI's format about the missing model shows that the speech server would accept a complete request.
  const isAboutModel = /"error".*model(?!s)/is.test(body);
  if ((status !== 404 && status !== 405) || isAboutModel) return undefined;
  const where = `${new URL(engine.url).origin}${addressOf(engine, 'audio/speech').pathname}`;
  return [
    `takes no text at ${where} (${status})`,
    'Its address must be the /v1 address of a server with OpenAI’s POST /v1/audio/speech.',
  ];
}

/** Builds the address of an API path at an engine, as the speech service does. */
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

/** OpenSSL's error codes for a server that answers without TLS, such as with plain http. */
const NOT_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

const NO_TLS = 'that port does not speak TLS: if its server speaks plain http, write http://';

const isWithoutTls = (error: unknown): boolean =>
  NOT_TLS.includes(String((error as NodeJS.ErrnoException | undefined)?.code));

export function checkEngineKeys(path: string, engines: readonly EngineSettings[]): Finding[] {
  const hasKeys = engines.some((one) => one.kind === 'openai' && one.key !== undefined);
  if (!hasKeys || !isOpenToOthers(path)) return [];
  const means = 'Other accounts on this machine can read the keys in it.';
  return [attention('SPEECH_ENGINES', 'readable by others', means, `chmod 600 ${path}`)];
}

export async function checkSpeech(speech: Config['speech'], signal: AbortSignal): Promise<Finding[]> {
  if (speech.kind === 'service') return [await checkSpeechService(speech, signal)];
  const espeakVersion = installedVersion('espeak-ng');
  if (speech.engines.length === 0) return [checkBuiltInVoice(espeakVersion)];
  return [
    ...(await checkEngines(speech.engines, espeakVersion, signal)),
    ...checkEngineKeys(speech.engine.SPEECH_ENGINES ?? '', speech.engines),
  ];
}
