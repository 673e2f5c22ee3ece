import { escapeMarkdown } from 'discord.js';

/** Long enough to recognise one's own words by. */
const QUOTED_GRAPHEMES = 160;

const segmenter = new Intl.Segmenter();

/**
 * Words of a member as they may stand in a reply: on one line, shortened, without effect as Markdown, and mentioning
 * nobody.
 */
export function quote(words: string, limit: number = QUOTED_GRAPHEMES): string {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  const graphemes = [...segmenter.segment(line.slice(0, limit * 20))].map(({ segment }) => segment);
  const short =
    graphemes.length > limit
      ? `${graphemes
          .slice(0, limit - 1)
          .join('')
          .trimEnd()}…`
      : graphemes.join('');
  return (
    escapeMarkdown(short, { heading: true, bulletedList: true, numberedList: true, maskedLink: true })
      // `<@1>`, `<#1>` and `<:name:1>` stay what was typed; so do @everyone and @here.
      .replaceAll('<', '\\<')
      .replaceAll('@', '@\u200b')
  );
}
