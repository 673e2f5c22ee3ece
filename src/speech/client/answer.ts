import { type Headers, header } from '../../network/announced-wait.ts';
import { SpeechError, type SpeechErrorKind } from '../errors.ts';
import { errorBodySchema, type WireError } from '../interface/schemas.ts';
import { readRateLimit } from './pacer.ts';

/** A completely received HTTP answer of an endpoint. */
export interface SpeechResponse {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly body: string;
}

/** The service's id for an answer; any other value (a proxy's page, a line break) is dropped. */
export function requestIdOf(headers: Headers): string | undefined {
  const id = header(headers, 'request-id');
  return id !== undefined && /^[\w.:-]{1,128}$/.test(id) ? id : undefined;
}

/** The JSON of a good answer, or the error of a bad one. Throws only `SpeechError`. */
export function readJson(answer: SpeechResponse): unknown {
  const json = parseJson(answer.body);
  if (answer.status < 200 || answer.status >= 300) throw errorOf(answer, json);
  if (json === undefined) throw badResponse(answer, 'is not JSON');
  if (errorBodySchema.safeParse(json).success) throw errorOf(answer, json);
  return json;
}

/** A successful answer that is unusable. A POST was probably billed. */
export function badResponse({ method, path, status, requestId }: SpeechResponse, problem: string): SpeechError {
  return new SpeechError({
    kind: 'bad-response',
    message: `${method} ${path}: the answer (${status}) ${problem}`,
    status,
    requestId,
    creditsMayBeSpent: method === 'POST' && status < 300,
  });
}

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    // The body is not JSON: its meaning depends on the status, and the caller decides.
    return undefined;
  }
}

function errorOf(answer: SpeechResponse, json: unknown): SpeechError {
  const { method, path, status, headers, requestId } = answer;
  const { error } = errorBodySchema.safeParse(json).data ?? {};
  const wire: WireError = typeof error === 'object' ? error : {};
  const code = clean(wire.code);
  const type = clean(wire.type);
  const kind = kindOf(status, { code, type }, method);
  const note = status >= 300 && status < 400 ? ' (redirects are not followed)' : '';
  const unclear = kind === 'server-error' ? !isOurs(answer, code) : status < 300 && kind === 'bad-response';
  const limit = readRateLimit(headers);
  return new SpeechError({
    kind,
    // The service's own message may repeat the text or the key: it is stored separately and never logged.
    message: `${method} ${path}: ${status}${code === undefined ? '' : ` ${code}`}${note}`,
    serverMessage: wire.message ?? (typeof error === 'string' ? error : undefined),
    code,
    type,
    param: typeof wire.param === 'string' ? clean(wire.param) : wire.param,
    status,
    requestId,
    // The reset time belongs to the rate limit, not to an upstream quota or an outage.
    retryAfterMs: kind === 'rate-limited' ? limit.liftedAfterMs : limit.retryAfterMs,
    retryable: kind === 'unavailable' || kind === 'rate-limited' || (kind === 'server-error' && !unclear),
    creditsMayBeSpent: method === 'POST' && unclear,
  });
}

/**
 * Whether a 5xx comes from the service, which refunds credits, and not from a gateway that lost its answer. Gateways have
 * codes too, but neither one of the service's nor its request id.
 */
function isOurs({ method, status, requestId }: SpeechResponse, code: string | undefined): boolean {
  if (method === 'GET' || status === 503) return true;
  return code !== undefined && (Object.hasOwn(KIND_BY_CODE, code) || requestId !== undefined);
}

/** Codes and similar values go to logs and replies: one short printable line. */
function clean(text: string | undefined): string | undefined {
  return text?.replace(/[^\x20-\x7E]/g, '').slice(0, 100) || undefined;
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
 * The kinds if `code` is missing or unknown. Types that say less than a status are left out: 402 carries
 * permission_error, and services answer a wrong key with invalid_request_error.
 */
const KIND_BY_TYPE: Readonly<Record<string, SpeechErrorKind>> = {
  authentication_error: 'invalid-api-key',
  not_found_error: 'voice-not-found',
  rate_limit_error: 'rate-limited',
  server_error: 'server-error',
};

const KIND_BY_STATUS: Readonly<Record<number, SpeechErrorKind>> = {
  401: 'invalid-api-key',
  402: 'insufficient-credits',
  403: 'invalid-api-key',
  413: 'input-too-long',
  429: 'rate-limited',
};

/** By the code, else by the type, else by the status. */
function kindOf(
  status: number,
  { code, type }: { readonly code: string | undefined; readonly type: string | undefined },
  method: 'GET' | 'POST',
): SpeechErrorKind {
  // Any 503 is to be retried, whatever its code.
  if (status === 503) return 'unavailable';
  const known = lookUp(KIND_BY_CODE, code);
  if (known !== undefined) return known;
  if (status >= 500) return 'server-error';
  // A good status with an error inside, or a redirect, remains a bad answer: it may have been billed.
  const typed = status >= 400 ? lookUp(KIND_BY_TYPE, type) : undefined;
  if (typed !== undefined && (typed !== 'voice-not-found' || method === 'POST')) return typed;
  // A 404 without a code does not come from the service: the address is wrong.
  if (status === 404) return code !== undefined && method === 'POST' ? 'voice-not-found' : 'bad-response';
  return KIND_BY_STATUS[status] ?? (status >= 400 ? 'invalid-request' : 'bad-response');
}

const lookUp = (kinds: Readonly<Record<string, SpeechErrorKind>>, name: string | undefined) =>
  name !== undefined && Object.hasOwn(kinds, name) ? kinds[name] : undefined;
