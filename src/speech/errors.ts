import type { RequestIssue } from './interface/schemas.ts';

/** Kinds of failures, one for each remedy. A new kind does not compile until every table of kinds lists it. */
export type SpeechErrorKind =
  | 'invalid-request'
  | 'input-too-long'
  | 'unsupported-format'
  | 'unsupported-language'
  | 'voice-not-found'
  | 'invalid-api-key'
  | 'insufficient-credits'
  | 'content-policy'
  | 'rate-limited'
  | 'quota-exceeded'
  | 'unavailable'
  | 'server-error'
  | 'bad-response'
  | 'network'
  | 'timeout'
  | 'aborted';

/** A speech error's `message` is for operators and never contains the API key or the spoken text. */
type Details = Partial<SpeechError> & { readonly kind: SpeechErrorKind; readonly message: string };

export class SpeechError extends Error {
  override readonly name = 'SpeechError';
  readonly kind: SpeechErrorKind;
  /** `error.code` and `error.type` from the speech service; both may have values that the client does not know. */
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly param: string | null | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** Milliseconds from the speech error's creation until a retry makes sense. */
  readonly retryAfterMs: number | undefined;
  /** True if a second attempt at the speech request cannot cause a second charge. */
  readonly retryable: boolean;
  /** True if the speech service may have billed the request, although no usable answer with the audio's URL arrived. */
  readonly creditsMayBeSpent: boolean;
  /** The service's own message, which may quote the text or API key: not enumerable, so that no log contains it. */
  declare readonly serverMessage: string | undefined;
  readonly issues: readonly RequestIssue[];

  constructor(details: Details) {
    super(details.message, { cause: details.cause });
    this.kind = details.kind;
    this.code = details.code;
    this.type = details.type;
    this.param = details.param;
    this.status = details.status;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.retryable = details.retryable ?? false;
    this.creditsMayBeSpent = details.creditsMayBeSpent ?? false;
    this.issues = details.issues ?? [];
    Object.defineProperty(this, 'serverMessage', { value: details.serverMessage, enumerable: false });
  }
}
