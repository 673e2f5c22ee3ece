import { once } from 'node:events';
import { connect } from 'node:net';
import { request } from 'undici';
import type { EngineSettings } from '../speech/engines/engines-file.ts';
import { attention, blocking, type Finding, good, reason } from './finding.ts';

/** What a server does that speaks for the local voice; neither its key nor its whole address is in it. */
type Look =
  | { readonly kind: 'answers' | 'takes connections' }
  /** It speaks below /v1, which its address lacks. */
  | { readonly kind: 'elsewhere' }
  /** Nothing takes a text at this address, although there may be a list of models below it. */
  | { readonly kind: 'takes no text'; readonly status: number; readonly asked: string; readonly hasModels: boolean }
  | { readonly kind: 'refuses' | 'in trouble'; readonly status: number }
  | { readonly kind: 'silent'; readonly why: string };

/** The path before `audio/speech`; the engine takes an address without a path as one with /v1. */
export function basePath({ pathname }: URL): string {
  const base = pathname.replace(/\/+$/, '').replace(/\/audio\/speech$/, '');
  return base === '' ? '/v1' : base;
}

/** Answers to an order for speech where no such thing is taken: by a web server, or at a wrong path. */
const NO_SUCH_ORDER: readonly number[] = [404, 405, 501];

/** OpenAI's form of an error, about the model that an order without one lacks: a text with the right one is taken. */
function isAboutModel(answer: string): boolean {
  try {
    const { error } = JSON.parse(answer) as { error?: unknown };
    return /model(?!s)/i.test(JSON.stringify(error) ?? '');
  } catch {
    return false;
  }
}

async function look(engineUrl: string, key: string | undefined, signal: AbortSignal): Promise<Look> {
  const url = new URL(engineUrl);
  try {
    if (url.protocol === 'tcp:') return await lookAtWyoming(url, signal);
    const base = basePath(url);
    const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };
    const ask = async (method: 'GET' | 'POST', path: string) => {
      const address = new URL(url);
      address.pathname = path;
      const { statusCode: status, body } = await request(address, {
        ...{ method, signal },
        headers: { ...authorization, ...(method === 'POST' && { 'content-type': 'application/json' }) },
        ...(method === 'POST' && { body: '{}' }),
      });
      const text = status === 404 ? await body.text() : await body.dump().then(() => '');
      return { status, takesText: !NO_SUCH_ORDER.includes(status) || isAboutModel(text) };
    };
    /** An order without a text is refused, and costs nothing. A server of one's own may break at it, and speak all the same. */
    const speechAt = (path: string) => ask('POST', `${path}/audio/speech`).catch(() => undefined);
    // OpenAI's list of models costs nothing either, and a server without it answers all the same.
    const models = await ask('GET', `${base}/models`);
    if (models.status >= 500) return { kind: 'in trouble', status: models.status };
    const speech = await speechAt(base);
    // A key that may only speak is refused for the models alone.
    const { status } = speech ?? models;
    if (status === 401 || status === 403) return { kind: 'refuses', status };
    if (speech?.takesText !== false) return { kind: 'answers' };
    if (status === 404 && !base.endsWith('/v1') && (await speechAt(`${base}/v1`))?.takesText)
      return { kind: 'elsewhere' };
    return {
      kind: 'takes no text',
      status,
      asked: `${url.origin}${base}/audio/speech`,
      hasModels: models.status === 200,
    };
  } catch (error) {
    return {
      kind: 'silent',
      why: isWithoutTls(error) ? NO_TLS : reason(error),
    };
  }
}

/** OpenSSL's codes for an answer that is not TLS. */
const NOT_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'];

export const NO_TLS = 'that port does not speak TLS: if its server speaks plain http, write http://';

export const isWithoutTls = (error: unknown): boolean =>
  NOT_TLS.includes(String((error as NodeJS.ErrnoException | undefined)?.code));

