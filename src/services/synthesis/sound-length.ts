import type { SpeechRequest } from '../../speech/request.ts';

/** The shortest limit of any text: even a short text takes long with numbers or a slow voice. */
const MIN_MS = 20_000;
/** Speaking time at 150 English words a minute. If it were learned, endless audio would raise its own limit. */
const MS_PER_CHARACTER = 65;
/** A character may take four times longer than usual in syllabic writing, and twice that if sung. */
const SLOWNESS = 8;
/** Extra time for each passage with its own voice: it is separate audio, which may begin with silence. */
const PASSAGE_MS = 1_000;
/** Extra time in a text's maximum duration for each tag that requests a pause: the longest pause of any service. */
const MAX_PAUSE_MS = 60_000;

/** Less than a fifth of the usual time: shorter audio cannot be speech of the text, even with a fast voice. */
const MIN_MS_PER_LETTER = 12;
/** Only this many letters of a word count: in typed laughter, voices do not speak every letter. */
const LETTERS_OF_A_WORD = 20;

const TAG = /[[<]([^[\]<>]{1,80})[\]>]/g;
const PAUSE = /\b(?:long-)?(?:paus|silen|break|wait|warte|stille|espera)/i;

/** Without a maximum, a voice that does not stop or a broken header could block the channel for minutes. */
export function longestSoundMs({ input, speed = 1, passages = [] }: SpeechRequest): number {
  // Digits may be read one by one, and Finnish and Lithuanian need 0.7 s for a seven: each counts twice.
  const digits = input.match(/\p{Nd}/gu)?.length ?? 0;
  const spokenMs = (SLOWNESS * (input.length + digits) * MS_PER_CHARACTER) / speed;
  const pauses = [...input.matchAll(TAG)].filter(([, tag = '']) => PAUSE.test(tag)).length;
  return Math.max(MIN_MS, Math.ceil(spokenMs)) + pauses * MAX_PAUSE_MS + passages.length * PASSAGE_MS;
}

/** The minimum duration of a text's audible audio in milliseconds. Shorter audio cannot be speech of the text. */
export function leastSoundMs({ input, speed = 1 }: SpeechRequest): number {
  const words = input.replaceAll(TAG, ' ').match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.reduce(
    (sum, word) => sum + Math.min(LETTERS_OF_A_WORD, word.replaceAll(/(.)\1+/gu, '$1').length),
    0,
  );
  return (letters * MIN_MS_PER_LETTER) / speed;
}
