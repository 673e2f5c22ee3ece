import { catchUpSpeed, FASTEST } from '../../speech/catch-up-speeds.ts';
import type { SpeechRequest } from '../../speech/request.ts';

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

/** The speed for a text that waited so long; undefined where it is spoken as always. */
export function catchUpAfter(waitedMs: number, request: SpeechRequest): CatchUp | undefined {
  const share = Math.min(1, (waitedMs - USUAL_WAIT_MS) / (LONG_WAIT_MS - USUAL_WAIT_MS));
  const speed = catchUpSpeed(request, 1 + (FASTEST - 1) * share);
  return speed === undefined ? undefined : { speed, waitedMs };
}
