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

interface SpeechErrorDetails {
  readonly kind: SpeechErrorKind;
  /** For operators; never holds the key or the spoken text. */
  readonly message: string;
  readonly serverMessage?: string | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  readonly param?: string | null | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly retryable?: boolean | undefined;
  readonly creditsMayBeSpent?: boolean | undefined;
  readonly issues?: readonly RequestIssue[] | undefined;
  readonly cause?: unknown;
}

/** The one error every call of the speech client rejects with. */
export class SpeechError extends Error {
  override readonly name = 'SpeechError';
  readonly kind: SpeechErrorKind;
  /** `error.code` and `error.type` from the service: open lists. */
  readonly code?: string;
  readonly type?: string;
  readonly param?: string | null;
  /** HTTP status; absent when there was no answer. */
  readonly status?: number;
  readonly requestId?: string;
  /** When a retry makes sense, in milliseconds from the creation of the error. */
  readonly retryAfterMs?: number;
  /** Whether the same request may be sent again without risking a second bill. */
  readonly retryable: boolean;
  /** The service may have generated and billed audio whose address never arrived. */
  readonly creditsMayBeSpent: boolean;
  /** The service's own words. They may repeat the text or the key: not enumerable, so that no log contains them. */
  declare readonly serverMessage?: string;
  /** Set for requests refused before sending. */
  readonly issues: readonly RequestIssue[];

  constructor(details: SpeechErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = details.kind;
    if (details.code !== undefined) this.code = details.code;
    if (details.type !== undefined) this.type = details.type;
    if (details.param !== undefined) this.param = details.param;
    if (details.status !== undefined) this.status = details.status;
    if (details.requestId !== undefined) this.requestId = details.requestId;
    if (details.retryAfterMs !== undefined) this.retryAfterMs = details.retryAfterMs;
    this.retryable = details.retryable ?? false;
    this.creditsMayBeSpent = details.creditsMayBeSpent ?? false;
    this.issues = details.issues ?? [];
    if (details.serverMessage !== undefined) {
      Object.defineProperty(this, 'serverMessage', { value: details.serverMessage, enumerable: false });
    }
  }

  /** The same error with another retry delay. */
  withRetryAfter(retryAfterMs: number | undefined): SpeechError {
    const { message, serverMessage, cause } = this;
    return new SpeechError({ ...this, message, serverMessage, cause, retryAfterMs });
  }
}
