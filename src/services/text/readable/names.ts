import { render, type Text } from '../../../texts/catalog.ts';
import { cleanCharacters, dropJoiners, firstGraphemes, tameRepeats } from './characters.ts';
import { EMOJI, namesOfEmoji } from './emoji-names.ts';
import { LEFT_OVER_URL, spokenLink } from './links.ts';

/** Nicknames have up to 32 characters; channels and roles up to 100, which is too long to listen to. */
const LONGEST_NAME = 50;
/** Maximum number of emoji that are spoken of a name without letters. */
export const MOST_EMOJI = 3;

/** Decoration around and between the words of a name, and characters of tags. */
const DECORATION = /[[\p{S}\p{Ps}\p{Pe}\p{Pc}*`~・]--[\p{Sc}+@]]+/gv;

const segmenter = new Intl.Segmenter();

/**
 * The spoken form of a member's, channel's or role's name: no decoration, no emoji (unless it has only emoji: then as many
 * as are named in `longest` characters), nothing that could be a tag or an address. Empty when it has nothing to speak.
 */
export function spokenName(name: string, locale: string, longest = LONGEST_NAME): string {
  const clean = cleanCharacters(name).replaceAll(LEFT_OVER_URL, (address) => spokenLink(address, locale));
  const emoji: string[] = [];
  let words = '';
  for (const { segment } of segmenter.segment(clean.slice(0, 400))) {
    if (EMOJI.test(segment)) {
      emoji.push(segment);
      words += ' ';
    } else words += segment;
  }
  const spoken = tidy(words);
  if (/[\p{L}\p{N}]/u.test(spoken)) return spoken;
  const [first = '', ...others] = emoji.slice(0, MOST_EMOJI).flatMap((one) => namesOfEmoji(one, locale));
  let names = first;
  for (const other of others) {
    if (names.length + 1 + other.length > longest) break;
    names += ` ${other}`;
  }
  return tidy(names);
}

/** The same, or `otherwise` when the name is unknown or has nothing to speak. */
export function nameOr(name: string | undefined, otherwise: Text, locale: string): string {
  return spokenName(name ?? '', locale) || render(otherwise, locale);
}

/** Channel names have hyphens for spaces: 'off-topic' is two words. */
export function channelNameOr(name: string | undefined, otherwise: Text, locale: string): string {
  return nameOr(name?.replaceAll(/[-_]+/gu, ' '), otherwise, locale);
}

/** 'party_blob' and 'partyBlob' are two words. */
export function spokenEmojiName(name: string): string {
  return tidy(name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '));
}

function tidy(words: string): string {
  const plain = dropJoiners(words).replaceAll(DECORATION, ' ').replaceAll(/\s+/gu, ' ').trim();
  return firstGraphemes(tameRepeats(plain), LONGEST_NAME).trim();
}
