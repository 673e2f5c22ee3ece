import { type Text, text } from '../../texts/catalogue.ts';
import { SETTINGS_LIMITS } from '../servers/server-settings.ts';
import { isLatin, SHORTEST_PART, withoutStars } from './blocked-words.ts';
import { lettersOfRule } from './disguise.ts';
import { emojiIn } from './readable/patterns.ts';

/** As Discord's clients write an emoji that they have no picture for: ':eggplant:'. */
const EMOJI_CODE = /^\*?:[\w~+-]+:\*?$/;
/** As they send one of a server's own. */
const CUSTOM_EMOJI = /<a?:\w{1,64}:\d{1,20}>/;

/** 'f*ck', or several words in one entry: 'foo* bar'. In '2*3' it is a sign like any other. */
const STAR_INSIDE = /\p{L}\*+\s*[^*\s]|[^*\s]\s*\*+\p{L}/u;

function firstEmoji(word: string): string | undefined {
  const [custom] = CUSTOM_EMOJI.exec(word) ?? [];
  return custom ?? emojiIn(word)[0];
}

/** The words that an emoji is spoken with in a server: several where that depends on the language of the text. */
export type EmojiWords = (emoji: string) => Promise<readonly string[]>;

/** The reason why a word cannot be blocked; undefined when it can. `*` at its ends stands for the rest of a longer word. */
export async function blockedWordProblem(word: string, emojiWords: EmojiWords): Promise<Text | undefined> {
  const tooLong = lengthProblem(word);
  if (tooLong) return tooLong;
  // Texts are searched once their emoji are words.
  const emoji = firstEmoji(word);
  if (emoji !== undefined) return emojiProblem(emoji, await emojiWords(emoji));
  if (EMOJI_CODE.test(word.trim())) return text('blocked.emoji-code');
  return lettersProblem(word);
}

/** The reason why a word cannot be an exception; undefined when it can. */
export function exceptionProblem(word: string): Text | undefined {
  const isEmoji = firstEmoji(word) !== undefined || EMOJI_CODE.test(word.trim());
  return lengthProblem(word) ?? (isEmoji ? text('blocked.exception-emoji') : lettersProblem(word));
}

function lengthProblem(word: string): Text | undefined {
  const { length } = word.trim();
  const { blockedWordCharacters: limit } = SETTINGS_LIMITS;
  return length > limit ? text('blocked.too-long', { length, limit }) : undefined;
}

function lettersProblem(word: string): Text | undefined {
  if (STAR_INSIDE.test(word)) return text('blocked.star-inside');
  const plain = withoutStars(word);
  const { length: count } = lettersOfRule(plain);
  if (count === 0) return text('blocked.empty');
  // One Chinese character may be a word; one or two letters are part of most words.
  return plain !== word.trim() && count < SHORTEST_PART && isLatin(word)
    ? text('blocked.too-short', { least: SHORTEST_PART })
    : undefined;
}

function emojiProblem(emoji: string, words: readonly string[]): Text {
  if (words.length === 0) return text('blocked.emoji-silent', { emoji });
  const list = words.map((word) => text('blocked.emoji-word', { word }));
  return text('blocked.emoji', { emoji, words: { list }, count: words.length });
}