async function lookAtWyoming(url: URL, signal: AbortSignal): Promise<Look> {
  const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) });
  try {
    await once(socket, 'connect', { signal });
    return { kind: 'takes connections' };
  } finally {
    socket.destroy();
  }
}

const ELSEWHERE = 'which speaks below /v1 and not where its address says (404)';
const takesNoText = ({ asked, status }: { asked: string; status: number }): string =>
  `which takes no text at ${asked} (${status})`;
const RIGHT_ADDRESS = 'the /v1 address of a server with OpenAI’s POST /v1/audio/speech';
const placeOfV1 = (engineUrl: string): string =>
  /\/audio\/speech\/*$/.test(new URL(engineUrl).pathname) ? 'before /audio/speech in' : 'at the end of';

/** The only server that speaks for the local voice. */
export async function checkEngine(
  engineUrl: string,
  key: string | undefined,
  signal: AbortSignal,
  deadlineMs: number,
): Promise<Finding> {
  // The host alone: an address may hold a password, or a key behind it.
  const engine = `the local voice, spoken by ${new URL(engineUrl).host}`;
  const seen = await look(engineUrl, key, AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]));
  switch (seen.kind) {
    case 'silent':
      return blocking('speech', {
        found: `${engine}, which does not answer: ${seen.why}`,
        means: 'Nothing can be spoken.',
        remedy: 'Start that server, or check SPEECH_ENGINE_URL, the network, and firewalls.',
      });
    case 'refuses':
      return blocking('speech', {
        found: `${engine}, which answers with status ${seen.status}`,
        means: `The server does not accept ${key === undefined ? 'requests without a key' : 'this key'}: nothing can be spoken.`,
        remedy: 'Set SPEECH_ENGINE_KEY to a key of that server.',
      });
    case 'elsewhere':
      return blocking('speech', {
        found: `${engine}, ${ELSEWHERE}`,
        means: 'Nothing can be spoken.',
        remedy: `Write /v1 ${placeOfV1(engineUrl)} SPEECH_ENGINE_URL.`,
      });
    case 'takes no text':
      return (seen.hasModels ? attention : blocking)('speech', {
        found: `${engine}, ${takesNoText(seen)}`,
        means: seen.hasModels ? 'It lists models there, but may refuse every text.' : 'Nothing can be spoken.',
        remedy: `Check SPEECH_ENGINE_URL: ${RIGHT_ADDRESS}.`,
      });
    case 'in trouble':
      return attention('speech', {
        found: `${engine}, which answers with status ${seen.status}`,
        means: 'The server has a problem right now: try again later.',
      });
    default:
      return good('speech', `${engine}, which ${seen.kind}: VOICE_API_URL and VOICE_API_KEY are not set`);
  }
}

