import type { RequestIssue } from './request.ts';

/** The kinds of failure, by their remedy. Adding a kind makes every `Record<SpeechErrorKind, …>` fail to compile. */
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

/** `message` is for operators: it never holds the key or the spoken text. */
type Details = Partial<SpeechError> & { readonly kind: SpeechErrorKind; readonly message: string };

export class SpeechError extends Error {
  override readonly name = 'SpeechError';
  readonly kind: SpeechErrorKind;
  /** `error.code` and `error.type` from the service: open lists. */
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly param: string | null | undefined;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** When a retry makes sense, in milliseconds from the creation of the error. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may be sent again without risking a second bill. */
  readonly retryable: boolean;
  /** The service may have generated and billed audio whose address never arrived. */
  readonly creditsMayBeSpent: boolean;
  /** The service's own words. They may repeat the text or the key: not enumerable, so that no log contains them. */
  declare readonly serverMessage: string | undefined;
  /** Set for requests refused before sending. */
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

  withRetryAfter(retryAfterMs: number | undefined): SpeechError {
    const { message, serverMessage, cause } = this;
    return new SpeechError({ ...this, message, serverMessage, cause, retryAfterMs });
  }
}
