import { escapeMarkdown } from 'discord.js';
import type { VoiceChoice } from '../../services/servers/server-settings.ts';
import { soundLabel } from '../../services/voices/voice-sound.ts';
import { type Text, text } from '../../texts/catalog.ts';

/** The maximum length of a quotation in graphemes: enough for members to recognize their own text. */
const QUOTED_GRAPHEMES = 160;
/** A single grapheme may be dozens of UTF-16 units long, and the reply's other texts must still fit. */
const UNITS_PER_GRAPHEME = 2;

const segmenter = new Intl.Segmenter();

/** A member's text for use in a reply: on one line, shortened, without effect as Markdown, and without mentions. */
export function quote(words: string, limit: number = QUOTED_GRAPHEMES): string {
  const line = words.replaceAll(/\s+/g, ' ').trim();
  const short = shortened(line, limit);
  return (
    escapeMarkdown(short, { heading: true, bulletedList: true, numberedList: true, maskedLink: true })
      // In quotations, `<@1>`, `<#1>` and `<:name:1>` stay plain text, and so do @everyone and @here.
      .replaceAll('<', '\\<')
      .replaceAll('@', '@\u200b')
  );
}

/** The maximum of quoted lines, because the rest of the reply needs room too. */
const QUOTED_LINES = 10;

/** The Markdown `mark` starts each quoted line but the first, which the reply's own text marks. */
export function quoteLines(words: string, mark = ''): string {
  const lines = words.split('\n').filter((line) => line.trim() !== '');
  const shown: string[] = [];
  let left = QUOTED_GRAPHEMES;
  for (const line of lines.slice(0, QUOTED_LINES)) {
    if (left <= 0) break;
    // At the start of a quoted line, `-#` and `>` are escaped: Discord would show small print or a quotation.
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

/** The fields of a voice, or of a stored choice of a voice, that replies show. */
export type Labeled = Omit<VoiceChoice, 'voiceId'>;

export const voiceWithModel = ({ name, model }: Labeled, quoted = quote): Text =>
  text('voice.label', { name: quoted(name, 80), model: quoted(model, 40) });

/** The model follows if an earlier voice in the catalog has the same name, or if the voice's sound is unknown. */
export const voiceName = (voice: Labeled, quoted = quote): Text | string =>
  soundLabel(voice) === undefined || voice.isVariant ? voiceWithModel(voice, quoted) : quoted(voice.name, 80);

export function voiceLabel(voice: Labeled, quoted = quote): Text {
  const sound = soundLabel(voice, (words) => quoted(words, 40));
  if (sound === undefined) return voiceWithModel(voice, quoted);
  return text('voice.label-with-sound', { voice: voiceName(voice, quoted), sound });
}

/** Returns a duration in milliseconds as a clock shows it: '0:07', '12:30', '1:05:00'. */
export function clockTime(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const tail = `${minutes.toString().padStart(hours > 0 ? 2 : 1, '0')}:${rest.toString().padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${tail}` : tail;
}