interface Given {
  /** Null: espeak-ng is not installed. */
  readonly espeakVersion: string | null;
  readonly signal: AbortSignal;
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 10_000;

/** Each engine of the file that SPEECH_ENGINES names. The bot can run while one of them can speak. */
export async function checkEngines(
  engines: readonly EngineSettings[],
  { espeakVersion, signal, deadlineMs = DEADLINE_MS }: Given,
): Promise<Finding[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  const seen = await Promise.all(engines.map((engine) => examine(engine, espeakVersion, inTime)));
  const canSpeak = seen.some(({ trouble, isUnsure }) => trouble === undefined || isUnsure);
  return seen.map(({ what, trouble, remedy, isListed, isUnsure }, index) => {
    if (trouble === undefined) return good('speech', what);
    const fallback = engines[index]?.fallback;
    const isFallbackDown = seen[engines.findIndex(({ name }) => name === fallback)]?.trouble !== undefined;
    const found = `${what}, ${trouble}`;
    if (!canSpeak) return blocking('speech', { found, means: 'Nothing can be spoken: no engine is there.', remedy });
    // It counts as there, so that its fallback does not speak either.
    if (isListed) {
      const means = `Its voices are listed, but texts for them ${isUnsure ? 'may fail' : 'fail'}.`;
      return attention('speech', { found, means, remedy });
    }
    const means =
      fallback === undefined
        ? 'Its voices are not listed meanwhile; members choose another voice.'
        : isFallbackDown
          ? `${fallback}, its fallback, cannot speak either: its voices are not listed meanwhile; members choose another voice.`
          : `${fallback} speaks in the place of its voices meanwhile.`;
    return attention('speech', { found, means, remedy });
  });
}

/** An engine in words, and what is wrong with it. */
interface Examined {
  readonly what: string;
  readonly trouble?: string;
  readonly remedy: string;
  /** The service does not find the trouble before a text. */
  readonly isListed?: boolean;
  /** It may speak all the same. */
  readonly isUnsure?: boolean;
}

async function examine(engine: EngineSettings, espeakVersion: string | null, signal: AbortSignal): Promise<Examined> {
  if (engine.kind === 'embedded') {
    const what = `engine ${engine.name}, the embedded synthesiser`;
    const remedy = 'Run npm install espeak-ng, or take it out of the file of engines.';
    if (espeakVersion === null) return { what, trouble: 'which is not installed (espeak-ng)', remedy };
    return { what: `${what} (espeak-ng ${espeakVersion})`, remedy };
  }
  const key = engine.kind === 'openai' ? engine.key : undefined;
  const what = `engine ${engine.name} at ${new URL(engine.url).host}`;
  const seen = await look(engine.url, key, signal);
  switch (seen.kind) {
    case 'silent':
      return {
        what,
        trouble: `which does not answer: ${seen.why}`,
        remedy: 'Start that server, or check its url in the file of engines, the network, and firewalls.',
      };
    case 'refuses':
      return {
        what,
        trouble: `which answers with status ${seen.status}: it does not accept ${key === undefined ? 'requests without a key' : 'this key'}`,
        remedy: 'Set its key in the file of engines to one of that server.',
      };
    case 'elsewhere':
      return {
        what,
        trouble: ELSEWHERE,
        remedy: `Write /v1 ${placeOfV1(engine.url)} its url in the file of engines.`,
        isListed: true,
      };
    case 'takes no text':
      return {
        what,
        trouble: takesNoText(seen),
        remedy: `Check its url in the file of engines: ${RIGHT_ADDRESS}.`,
        isListed: true,
        isUnsure: seen.hasModels,
      };
    case 'in trouble':
      return {
        what,
        trouble: `which answers with status ${seen.status}`,
        remedy: 'It has a problem right now: try again later.',
      };
    default:
      return { what: `${what}, which ${seen.kind}`, remedy: '' };
  }
}

/** '0.00001', where a number writes itself as '1e-5'. */
const inCredits = (price: number): string =>
  `${price.toLocaleString('en', { maximumSignificantDigits: 3, useGrouping: false })} credits a character`;

/** As long as a text for a server's voice may be. */
const LONGEST_TEXT = 1_000;

/** Prices that no text is long enough for: credits are whole, and rounded up. */
export function checkPrices(engines: readonly EngineSettings[]): Finding[] {
  return engines.flatMap(({ name, credits_per_character: price = 0 }) =>
    lowPrice(price, {
      subject: 'SPEECH_ENGINES',
      found: `engine ${name} costs ${inCredits(price)}`,
      all: 'all prices of the file',
    }),
  );
}

/** The same of the only server's. */
export const checkPrice = (price: number): Finding[] =>
  lowPrice(price, { subject: 'SPEECH_ENGINE_CREDITS_PER_CHARACTER', found: `is ${inCredits(price)}`, all: 'it' });

const lowPrice = (
  price: number,
  { subject, found, all }: { subject: string; found: string; all: string },
): Finding[] =>
  price === 0 || price * LONGEST_TEXT >= 1
    ? []
    : [
        attention(subject, {
          found,
          means: 'Credits are whole and rounded up for each text: each one costs 1 credit at most, however long it is.',
          remedy: `Count in smaller credits: multiply ${all}, and the limits SPENDING_…, by the same number.`,
        }),
      ];
