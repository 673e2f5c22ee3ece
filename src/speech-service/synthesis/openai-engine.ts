import { Agent, type Dispatcher, request } from 'undici';
import { announcedWaitMs, readAtMost } from '../../network/downloads.ts';
import { EngineError, type SpeechEngine, type SynthesisJob } from './engine.ts';
import { listedVoices, OPENAI_NAMES, type ServerVoice } from './listed-voices.ts';
import { createServerRequests, wordsOf } from './server-requests.ts';

export interface OpenAiEngineOptions {
  /** The address of an OpenAI-compatible server: `…/v1`, or the whole `…/v1/audio/speech`. */
  url: string;
  apiKey?: string;
  model?: string;
  deadlineMs: number;
}

/** HTTP statuses of a working server that has no list of voices, or a list in another form. */
const WITHOUT_LIST: ReadonlySet<number> = new Set([200, 401, 403, 404, 405]);

/** The model in requests if the engine sets none. */
const DEFAULT_MODEL = 'tts-1';

const PROBE_DEADLINE_MS = 3_000;

/** Maximum size of a server's voice list: room for a few hundred voices with their descriptions. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

/** A style is sent as `instructions`. OpenAI's `POST /v1/audio/speech` has no seed and no temperature. */
export function createOpenAiEngine(options: OpenAiEngineOptions): SpeechEngine {
  const url = endpoint(options.url);
  const { deadlineMs } = options;
  const requests = createServerRequests(deadlineMs);
  const dispatcher = new Agent({ keepAliveTimeout: 60_000, headersTimeout: deadlineMs, bodyTimeout: deadlineMs });
  const authorization = options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };

  let known: readonly ServerVoice[] | undefined;
  const keyWords = options.apiKey === undefined ? 'asks for a key' : 'refuses its key';
  const refusesKey = (status: number) => new EngineError('refused', `The speech engine ${keyWords} (${status}).`);

  const post = (body: object, signal: AbortSignal) => {
    const headers = { 'content-type': 'application/json', ...authorization };
    return request(url, { method: 'POST', dispatcher, signal, headers, body: JSON.stringify(body) });
  };

  async function* send(job: SynthesisJob, signal: AbortSignal) {
    const model = options.model ?? DEFAULT_MODEL;
    const voice = job.serverVoice ?? job.voiceName;
    const speed = job.speed === 1 ? undefined : job.speed;
    const asked = { model, input: wordsOf(job), voice, response_format: job.format, speed, instructions: job.style };
    const response = await post(asked, signal);
    const { statusCode: status } = response;
    // A content filter may answer 403 for a single text, so a request without a text checks the API key.
    if (status === 401 || (status === 403 && (await refusesAll(AbortSignal.timeout(PROBE_DEADLINE_MS))))) {
      await response.body.dump();
      throw refusesKey(status);
    }
    if (status !== 200) throw await refusal(response, { model, voice, path: url.pathname });
    yield* response.body as AsyncIterable<Uint8Array>;
  }

  async function listAt(path: string, signal: AbortSignal) {
    const address = new URL(`${path}${url.search}`, url);
    const { statusCode: status, body } = await request(address, { dispatcher, signal, headers: authorization });
    const text = await readText(body);
    return { status, list: status === 200 ? listedVoices(text) : undefined };
  }

  /** Sends a request without a text, which is free. True if the server rejects even this request for its API key. */
  async function refusesAll(signal: AbortSignal): Promise<boolean> {
    try {
      const { statusCode, body } = await post({}, signal);
      await body.dump();
      return isRefusal(statusCode);
    } catch {
      // Some working speech servers fail at a request without a text, so a failure does not mean a rejected API key.
      return false;
    }
  }

  return {
    name: `the speech engine at ${url.host}`,
    async ask(signal) {
      const { status, list } = await listAt('voices', signal);
      if (status >= 500) throw new EngineError('unavailable', `It answers with status ${status}.`);
      const isElsewhere = list === undefined && !isRefusal(status) && WITHOUT_LIST.has(status);
      known = list ?? (isElsewhere ? (await listAt('../voices', signal)).list : undefined) ?? known;
      // OpenAI's own API lists no voices, so only statuses outside `WITHOUT_LIST` mean that the server is down.
      if (known === undefined && !WITHOUT_LIST.has(status))
        throw new EngineError('unavailable', `It answers with status ${status}.`);
      // Some API keys only allow speech: the server then rejects requests for lists, but the key works.
      if (await refusesAll(signal)) throw refusesKey(401);
      return known ?? OPENAI_NAMES.map((name) => ({ name }));
    },
    synthesize: (job, signal) => requests.speak(signal, (given) => send(job, given)),
    async close() {
      requests.close();
      await dispatcher.destroy();
    },
  };
}

