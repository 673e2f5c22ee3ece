/** A letter, a digit or an emoji of any script. */
const SPEAKABLE = /[\p{L}\p{N}\p{Extended_Pictographic}]/u;

/** Whether a voice can speak any of it: text without a letter, digit or emoji is billed and silent. */
export const isSpeakable = (words: string): boolean => SPEAKABLE.test(words);
