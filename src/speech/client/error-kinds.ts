import type { SpeechErrorKind } from '../errors.ts';

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

/** Whether it is one of the service's own codes. */
export const isServiceCode = (code: string): boolean => Object.hasOwn(KIND_BY_CODE, code);

/** By the code, else by the type, else by the status. */
export function kindOf(
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
  switch (status) {
    case 401:
    case 403:
      return 'invalid-api-key';
    case 402:
      return 'insufficient-credits';
    case 404:
      // An answer without a code does not come from the service: the address is wrong.
      return code !== undefined && method === 'POST' ? 'voice-not-found' : 'bad-response';
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
