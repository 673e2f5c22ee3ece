import type { SpeechRequest } from '../speech/request.ts';

/** A message whose words can be shortened. */
export interface ShortenableLine {
  /** The words within so many characters; the rest is announced. */
  within(limit: number): string;
  /** Below it too little would remain to be worth listening to. */
  readonly lowestLimit: number;
}

/**
 * A message is read without confirmation, so its bill is capped at `most` characters: the words are shortened to make room
 * for the style, or the style is dropped where too few words would remain.
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
  // How often the style is billed depends on the cut: a text in fewer parts is billed for it fewer times.
  while (tooLong - longest > 1) {
    const middle = Math.floor((longest + tooLong) / 2);
    if (isWithin(cutTo(middle))) longest = middle;
    else tooLong = middle;
  }
  return cutTo(longest);
}