function endpoint(address: string): URL {
  const url = new URL(address);
  const path = url.pathname.replace(/\/+$/, '');
  if (path.endsWith('/audio/speech')) url.pathname = path;
  else url.pathname = `${path === '' ? '/v1' : path}/audio/speech`;
  return url;
}

const isRefusal = (status: number): boolean => status === 401 || status === 403;

/** A server that answers with these statuses bills nothing. With 408 or another 5xx, a billed answer may be lost. */
const REFUSING: ReadonlySet<number> = new Set([500, 501, 503]);

async function refusal(
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
  asked: { readonly model: string; readonly voice: string; readonly path: string },
): Promise<EngineError> {
  const retryAfterMs = announcedWaitMs(headers, 'retry-after', Date.now());
  if (status === 429) {
    const { code, type } = await errorIn(body);
    // Status 429 means a used-up quota only with this code; limits per minute have other codes:
    // https://platform.openai.com/docs/guides/error-codes
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
  const { code, type, param } = await errorIn(body);
  // The server's error message may repeat a member's text, so only its codes reach the log.
  const codes = [[code, type].find(isCode), param].filter(isCode).join(', ');
  const { model, voice, path } = asked;
  const what = `a text for its voice ${voice}, model ${model}, with status ${status}${codes && ` (${codes})`}`;
  const where = status === 404 ? ` at ${path}: its url, or the model, may be wrong` : '';
  // A wrong model or format fails for every text, so the operator has to act.
  const isOfAll = [code, param].some((value) => /model|(?:^|_)format/.test(String(value)));
  const isOfText = OF_ONE_TEXT.has(status) && (param === 'input' || !isOfAll);
  const kind = POLICY_CODES.includes(String(code)) ? 'policy' : isOfText ? 'rejected' : 'failed';
  return new EngineError(kind, `The speech engine refused ${what}${where}.`);
}

/** HTTP statuses that may concern only this text, or its voice or speed. */
const OF_ONE_TEXT: ReadonlySet<number> = new Set([400, 403, 413, 422]);

/** Error codes of content filters: https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter */
const POLICY_CODES: readonly string[] = ['content_policy_violation', 'content_filter'];

const isCode = (value: unknown): boolean => typeof value === 'string' && /^[\w.[\]-]{1,64}$/.test(value);

type Fields = Readonly<Record<string, unknown>>;

async function errorIn(body: Dispatcher.ResponseData['body']): Promise<Fields> {
  try {
    const answer: Fields = Object(JSON.parse(await readText(body)));
    const { error, detail } = answer;
    // The server openedai-speech has the error's fields at the top level of its answer.
    if (detail === undefined) return error === undefined ? answer : Object(error);
    const [first] = Array.isArray(detail) ? detail : [];
    // FastAPI's own checks give the path of the field that is wrong, such as ["body", "model"]. Kokoro-FastAPI sends an
    // error code in `detail.error`.
    if (first !== undefined) return { param: Object(first).loc?.at?.(-1) };
    const fields: Fields = Object(detail);
    const { error: inside = fields.code } = fields;
    return typeof inside === 'object' ? Object(inside) : { ...fields, code: inside };
  } catch {
    return {};
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const tooLarge = () => new EngineError('failed', 'Its list of voices is too long.');
  return (await readAtMost(body, MAX_LIST_BYTES, tooLarge)).toString();
}
