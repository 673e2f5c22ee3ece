import type { Person } from '../people/person.ts';
import type { VisibleMessage } from '../people/views.ts';
import type { VisibleModal } from '../people/visible-components.ts';
import type { Heard } from '../voice/types.ts';

export type HeardReport = ReturnType<typeof reportHeard>;

/** `file` is the WAV file, null when nothing was heard. */
export function reportHeard(heard: Heard, sentAtMs: number, file: string | null) {
  return {
    /** Seconds of speech, silence at either end left out. */
    seconds: Math.round(heard.seconds * 1000) / 1000,
    packets: heard.packets.filter((packet) => packet.audible).length,
    /** From the interaction being sent to the first audible packet; null when nothing was heard. */
    firstAudioMs: heard.firstAudibleAtMs === undefined ? null : Math.round(heard.firstAudibleAtMs - sentAtMs),
    /** Nothing audible came in the clear. */
    endToEndEncrypted: heard.firstAudibleAtMs !== undefined && !heard.isInTheClear,
    /** Such as one that was sent just before a member's coming or going changed the keys. */
    undecryptableFrames: heard.undecryptableFrames,
    file,
  };
}

/** A listener's report, with the file of the recording. */
export function describeHeard(report: HeardReport, { name, voiceChannel }: Person, cause: string): string[] {
  const start = `  ♪ ${name}, listening in ${voiceChannel ?? 'no channel'}, heard`;
  if (report.file === null) return [`${start} nothing.`];
  const encryption = report.endToEndEncrypted ? 'end-to-end encrypted' : 'NOT end-to-end encrypted';
  const lost = report.undecryptableFrames;
  const undecrypted = lost === 0 ? '' : ` (${lost} ${lost === 1 ? 'frame' : 'frames'} could not be decrypted)`;
  return [
    `${start} ${report.seconds.toFixed(1)} s of speech in ${report.packets} packets, ${encryption}${undecrypted}, the first ${report.firstAudioMs} ms after the ${cause}.`,
    `    recorded in ${report.file}`,
  ];
}

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

const RELATIVE_STEPS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** `<t:SECONDS:R>` as `in 3 hours`, other styles as date and time: https://discord.com/developers/docs/reference#message-formatting */
function timestamp(seconds: number, style: string | undefined, language: string): string {
  const languages = [language, 'en'];
  if (style !== 'R')
    return new Date(seconds * 1000).toLocaleString(languages, { dateStyle: 'medium', timeStyle: 'short' });
  const away = seconds - Date.now() / 1000;
  const [unit, size] = RELATIVE_STEPS.find(([, step]) => Math.abs(away) >= step) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(languages, { numeric: 'auto' }).format(Math.round(away / size), unit);
}

/** Code as it stands, a sign with the backslash that escapes it, or the mark of bold text. */
const CODE_OR_MARK = /(`+)[^`](?:[\s\S]*?[^`])?\1(?!`)|\\([!-/:-@[-`{-~])|\*\*/g;

/** Discord's markup for small and bold text and its escapes, which a terminal has no use for; times in words. */
function plain(text: string, language: string): string {
  return text
    .replaceAll(/^-# /gm, '')
    .replaceAll(CODE_OR_MARK, (found, code?: string, escaped?: string) => (code ? found : (escaped ?? '')))
    .replaceAll(/<t:(-?\d+)(?::(\w))?>/g, (_mark, seconds: string, style?: string) =>
      timestamp(Number(seconds), style, language),
    );
}

/** Words and controls in their order; files with their size. */
function linesOf(message: VisibleMessage, language: string): string[] {
  const isFile = (line: string) => line.startsWith('[file: ') || line.startsWith('[voice message');
  const lines = message.lines.filter((line) => !isFile(line)).map((line) => plain(line, language));
  const files = message.files.map(({ name, size, durationSeconds = 0 }) =>
    message.voiceMessage
      ? `[voice message: ${durationSeconds.toFixed(1)} s, ${size} bytes]`
      : `[file: ${name}, ${size} bytes]`,
  );
  return [...lines, ...files];
}

/** A message as the channel shows it: author, visibility, words, files and buttons; times in `language`. With the place, where it is told. */
export function describeMessage(message: VisibleMessage, language: string, place?: string): string {
  const lines = linesOf(message, language);
  const note = message.ephemeral ? ' (only you can see this)' : '';
  const where = place === undefined ? '' : ` in ${place}`;
  return `  ${message.author}${where}${note}\n    ${indent((lines.length > 0 ? lines : ['(no text)']).join('\n'), '    ')}`;
}

/** A modal as it opens: its fields with their preset values, and how to fill them in. */
export function describeModal(modal: VisibleModal, language: string): string {
  const fields = modal.fields.map(({ label, description, options, required, value }) => {
    const notes = [
      description,
      options.length > 0 && `one of: ${options.join(', ')}`,
      value !== '' && `now: ${value}`,
      !required && 'optional',
    ].filter((note) => note);
    return `${label}=…${notes.length > 0 ? `   (${notes.join('; ')})` : ''}`;
  });
  const lines = [`[form: ${modal.title}]`, ...(modal.text === '' ? [] : [plain(modal.text, language)]), ...fields];
  const [first, second, ...others] = modal.fields.map(({ label }) => `${label}=TEXT`);
  const several = [first, second, others.length > 0 ? '…' : undefined].filter((part) => part !== undefined).join(' ');
  // The words of the only field go to it without its label, which may be long.
  const filled = second === undefined && first !== undefined ? 'TEXT' : several;
  return `  ${indent([...lines, `Fill it in with: fill ${filled}`].join('\n'), '  ')}`;
}
