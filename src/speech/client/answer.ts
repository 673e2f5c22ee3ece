import { type Headers, header } from '../../network/announced-wait.ts';
import { SpeechError, type SpeechErrorKind } from '../errors.ts';
import { errorBodySchema, type WireError } from '../interface/schemas.ts';
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

/** `code` decides first, because a status is ambiguous and `type` misleads (402 carries permission_error). */
const KIND_BY_CODE: Readonly<Record<string, SpeechErrorKind>> = {
  invalid_request: 'invalid-request',
  unsupported_parameter: 'invalid-request',
  input_too_long: 'input-too-long',
  unsupported_response_format: 'unsupported-format',
  unsupported_language: 'unsupported-language',
  voice_not_found: 'voice-not-found',
  // An older service's answer to a voice that does not belong to the model.
  model_not_found: 'voice-not-found',
  invalid_api_key: 'invalid-api-key',
  insufficient_credits: 'insufficient-credits',
  content_policy_violation: 'content-policy',
  rate_limit_exceeded: 'rate-limited',
  provider_quota_exceeded: 'quota-exceeded',
  provider_unavailable: 'unavailable',
  server_error: 'server-error',
};

/**
 * Where `code` is missing or unknown. Not the types that say less than a status: 402 carries permission_error, and services
 * answer a wrong key with invalid_request_error.
 */
const KIND_BY_TYPE: Readonly<Record<string, SpeechErrorKind>> = {
  authentication_error: 'invalid-api-key',
  not_found_error: 'voice-not-found',
  rate_limit_error: 'rate-limited',
  server_error: 'server-error',
};

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
  const kind = kindOf(answer.status, { code, type }, endpoint);
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
  return code !== undefined && (Object.hasOwn(KIND_BY_CODE, code) || requestIdOf(answer.headers) !== undefined);
}

function kindOf(
  status: number,
  { code, type }: { readonly code: string | undefined; readonly type: string | undefined },
  endpoint: ApiEndpoint,
): SpeechErrorKind {
  // Any 503 is to be retried, whatever its code.
  if (status === 503) return 'unavailable';
  const known = lookUp(KIND_BY_CODE, code);
  if (known !== undefined) return known;
  if (status >= 500) return 'server-error';
  // A good status with an error inside, or a redirect, remains a bad answer: it may have been billed.
  const typed = status >= 400 ? lookUp(KIND_BY_TYPE, type) : undefined;
  if (typed !== undefined && (typed !== 'voice-not-found' || endpoint.method === 'POST')) return typed;
  switch (status) {
    case 401:
    case 403:
      return 'invalid-api-key';
    case 402:
      return 'insufficient-credits';
    case 404:
      // An answer without a code does not come from the service: the address is wrong.
      return code !== undefined && endpoint.method === 'POST' ? 'voice-not-found' : 'bad-response';
    case 413:
      return 'input-too-long';
    case 429:
      return 'rate-limited';
    default:
      return status >= 400 ? 'invalid-request' : 'bad-response';
  }
}

const lookUp = (kinds: Readonly<Record<string, SpeechErrorKind>>, name: string | undefined) =>
  name !== undefined && Object.hasOwn(kinds, name) ? kinds[name] : undefined;

/** Codes and similar values go to logs and replies: one short printable line. */
function clean(text: string | undefined): string | undefined {
  return text?.replace(/[^\x20-\x7E]/g, '').slice(0, 100) || undefined;
}
