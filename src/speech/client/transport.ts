import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { isNeverConnected, unknownAuthority } from '../../network/connection-errors.ts';
import { type Headers, header } from '../../network/downloads.ts';
import { type ApiPath, endpoint } from '../base-url.ts';
import { SpeechError, type SpeechErrorKind } from '../errors.ts';
import { errorBodySchema, parseJson, type WireError } from '../interface/schemas.ts';
import { readRateLimit } from './pacer.ts';

/** Idle connections stay open longer than undici's default of 4 s, because a new TLS connection delays speech. */
const KEEP_ALIVE_MS = 90_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Maximum size of a JSON answer. The largest expected answer, a list of ten thousand voices, has about 2 MB. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly path: ApiPath;
  readonly json: unknown;
  readonly signal: AbortSignal;
  /** Called when the request's body is written: from then on, the speech service may bill the request. */
  readonly onSent: () => void;
}

type Outcome =
  | { readonly kind: 'answered'; readonly answer: SpeechResponse }
  | { readonly kind: 'lost'; readonly isSent: boolean; readonly error: SpeechError };

interface TransportOptions {
  readonly baseUrl: () => URL;
  readonly serverEnd: ((signal: AbortSignal) => Promise<AbortSignal>) | undefined;
  readonly authorization: string;
  readonly userAgent: string;
}

export function createTransport({ baseUrl, serverEnd, authorization, userAgent }: TransportOptions) {
  const agent = new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    maxResponseSize: MAX_JSON_BYTES,
    // Without HTTP/2, simultaneous requests share no connection, so that they cannot fail together.
    allowH2: false,
    // undici's own timeouts are off: some speech takes longer than they allow, and the call has a deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function send({ method, path, json, signal, onSent }: TransportRequest): Promise<Outcome> {
    let isSent = false;
    let response: Dispatcher.ResponseData | undefined;
    let end: AbortSignal | undefined;
    /** undici asks for the request's body once the connection is open. A request that failed before was never sent. */
    async function* noting(payload: Uint8Array) {
      isSent = true;
      onSent();
      yield payload;
    }
    const answered = ({ statusCode: status, headers }: Dispatcher.ResponseData, body: string): Outcome => {
      return { kind: 'answered', answer: { method, path, status, headers, requestId: requestIdOf(headers), body } };
    };
    try {
      const payload = json === undefined ? undefined : Buffer.from(JSON.stringify(json));
      end = await serverEnd?.(signal);
      const url = endpoint(baseUrl(), path);
      response = await agent.request({
        origin: url.origin,
        path: url.pathname,
        method,
        signal: end ? AbortSignal.any([signal, end]) : signal,
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          authorization,
          'content-type': payload && 'application/json',
          'content-length': payload && String(payload.length),
        },
        // undici accepts any async iterable as a body, but its types allow only streams, so a cast is needed.
        body: payload && (noting(payload) as unknown as Readable),
      });
      return answered(response, await response.body.text());
    } catch (error) {
      // If an error answer breaks off, its status is enough to treat it as an error answer.
      if (response && response.statusCode >= 400 && !signal.aborted) return answered(response, '');
      const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
      // Messages of lower layers may contain headers or addresses with secrets, so only an error's code is kept.
      const why = unknownAuthority(error) ?? (code || (error instanceof Error ? error.name : 'unknown failure'));
      // No retry fixes an untrusted certificate, for example.
      const isPermanent =
        /^(?:ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|HOSTNAME_MISMATCH|UND_ERR_INVALID_ARG$)/.test(code);
      const lost = new SpeechError({
        kind: code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE' ? 'bad-response' : 'network',
        message: `${method} ${path}: ${isSent ? 'the answer was lost' : 'not reached'} (${end?.aborted ? 'the server ended' : why})`,
        status: response?.statusCode,
        requestId: response && requestIdOf(response.headers),
        retryable: !isSent && !isPermanent,
        creditsMayBeSpent: isSent,
        cause: error,
      });
      // A GET has no body that would show it as sent, so it counts as sent once connected. Repeating a GET does no harm.
      const isSentGet = method === 'GET' && !isNeverConnected(error) && !isPermanent;
      return { kind: 'lost', isSent: isSent || isSentGet, error: lost };
    }
  }

  // Destroys the connections: undici's close() would wait for answers that no caller needs any more.
  return { send, close: () => agent.destroy() };
}

export interface SpeechResponse {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly body: string;
}

