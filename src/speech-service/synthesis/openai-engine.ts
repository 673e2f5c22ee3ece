import { Agent, type Dispatcher, request } from 'undici';
import * as z from 'zod';
import { announcedWaitMs } from '../../network/announced-wait.ts';
import { spokenText } from '../../speech/interface/tags.ts';
import { EngineError, type ServerVoice, type SpeechEngine, type SynthesisJob } from './engine.ts';
import { createServerRequests, silence } from './server-requests.ts';

export interface OpenAiEngineOptions {
  /** `…/v1`, or the whole `…/v1/audio/speech`. */
  url: string;
  apiKey?: string;
  model?: string;
  /** Which of the server's voices speaks for ours; the ones that are missing fall back to `OPENAI_VOICES`. */
  voices?: Readonly<Record<string, string>>;
  deadlineMs?: number;
}

/** The names that OpenAI's own server and most compatible ones know, spread over our voices by how they sound. */
const OPENAI_VOICES: Readonly<Record<string, string>> = {
  aria: 'nova',
  ash: 'onyx',
  basil: 'fable',
  briar: 'shimmer',
  clover: 'coral',
  cove: 'echo',
  dorian: 'onyx',
  dune: 'ash',
  echo: 'sage',
  ember: 'alloy',
  fable: 'fable',
  flint: 'echo',
  garnet: 'shimmer',
  hazel: 'sage',
  ivy: 'nova',
  jasper: 'ash',
  rowan: 'fable',
  wren: 'coral',
};

const OPENAI_NAMES = [...new Set(Object.values(OPENAI_VOICES))].sort();

/** The answers of a server that has no list of voices, or one of another form. */
const WITHOUT_LIST: ReadonlySet<number> = new Set([200, 401, 403, 404, 405]);

/** For how long a key that was refused at a text counts as refused: whether it is right again shows at a text alone. */
const REFUSED_FOR_MS = 5 * 60_000;

const DEFAULT_MODEL = 'tts-1';
/** A few hundred voices with what a server says of each. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/**
 * Lets any server with OpenAI's `POST /v1/audio/speech` speak. Tags are taken out, since such servers would read them;
 * style goes where OpenAI takes instructions; there is no seed or temperature.
 */
export function createOpenAiEngine(options: OpenAiEngineOptions): SpeechEngine {
  const url = endpoint(options.url);
  const requests = createServerRequests({ deadlineMs: options.deadlineMs });
  const { deadlineMs } = requests;
  const dispatcher = new Agent({ keepAliveTimeout: 60_000, headersTimeout: deadlineMs, bodyTimeout: deadlineMs });
  const authorization = options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };

  /** The voices that the server listed last. */
  let known: readonly ServerVoice[] | undefined;
  /** The key was refused at a text; until when (performance.now()) that holds. */
  let refused: { readonly error: EngineError; readonly untilMs: number } | undefined;

  const keyWords = options.apiKey === undefined ? 'asks for a key' : 'refuses its key';
  const refusesKey = (status: number) => new EngineError('refused', `The speech engine ${keyWords} (${status}).`);

  async function* send(job: SynthesisJob, signal: AbortSignal) {
    const model = options.model ?? DEFAULT_MODEL;
    const voice = job.serverVoice ?? options.voices?.[job.voiceName] ?? OPENAI_VOICES[job.voiceName] ?? job.voiceName;
    const response = await request(url, {
      method: 'POST',
      dispatcher,
      signal,
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify({
        model,
        input: spokenText(job.text, job.tags),
        voice,
        response_format: job.format,
        ...(job.speed !== 1 && { speed: job.speed }),
        ...(job.style !== undefined && { instructions: job.style }),
      }),
    });
    const { statusCode: status } = response;
    // 403 is also what a firewall or a moderation of texts says of one of them.
    if (status === 401 || (status === 403 && (await refusesAll(signal).catch(() => false)))) {
      await response.body.dump();
      const error = refusesKey(status);
      refused = { error, untilMs: performance.now() + REFUSED_FOR_MS };
      throw error;
    }
    if (status !== 200) throw await refusal(response, { model, voice, path: url.pathname });
    refused = undefined;
    yield* response.body as AsyncIterable<Uint8Array>;
  }

  function get(path: string, signal: AbortSignal) {
    const address = new URL(`${path}${url.search}`, url);
    return request(address, { dispatcher, signal, headers: authorization });
  }

  /** Whether an order without a text, which costs nothing, is refused: then each is, whatever its text. */
  async function refusesAll(signal: AbortSignal): Promise<boolean> {
    const headers = { 'content-type': 'application/json', ...authorization };
    return isRefusal(await statusOf(request(url, { method: 'POST', dispatcher, signal, headers, body: '{}' })));
  }

  return {
    name: `the speech engine at ${url.host}`,
    ready: Promise.resolve({}),
    async ask(signal) {
      const { statusCode: status, body } = await get('voices', signal);
      const text = await readText(body);
      if (status >= 500) throw new EngineError('unavailable', `It answers with status ${status}.`);
      known = (status === 200 ? listedVoices(text) : undefined) ?? known;
      // A list of voices is no part of OpenAI's own interface.
      if (known === undefined && !WITHOUT_LIST.has(status))
        throw new EngineError('unavailable', `It answers with status ${status}.`);
      const answered = known === undefined && !isRefusal(status) ? await statusOf(get('../models', signal)) : status;
      // A key that may do nothing but speak is refused for lists alone.
      if (isRefusal(answered) && (await refusesAll(signal))) throw refusesKey(answered);
      if (refused && performance.now() < refused.untilMs) throw refused.error;
      return known ?? OPENAI_NAMES.map((name) => ({ name }));
    },
    // Such servers refuse a text without words.
    synthesise: (job, { signal }) =>
      spokenText(job.text, job.tags).trim() === ''
        ? silence(job)
        : requests.speak(job, signal, (given) => send(job, given)),
    async close() {
      requests.close();
      await dispatcher.destroy();
    },
  };
}

