/**
 * Why the bot could not use audio from a URL. 'endless': far more audio than the text can need. 'too-short': far less
 * audio, or silence. 'damaged': the audio is broken or ends early.
 */
export type AudioErrorKind =
  | 'refused-address'
  | 'refused-redirect'
  | 'http-status'
  | 'network'
  | 'timeout'
  | 'too-large'
  | 'too-long'
  | 'endless'
  | 'too-short'
  | 'not-audio'
  | 'ffmpeg-missing'
  | 'damaged';

export class AudioError extends Error {
  override name = 'AudioError';
  readonly kind: AudioErrorKind;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(
    kind: AudioErrorKind,
    message: string,
    { cause, status, retryAfterMs }: { cause?: unknown; status?: number; retryAfterMs?: number } = {},
  ) {
    super(message, { cause });
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const PASSING: readonly AudioErrorKind[] = ['http-status', 'network', 'timeout', 'damaged'];

/** True if fetching the audio again may succeed, because the failure may be temporary. */
export const mayPass = ({ kind }: AudioError): boolean => PASSING.includes(kind);
