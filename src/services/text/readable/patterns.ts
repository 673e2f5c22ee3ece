/** Marks at the start of a line before its words: a quote mark, then that of a heading, subtext or list. */
export const LINE_START =
  /^(?<quote> {0,10}(?:>>> {0,3}|> ))?(?<mark> {0,20}(?:#{1,3} +(?=\S)|-# +(?=\S)|[-*+] +(?=\S)))?/u;

/** A whole `<…>` of Discord's. https://docs.discord.com/developers/reference#message-formatting */
export const DISCORD_TOKEN =
  /^<(?:@!?(?<user>\d{1,20})|@&(?<role>\d{1,20})|#(?<channel>\d{1,20})|a?:(?<emoji>\w{1,64}):\d{1,20}|t:(?<time>-?\d{1,17})(?::(?<style>[tTdDfFsSR]))?|\/(?<command>[^:<>\n]{1,100}):\d{1,20}|id:(?<page>[\w-]{1,40})(?::\d{1,20})?|(?<url>https?:\/\/[^\s<>]+))>$/iu;

/** The same, formed by removed marks (`<@1**2**3>`) or left over; its digits are not worth speaking. */
export const LEFT_OVER_TOKEN = /<(?:@[!&]?|#|a?:\w{1,64}:|t:-?|\/[^:<>\n]{1,100}:|id:)[\w-]{1,40}(?::\w{1,20})?>/giu;

/** An address of any scheme that remains after the marks are removed; also in code and in names. */
export const LEFT_OVER_URL = /(?:[a-z][a-z0-9+.-]{0,20})?:\/\/\S*|(?<![\p{L}\p{N}])www\.[^\s.]+\.\S+/giu;

/** A grapheme that holds an emoji; also ©, ® and ™ as they are in running text. */
export const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20E3/u;
export const isEmoji = (grapheme: string): boolean => EMOJI.test(grapheme) && !/^[©®™]$/u.test(grapheme);

const segmenter = new Intl.Segmenter();

/** The emoji of a text, in its order. */
export const emojiIn = (text: string): readonly string[] =>
  EMOJI.test(text) ? Array.from(segmenter.segment(text), ({ segment }) => segment).filter(isEmoji) : [];
