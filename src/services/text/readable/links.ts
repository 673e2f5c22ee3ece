import { domainToUnicode } from 'node:url';
import { render, text } from '../../../texts/catalog.ts';

/** A whole `<…>` of Discord's. https://docs.discord.com/developers/reference#message-formatting */
export const DISCORD_TOKEN =
  /^<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|a?:(?<emoji>\w{1,64}):\d{1,20}|t:(?<time>-?\d{1,17})(?::(?<style>[tTdDfFsSR]))?|\/(?<command>[^:<>\n]{1,100}):\d{1,20}|id:(?<page>[\w-]{1,40})(?::\d{1,20})?|(?<url>https?:\/\/[^\s<>]+))>$/iu;

/** The same, formed by removed marks (`<@1**2**3>`) or left over; its digits are not worth speaking. */
export const LEFT_OVER_TOKEN = /<(?:@[!&]?|#|a?:\w{1,64}:|t:-?|\/[^:<>\n]{1,100}:|id:)[\w-]{1,40}(?::\w{1,20})?>/giu;

/** An address of any scheme that remains after the marks are removed; also in code and in names. */
export const LEFT_OVER_URL = /(?:[a-z][a-z0-9+.-]{0,20})?:\/\/\S*|(?<![\p{L}\p{N}])www\.[^\s.]+\.\S+/giu;

/** Punctuation after an address that is not part of it. */
const NOT_AT_THE_END = new Set('.,:;!?\'"*_~)>|`');
const SPACE = /\s/u;

/** Services whose addresses a GIF button posts. */
const GIF_HOSTS = /(?:^|\.)(?:tenor\.com|giphy\.com|klipy\.com)$/u;
const MESSAGE_HOSTS = /^(?:(?:ptb|canary)\.)?discord(?:app)?\.com$/u;

/** The end of the address that begins at `start`; undefined when none does. Spoiler marks and a link's `]` end it too. */
export function urlEnd(content: string, start: number): number | undefined {
  const scheme = /^https?:\/\//iu.exec(content.slice(start, start + 8))?.[0];
  if (scheme === undefined) return undefined;
  let brackets = 0;
  let end = start + scheme.length;
  for (; end < content.length; end++) {
    const character = content[end] ?? '';
    if (SPACE.test(character) || character === '<') break;
    if (character === '|' && content[end + 1] === '|') break;
    if (character === '[') brackets++;
    if (character === ']' && --brackets < 0) break;
  }
  while (end > start && NOT_AT_THE_END.has(content[end - 1] ?? '')) end--;
  return end > start + scheme.length ? end : undefined;
}

/** Names an address by its host, as a person would read it: no path, no port, no user name, no punycode. */
export function spokenLink(address: string, locale: string): string {
  const url = parseUrl(/^www\./iu.test(address) ? `https://${address}` : address);
  const host = hostOf(url);
  if (!url || host === '') return render(text('readable.some-link'), locale);
  if (GIF_HOSTS.test(host)) return render(text('readable.gif'), locale);
  if (MESSAGE_HOSTS.test(host) && url.pathname.startsWith('/channels/')) {
    return render(text('readable.message-link'), locale);
  }
  return render(text('readable.link', { host }), locale);
}

function parseUrl(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}

function hostOf(url: URL | undefined): string {
  if (!url || !/^(?:https?|ftp|wss?):$/u.test(url.protocol)) return '';
  // An invalid punycode name has no Unicode form.
  const name = domainToUnicode(url.hostname) || url.hostname;
  return name.replace(/^(?:www\.)+(?=[^.]+\.)/u, '').replaceAll(/^\[|\]$|\.$/gu, '');
}
