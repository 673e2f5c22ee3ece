import type { SpeechRequest } from '../../speech/request.ts';

/** How long texts take to speak, learned from what was made. */
export interface DurationEstimate {
  /** In ms, of the sound. */
  of(request: SpeechRequest): number;
  learn(request: SpeechRequest, durationMs: number): void;
}

/** Unhurried English, about 150 words a minute; soon replaced by what is observed. */
const FIRST_MS_PER_CHARACTER = 65;
/** What each text counts against all before it: the voices of a server change slowly. */
const WEIGHT = 0.3;
/** The pauses before and after the words: without them short texts would teach a rate far too slow for long ones. */
const EDGES_MS = 300;

export function createDurationEstimate(): DurationEstimate {
  let msPerCharacter = FIRST_MS_PER_CHARACTER;

  /** Characters as they would be at normal speed. */
  const extent = ({ input, speed = 1 }: SpeechRequest) => input.length / speed;

  return {
    of: (request) => Math.round(EDGES_MS + extent(request) * msPerCharacter),
    learn(request, durationMs) {
      const observed = (durationMs - EDGES_MS) / extent(request);
      if (!(observed > 0) || observed === Number.POSITIVE_INFINITY) return;
      msPerCharacter += WEIGHT * (observed - msPerCharacter);
    },
  };
}
