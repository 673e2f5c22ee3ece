import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readAtMost } from '../../network/downloads.ts';

export const API_ERRORS = {
  invalid_request: [400, 'invalid_request_error'],
  input_too_long: [400, 'invalid_request_error'],
  unsupported_response_format: [400, 'invalid_request_error'],
  unsupported_language: [400, 'invalid_request_error'],
  model_not_found: [400, 'invalid_request_error'],
  invalid_api_key: [401, 'authentication_error'],
  // A lack of credits has the misleading type `permission_error`, but the API document tells clients to check the code instead.
  insufficient_credits: [402, 'permission_error'],
  voice_not_found: [404, 'not_found_error'],
  not_found: [404, 'not_found_error'],
  method_not_allowed: [405, 'invalid_request_error'],
  request_too_large: [413, 'invalid_request_error'],
  content_policy_violation: [422, 'invalid_request_error'],
  rate_limit_exceeded: [429, 'rate_limit_error'],
  provider_quota_exceeded: [429, 'rate_limit_error'],
  server_error: [500, 'server_error'],
  provider_unavailable: [503, 'server_error'],
} as const;

export type ApiErrorCode = keyof typeof API_ERRORS;

/** An error without a `code` means that an engine's answer was lost: the engine may bill the text, so clients must not send it again. */
export class SpeechApiError extends Error {
  readonly code: ApiErrorCode | null;
  readonly status: number;
  readonly type: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ApiErrorCode | null,
    message: string,
    details: { param?: string | null; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ApiError';
    this.code = code;
    [this.status, this.type] = code === null ? [502, 'server_error'] : API_ERRORS[code];
    this.param = details.param ?? null;
    this.headers = details.headers ?? {};
  }

  body(): { error: { message: string; type: string; param: string | null; code: string | null } } {
    return { error: { message: this.message, type: this.type, param: this.param, code: this.code } };
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': bytes.byteLength,
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
  });
  response.end(bytes);
}

export const newRequestId = (): string => `req_crier_${randomBytes(16).toString('hex')}`;

/** Rejects with a `SpeechApiError` with the message `refusal` (status 413) if the body is too long. */
export async function readBodyText(
  request: IncomingMessage,
  maxBytes: number,
  refusal: string,
  headers: Record<string, string> = {},
): Promise<string> {
  const tooLarge = () => new SpeechApiError('request_too_large', refusal, { headers });
  return (await readAtMost(request, maxBytes, tooLarge)).toString();
}
