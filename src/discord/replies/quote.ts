import { escapeMarkdown } from 'discord.js';

/** Long enough to recognise one's own words by. */
const QUOTED_GRAPHEMES = 160;
/** A grapheme may be dozens of code units long; the text after the quote must still fit into the message. */
const UNITS_PER_GRAPHEME = 2;

const segmenter = new Intl.Segmenter();

/** A member's text for use in a reply: on one line, shortened, without effect as Markdown, and without mentions. */
export function quote(words: string, limit: number = QUOTED_GRAPHEMES): string {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  const short = shortened(line, limit);
  return (
    escapeMarkdown(short, { heading: true, bulletedList: true, numberedList: true, maskedLink: true })
      // `<@1>`, `<#1>` and `<:name:1>` stay plain text; so do @everyone and @here.
      .replaceAll('<', '\\<')
      .replaceAll('@', '@\u200b')
  );
}

/** Lines shown of one text: the rest of a message needs room, and so do other messages. */
const QUOTED_LINES = 10;

/** The same with its lines as they are, such as those of a script; each but the first begins with `mark`. */
export function quoteLines(words: string, mark = ''): string {
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  const shown: string[] = [];
  let left = QUOTED_GRAPHEMES;
  for (const line of lines.slice(0, QUOTED_LINES)) {
    if (left <= 0) break;
    // At the start of a line, these make it small print or a quotation.
    shown.push(quote(line, left).replace(/^(?=-#|>)/, '\\'));
    left -= [...segmenter.segment(line)].length;
  }
  const hasMore = left >= 0 && shown.length < lines.length;
  return [...shown, ...(hasMore ? ['…'] : [])].join(`\n${mark}`);
}

function shortened(line: string, limit: number): string {
  const units = limit * UNITS_PER_GRAPHEME;
  let [end, count, endOfLast] = [0, 0, 0];
  for (const { segment } of segmenter.segment(line)) {
    if (count === limit || end + segment.length > units) return `${line.slice(0, endOfLast).trimEnd()}…`;
    endOfLast = end;
    end += segment.length;
    count += 1;
  }
  return line;
}