/** Reads the speech service's request id; values of another form (a proxy's page, a line break) are dropped. */
export function requestIdOf(headers: Headers): string | undefined {
  const id = header(headers, 'request-id');
  return id !== undefined && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

/** Returns the JSON of a 2xx answer. Throws a `SpeechError` for other answers and for an error inside a 2xx answer. */
export function readJson(answer: SpeechResponse): unknown {
  const json = parseJson(answer.body);
  if (answer.status < 200 || answer.status >= 300) throw errorOf(answer, json);
  if (json === undefined) throw badResponse(answer, 'is not JSON');
  if (errorBodySchema.safeParse(json).success) throw errorOf(answer, json);
  return json;
}

export function badResponse({ method, path, status, requestId }: SpeechResponse, problem: string): SpeechError {
  return new SpeechError({
    kind: 'bad-response',
    message: `${method} ${path}: the answer (${status}) ${problem}`,
    status,
    requestId,
    creditsMayBeSpent: method === 'POST' && status < 300,
  });
}

function errorOf(answer: SpeechResponse, json: unknown): SpeechError {
  const { method, path, status, headers, requestId } = answer;
  const { error } = errorBodySchema.safeParse(json).data ?? {};
  const wire: WireError = typeof error === 'object' ? error : {};
  const code = clean(wire.code);
  const type = clean(wire.type);
  const kind = kindOf(status, code, type, method);
  const note = status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
  const unclear = kind === 'server-error' ? !isOurs(answer, code) : status < 300 && kind === 'bad-response';
  const limit = readRateLimit(headers);
  return new SpeechError({
    kind,
    // The service's own error message may repeat the text or the API key, so it is kept apart and never logged.
    message: `${method} ${path}: ${status}${code === undefined ? '' : ` ${code}`}${note}`,
    serverMessage: wire.message ?? (typeof error === 'string' ? error : undefined),
    code,
    type,
    param: typeof wire.param === 'string' ? clean(wire.param) : wire.param,
    status,
    requestId,
    // The reset time in the headers belongs to the rate limit, so it says nothing about quotas or outages.
    retryAfterMs: kind === 'rate-limited' ? limit.liftedAfterMs : limit.retryAfterMs,
    retryable: kind === 'unavailable' || kind === 'rate-limited' || (kind === 'server-error' && !unclear),
    creditsMayBeSpent: method === 'POST' && unclear,
  });
}

/** The service refunds credits at its own 5xx answers. A gateway's answer has no code or request id of the service. */
function isOurs({ method, status, requestId }: SpeechResponse, code: string | undefined): boolean {
  if (method === 'GET' || status === 503) return true;
  return code !== undefined && (KIND_BY_CODE.has(code) || requestId !== undefined);
}

/** Untrusted words of the service become one printable line of up to 100 characters, for logs and replies. */
function clean(text: string | undefined): string | undefined {
  return text?.replace(/[^\x20-\x7E]/g, '').slice(0, 100) || undefined;
}

/** Except for a 503, an error answer's `code` decides its kind: statuses are ambiguous, and `type` misleads (permission_error for 402). */
const KIND_BY_CODE: ReadonlyMap<string | undefined, SpeechErrorKind> = new Map([
  ['invalid_request', 'invalid-request'],
  ['unsupported_parameter', 'invalid-request'],
  ['input_too_long', 'input-too-long'],
  ['unsupported_response_format', 'unsupported-format'],
  ['unsupported_language', 'unsupported-language'],
  ['voice_not_found', 'voice-not-found'],
  // Older speech services send `model_not_found` for a voice that the requested model does not have.
  ['model_not_found', 'voice-not-found'],
  ['invalid_api_key', 'invalid-api-key'],
  ['insufficient_credits', 'insufficient-credits'],
  ['content_policy_violation', 'content-policy'],
  ['rate_limit_exceeded', 'rate-limited'],
  ['provider_quota_exceeded', 'quota-exceeded'],
  ['provider_unavailable', 'unavailable'],
  ['server_error', 'server-error'],
]);

/** Error types that say less than the status have no entry here: invalid_request_error may even come with a wrong API key. */
const KIND_BY_TYPE: ReadonlyMap<string | undefined, SpeechErrorKind> = new Map([
  ['authentication_error', 'invalid-api-key'],
  ['not_found_error', 'voice-not-found'],
  ['rate_limit_error', 'rate-limited'],
  ['server_error', 'server-error'],
]);

const KIND_BY_STATUS: Readonly<Record<number, SpeechErrorKind>> = {
  401: 'invalid-api-key',
  402: 'insufficient-credits',
  403: 'invalid-api-key',
  413: 'input-too-long',
  429: 'rate-limited',
};

function kindOf(status: number, code: string | undefined, type: string | undefined, method: 'GET' | 'POST') {
  // An answer of 503 means a passing outage and is retried, whatever its code.
  if (status === 503) return 'unavailable';
  const known = KIND_BY_CODE.get(code);
  if (known !== undefined) return known;
  if (status >= 500) return 'server-error';
  // A redirect, or a 2xx answer with an error inside, is a bad answer: the service may have billed the request.
  const typed = status >= 400 ? KIND_BY_TYPE.get(type) : undefined;
  if (typed !== undefined && (typed !== 'voice-not-found' || method === 'POST')) return typed;
  // A 404 without a code does not come from the speech service: the configured address is wrong.
  if (status === 404) return code !== undefined && method === 'POST' ? 'voice-not-found' : 'bad-response';
  return KIND_BY_STATUS[status] ?? (status >= 400 ? 'invalid-request' : 'bad-response');
}
