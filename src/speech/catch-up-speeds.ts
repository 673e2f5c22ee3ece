import { requestWarnings, type SpeechRequest, takesSpeed } from './request.ts';

/** Above this speech is hard to follow; a voice's own speed goes no further either. */
export const FASTEST = 1.5;
/** Less is not noticed. */
const LEAST = 1.1;
/** Times the speed of a text. A few: each may be bought, and is a sound of its own that the cache keeps. */
const STEPS = [FASTEST, 1.25, LEAST] as const;

/** How much faster a text is spoken that should be `wanted` times as fast, its own speed included; undefined: as always. */
export function catchUpSpeed(request: SpeechRequest, wanted: number): number | undefined {
  const step = STEPS.find((speed) => speed <= wanted);
  const isIgnored = requestWarnings(request).some(({ field }) => field === 'speed');
  const own = isIgnored ? 1 : (request.speed ?? 1);
  const speed = Math.round(100 * Math.min(step ?? 1, FASTEST / own)) / 100;
  return speed < LEAST ? undefined : speed;
}

/** The request for the same text, so many times as fast; undefined where a voice of it takes no speed. */
export function fasterRequest(request: SpeechRequest, times: number): SpeechRequest | undefined {
  if (!takesSpeed(request)) return undefined;
  return { ...request, speed: Math.min(FASTEST, Math.round(100 * times * (request.speed ?? 1)) / 100) };
}

/** Every faster request that may have been made for a text which had to wait. */
export function fasterRequests(request: SpeechRequest): readonly SpeechRequest[] {
  const speeds = new Set(STEPS.map((step) => catchUpSpeed(request, step)));
  return [...speeds].flatMap((speed) => (speed === undefined ? [] : (fasterRequest(request, speed) ?? [])));
}