/** Accepts the base address with or without the rest of the path. */
function endpoint(address: string): URL {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith('/audio/speech')) url.pathname = path;
  else url.pathname = `${path === '' ? '/v1' : path}/audio/speech`;
  return url;
}

const isRefusal = (status: number): boolean => status === 401 || status === 403;

/** Of an answer whose words are of no use. */
async function statusOf(answer: ReturnType<typeof request>): Promise<number> {
  const { statusCode, body } = await answer;
  await body.dump();
  return statusCode;
}

/** Of a server itself, which bills nothing then; the others, and 408, are those of a gateway that has lost its answer. */
const REFUSING: ReadonlySet<number> = new Set([500, 501, 503]);

async function refusal(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  asked: { readonly model: string; readonly voice: string; readonly path: string },
): Promise<EngineError> {
  const retryAfterMs = announcedWaitMs(headers, 'retry-after', Date.now());
  if (status === 429) {
    const { code, type } = await errorIn(body);
    // Most have limits a minute besides, which say the same with another code: https://platform.openai.com/docs/guides/error-codes
    return [code, type].includes('insufficient_quota')
      ? new EngineError('quota', 'The quota at the speech engine is used up for now.')
      : new EngineError('busy', 'The speech engine takes no more requests at the moment.', { retryAfterMs });
  }
  if (status >= 500 || status === 408) {
    await body.dump();
    const mayBeBilled = !REFUSING.has(status);
    const message = `The speech engine answered with status ${status}.`;
    return new EngineError('unavailable', message, { mayBeBilled, retryAfterMs });
  }
  // The operator has to act: a wrong model or voice, or a wrong address.
  const { code, type, param } = await errorIn(body);
  // The message may repeat the text, which is for no log.
  const codes = [code ?? type, param].filter(isCode).join(', ');
  const { model, voice, path } = asked;
  const what = `a text for its voice ${voice}, model ${model}, with status ${status}${codes && ` (${codes})`}`;
  const where = status === 404 ? ` at ${path}: its url, or the model, may be wrong` : '';
  return new EngineError('failed', `The speech engine refused ${what}${where}.`);
}

const isCode = (value: unknown): boolean => typeof value === 'string' && /^[\w.[\]-]{1,64}$/.test(value);

/** The error in OpenAI's form of an answer; empty where it is of another form. */
async function errorIn(body: Dispatcher.ResponseData['body']): Promise<Readonly<Record<string, unknown>>> {
  try {
    return Object(JSON.parse(await readText(body))?.error);
  } catch {
    return {};
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    if (length > MAX_LIST_BYTES) throw new EngineError('failed', 'Its list of voices is too long.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A voice by its name alone, or with an id that is sent and a language, as the servers of the field answer. */
const listedVoice = z.union([
  z
    .string()
    .min(1)
    .transform((name): ServerVoice => ({ name })),
  z
    .object({
      id: z.string().min(1).optional(),
      voice_id: z.string().min(1).optional(),
      name: z.string().min(1).optional(),
      language: z.string().optional().catch(undefined),
      languages: z.array(z.string()).optional().catch(undefined),
    })
    .transform(({ id, voice_id, name, language, languages = language === undefined ? undefined : [language] }) => ({
      name: id ?? voice_id ?? name ?? '',
      ...(languages && { languages }),
    })),
]);
const voiceList = z.array(listedVoice);
const voiceLists = z.union([
  voiceList,
  z.object({ voices: voiceList }).transform(({ voices }) => voices),
  z.object({ data: voiceList }).transform(({ data }) => data),
]);

/** Undefined for an answer of a form that is not known. */
function listedVoices(text: string): ServerVoice[] | undefined {
  try {
    const read = voiceLists.safeParse(JSON.parse(text));
    return read.success ? read.data.filter(({ name }) => name !== '') : undefined;
  } catch {
    return undefined;
  }
}
