import type { SpeechRequest } from '../speech/request.ts';

/** A message in words that can be made shorter. */
export interface ShortenableLine {
  /** In so many characters; what is beyond is announced. */
  within(limit: number): string;
  /** Below it too little would be left to be worth hearing. */
  readonly lowestLimit: number;
}

/**
 * Nobody can be asked whether a message shall be spoken although it is billed for more than `most` characters: for what
 * its style costs, words are left out, or the style where too few of them would remain.
 */
export function billedWithin(
  most: number,
  request: SpeechRequest,
  line: ShortenableLine,
  billedCharacters: (request: SpeechRequest) => number,
): SpeechRequest {
  const cutTo = (limit: number) => ({ ...request, input: line.within(limit) });
  const isWithin = (one: SpeechRequest) => billedCharacters(one) <= most;
  if (isWithin(request)) return request;
  let [longest, tooLong] = [line.lowestLimit, request.input.length];
  if (longest >= tooLong || !isWithin(cutTo(longest))) {
    const { style: _, ...plain } = request;
    return plain;
  }
  // How often the style is billed depends on the cut: a text in fewer parts has it fewer times.
  while (tooLong - longest > 1) {
    const middle = Math.floor((longest + tooLong) / 2);
    if (isWithin(cutTo(middle))) longest = middle;
    else tooLong = middle;
  }
  return cutTo(longest);
}
