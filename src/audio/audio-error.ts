/**
 * Why audio from a URL did not become voice packets. 'refused-address': the URL, or the target of its redirect, must
 * not be fetched (scheme, host list, private address). 'refused-redirect': too many redirects, or a redirect without an
 * address. 'http-status': any status but 200. 'network': no connection or a lost connection. 'timeout': a deadline
 * passed. 'too-large' and 'too-long': bytes and audio over the limits. 'endless': far more audio than the text can
 * take. 'too-short': far less audio, or silence. 'not-audio': the bytes are in no known audio format. 'ffmpeg-missing':
 * only ffmpeg reads the format, and ffmpeg does not start. 'damaged': the audio ended early or is broken.
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
