import { requestWarnings, type SpeechRequest } from '../../speech/request.ts';

/** How a text that had to wait is spoken. */
export interface CatchUp {
  /** Times its own speed. */
  readonly speed: number;
  readonly waitedMs: number;
}

/** A wait that nobody minds. */
const USUAL_WAIT_MS = 10_000;
/** The wait after which it goes no faster. */
const LONG_WAIT_MS = 60_000;
/** Above this speech is hard to follow; a voice's own speed goes no further either. */
const FASTEST = 1.5;
/** Less is not noticed. */
const LEAST = 1.1;

/** The speed for a text that waited so long; undefined where it is spoken as always. */
export function catchUpAfter(waitedMs: number, request: SpeechRequest): CatchUp | undefined {
  const isIgnored = requestWarnings(request).some(({ field }) => field === 'speed');
  const own = isIgnored ? 1 : (request.speed ?? 1);
  const share = Math.min(1, (waitedMs - USUAL_WAIT_MS) / (LONG_WAIT_MS - USUAL_WAIT_MS));
  const wanted = 1 + (FASTEST - 1) * share;
  const speed = Math.round(Math.min(wanted, FASTEST / own) * 20) / 20;
  return speed < LEAST ? undefined : { speed, waitedMs };
}
