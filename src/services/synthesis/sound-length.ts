import type { SpeechRequest } from '../../speech/request.ts';

/** Short texts with numbers or a slow voice take longer than their length says: less than this never ends them. */
const MIN_MS = 20_000;
/** What a character takes at 150 English words a minute. Not learned: endless audio would teach what it takes itself. */
const MS_PER_CHARACTER = 65;
/** Scripts whose characters are syllables need four times as long; songs twice that, as digits, of which each counts twice. */
const SLOWNESS = 8;
/** A pause that is asked for without its length. */
const PAUSE_MS = 5_000;
/** Before each passage, with the silence that its sound may begin with. */
const PASSAGE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

/** A sixth of what a letter takes at a usual pace: less is no speech of the text, however fast the voice. */
const MIN_MS_PER_LETTER = 12;
/** In longer words, laughs and cries, not every letter is spoken. */
const LETTERS_OF_A_WORD = 20;

const TAG = /[[<]([^[\]<>]{1,80})[\]>]/g;
const PAUSE = /\b(?:long-)?(?:paus|silen|break|wait|warte|stille|espera)/i;
const LENGTH = /(\d{1,6}(?:[.,]\d{1,3})?)\s*(ms|milli|s\b|sec|sek|seg|min)?/i;

/**
 * How long the sound of a text may be in milliseconds: a voice that does not stop, or a broken header, would otherwise
 * hold the channel for minutes.
 */
export function longestSoundMs({ input, speed = 1, passages = [] }: SpeechRequest): number {
  // Read out one by one: Finnish and Lithuanian need 0.7 s for a seven.
  const digits = input.match(/\p{Nd}/gu)?.length ?? 0;
  const spokenMs = (SLOWNESS * (input.length + digits) * MS_PER_CHARACTER) / speed;
  return Math.max(MIN_MS, Math.ceil(spokenMs)) + pausesMs(input) + passages.length * PASSAGE_MS;
}

/** How long there must be sound that is no silence, for a text to be spoken at all. */
export function leastSoundMs({ input, speed = 1 }: SpeechRequest): number {
  const words = input.replaceAll(TAG, ' ').match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.reduce(
    (sum, word) => sum + Math.min(LETTERS_OF_A_WORD, word.replaceAll(/(.)\1+/gu, '$1').length),
    0,
  );
  return (letters * MIN_MS_PER_LETTER) / speed;
}

function pausesMs(input: string): number {
  let sum = 0;
  for (const [, tag = ''] of input.matchAll(TAG)) if (PAUSE.test(tag)) sum += pauseMs(tag);
  return sum;
}

function pauseMs(tag: string): number {
  const [, amount, unit = 's'] = LENGTH.exec(tag) ?? [];
  if (amount === undefined) return PAUSE_MS;
  const factor = /^m(s|illi)/i.test(unit) ? 1 : /^min/i.test(unit) ? 60_000 : 1000;
  return Math.min(MAX_PAUSE_MS, Math.ceil(Number(amount.replace(',', '.')) * factor));
}
