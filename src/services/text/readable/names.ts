import { domainToUnicode } from 'node:url';
import { render, type Text, text } from '../../../texts/catalog.ts';
import { cleanCharacters, dropJoiners, firstGraphemes, graphemes, tameRepeats } from './characters.ts';
import { EMOJI, namesOfEmoji } from './emoji-names.ts';

/** Maximum characters of a spoken name: channels and roles have up to 100, which is too long to listen to. */
const MAX_NAME_CHARACTERS = 50;
/** Maximum number of emoji that are spoken for a name without letters. */
const MAX_EMOJI = 3;

/** Decorative signs around and between the words of a name, and the brackets of speech tags. */
const DECORATION = /[[\p{S}\p{Ps}\p{Pe}\p{Pc}*`~・]--[\p{Sc}+@]]+/gv;

/**
 * A name without decoration, emoji, tags and addresses. If it has only emoji, their names are spoken, in up to
 * `longest` characters. The result is empty if nothing can be spoken.
 */
export function spokenName(name: string, locale: string, longest = MAX_NAME_CHARACTERS): string {
  const clean = cleanCharacters(name).replaceAll(LEFT_OVER_URL, (address) => spokenLink(address, locale));
  const emoji: string[] = [];
  let words = '';
  for (const grapheme of graphemes(clean.slice(0, 400))) {
    if (EMOJI.test(grapheme)) {
      emoji.push(grapheme);
      words += ' ';
    } else words += grapheme;
  }
  const spoken = tidy(words);
  if (/[\p{L}\p{N}]/u.test(spoken)) return spoken;
  const [first = '', ...others] = emoji.slice(0, MAX_EMOJI).flatMap((one) => namesOfEmoji(one, locale));
  let names = first;
  for (const other of others) {
    if (names.length + 1 + other.length > longest) break;
    names += ` ${other}`;
  }
  return tidy(names);
}

export function nameOr(name: string | undefined, otherwise: Text, locale: string): string {
  return spokenName(name ?? '', locale) || render(otherwise, locale);
}

/** Names of custom emoji such as 'party_blob' and 'partyBlob' are two words. */
export const spokenEmojiName = (name: string): string => tidy(name.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '));

function tidy(words: string): string {
  const plain = dropJoiners(words).replaceAll(DECORATION, ' ').replaceAll(/\s+/gu, ' ').trim();
  return firstGraphemes(tameRepeats(plain), MAX_NAME_CHARACTERS).trim();
}

/** Matches a mention or emoji that formed only when Markdown's marks were removed (`<@1**2**3>`). */
export const LEFT_OVER_TOKEN = /<(?:@[!&]?|#|a?:\w{1,64}:|t:-?|\/[^:<>\n]{1,100}:|id:)[\w-]{1,40}(?::\w{1,20})?>/giu;

/** Matches an address that is in code, is in a name, or formed only when Markdown's marks were removed. */
export const LEFT_OVER_URL = /(?:[a-z][a-z0-9+.-]{0,20})?:\/\/\S*|(?<![\p{L}\p{N}])www\.[^\s.]+\.\S+/giu;

const GIF_HOSTS = /(?:^|\.)(?:tenor\.com|giphy\.com|klipy\.com)$/u;
const MESSAGE_HOSTS = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/u;

/** Names an address by its host: without path, port, user name and punycode. */
export function spokenLink(address: string, locale: string): string {
  const url = URL.parse(/^www\./iu.test(address) ? `https://${address}` : address);
  const isOfHost = url !== null && /^(?:https?|ftp|wss?):$/u.test(url.protocol);
  // An invalid punycode name has no Unicode form, so it is read as written.
  const name = isOfHost ? domainToUnicode(url.hostname) || url.hostname : '';
  const host = name.replace(/^(?:www\.)+(?=[^.]+\.)/u, '').replaceAll(/^\[|\]$|\.$/gu, '');
  if (!url || host === '') return render(text('readable.some-link'), locale);
  if (GIF_HOSTS.test(host)) return render(text('readable.gif'), locale);
  if (MESSAGE_HOSTS.test(host) && url.pathname.startsWith('/channels/')) {
    return render(text('readable.message-link'), locale);
  }
  return render(text('readable.link', { host }), locale);
}
