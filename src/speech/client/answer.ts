import { type Headers, header } from '../../network/announced-wait.ts';
import { SpeechError } from '../errors.ts';
import { errorBodySchema, type WireError } from '../interface/schemas.ts';
import { isServiceCode, kindOf } from './error-kinds.ts';
import { liftedAfterMs, readRateLimit } from './rate-limit.ts';

/** A completely received HTTP answer. */
export interface SpeechResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Milliseconds since 1970. */
  readonly receivedAtMs: number;
}

export interface ApiEndpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

/** The service's id for an answer; any other value (a proxy's page, a line break) is dropped. */
export function requestIdOf(headers: Headers): string | undefined {
  const id = header(headers, 'request-id');
  return id !== undefined && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

/** The JSON of a good answer, or the error of a bad one. Throws only `SpeechError`. */
export function readJson(answer: SpeechResponse, endpoint: ApiEndpoint): unknown {
  const json = parseJson(answer.body);
  if (answer.status < 200 || answer.status >= 300) throw errorOf(answer, endpoint, json);
  if (json === undefined) throw badResponse(answer, endpoint, 'is not JSON');
  if (errorBodySchema.safeParse(json).success) throw errorOf(answer, endpoint, json);
  return json;
}

/** A successful answer that is unusable. A POST was probably billed. */
export function badResponse(answer: SpeechResponse, endpoint: ApiEndpoint, problem: string): SpeechError {
  return new SpeechError({
    kind: 'bad-response',
    message: `${endpoint.method} ${endpoint.path}: the answer (${answer.status}) ${problem}`,
    status: answer.status,
    requestId: requestIdOf(answer.headers),
    creditsMayBeSpent: endpoint.method === 'POST' && answer.status < 300,
  });
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // Not JSON: its meaning depends on the status, and the caller decides.
    return undefined;
  }
}

function errorOf(answer: SpeechResponse, endpoint: ApiEndpoint, json: unknown): SpeechError {
  const parsed = errorBodySchema.safeParse(json);
  const wire: WireError = parsed.success && typeof parsed.data.error === 'object' ? parsed.data.error : {};
  const code = clean(wire.code);
  const type = clean(wire.type);
  const kind = kindOf(answer.status, { code, type }, endpoint.method);
  const note = answer.status >= 300 && answer.status < 400 ? ' (redirects are not followed)' : '';
  const unclear =
    kind === 'server-error' ? !isOurs(answer, code, endpoint) : answer.status < 300 && kind === 'bad-response';
  const limit = readRateLimit(answer.headers, answer.receivedAtMs);
  return new SpeechError({
    kind,
    // The service's own message may repeat the text or the key: it is stored separately and never logged.
    message: `${endpoint.method} ${endpoint.path}: ${answer.status}${code === undefined ? '' : ` ${code}`}${note}`,
    serverMessage:
      wire.message ?? (parsed.success && typeof parsed.data.error === 'string' ? parsed.data.error : undefined),
    code,
    type,
    param: typeof wire.param === 'string' ? clean(wire.param) : wire.param,
    status: answer.status,
    requestId: requestIdOf(answer.headers),
    // The reset time belongs to the rate limit, not to an upstream quota or an outage.
    retryAfterMs: kind === 'rate-limited' ? liftedAfterMs(limit) : limit.retryAfterMs,
    retryable: kind === 'unavailable' || kind === 'rate-limited' || (kind === 'server-error' && !unclear),
    creditsMayBeSpent: endpoint.method === 'POST' && unclear,
  });
}

/**
 * Whether a 5xx comes from the service, which refunds credits, and not from a gateway that lost its answer. Gateways have
 * codes too, but neither one of the service's nor its request id.
 */
function isOurs(answer: SpeechResponse, code: string | undefined, endpoint: ApiEndpoint): boolean {
  if (endpoint.method === 'GET' || answer.status === 503) return true;
  return code !== undefined && (isServiceCode(code) || requestIdOf(answer.headers) !== undefined);
}

/** Codes and similar values go to logs and replies: one short printable line. */
function clean(text: string | undefined): string | undefined {
  return text?.replace(/[^\x20-\x7E]/g, '').slice(0, 100) || undefined;
}
