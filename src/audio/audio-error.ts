/**
 * Why the bot could not use audio from a URL. 'refused-address': the URL or a redirect's target is forbidden (scheme,
 * host list, private address). 'refused-redirect': too many redirects, or a redirect without an address. 'http-status':
 * any status but 200. 'too-large' and 'too-long': more bytes or audio than the limits allow. 'endless': far more audio
 * than the spoken text can need. 'too-short': far less audio, or silence. 'not-audio': the bytes are in no known audio
 * format. 'ffmpeg-missing': the format needs ffmpeg, which does not start. 'damaged': the audio is broken or ends
 * early.
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
