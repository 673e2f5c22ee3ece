import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { wavFile } from '../../sound/wav.ts';
import type { Person } from '../people/person.ts';
import type { SentInteraction } from '../people/sent-interaction.ts';
import type { VisibleMessage } from '../people/views.ts';
import type { VisibleModal } from '../people/visible-components.ts';
import type { Heard, Listener, TimeSpan } from '../voice/types.ts';
import type { BotLogLine, BotProcess } from './bot/bot-process.ts';
import type { Demo } from './demo.ts';
import type { RecordTo } from './run-files.ts';

type HeardReport = ReturnType<typeof reportHeard>;

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

export function describeHeard(report: HeardReport, { name, voiceChannel }: Person): string[] {
  const start = `  ♪ ${name}, listening in ${voiceChannel ?? 'no channel'}, heard`;
  if (report.file === null) return [`${start} nothing.`];
  const encryption = report.endToEndEncrypted ? 'end-to-end encrypted' : 'NOT end-to-end encrypted';
  const lost = report.undecryptableFrames;
  const undecrypted = lost === 0 ? '' : ` (${lost} ${lost === 1 ? 'frame' : 'frames'} could not be decrypted)`;
  return [
    `${start} ${report.seconds.toFixed(1)} s of speech in ${report.packets} packets, ${encryption}${undecrypted}, the first ${report.firstAudioMs} ms after the command.`,
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

/**
 * Describes a message as the channel shows it: author, visibility, words, files and buttons, with times in `language`,
 * and the place if given.
 */
export function describeMessage(message: VisibleMessage, language: string, place?: string): string {
  const lines = linesOf(message, language);
  const note = message.ephemeral ? ' (only you can see this)' : '';
  const where = place === undefined ? '' : ` in ${place}`;
  return `  ${message.author}${where}${note}\n    ${indent((lines.length > 0 ? lines : ['(no text)']).join('\n'), '    ')}`;
}

/** A modal as it opens: its fields with their preset values, and how to fill them in. */
function describeModal(modal: VisibleModal, language: string): string {
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

export interface LineOutcome {
  readonly ok: boolean;
  readonly shown: readonly string[];
  readonly replies: readonly string[];
  readonly heard?: HeardReport;
  readonly credits?: { readonly used: number; readonly remaining: number };
  readonly requestId?: string;
  readonly modal?: VisibleModal;
}

/** A synthesis may take minutes by the interface; the bot gives up before this and says so. */
const REPLY_TIMEOUT_MS = 150_000;
/** From the bot's log saying how it ended to the words that people see of it. */
const ANSWERED_TIMEOUT_MS = 1_500;
/** A datagram is sent before the bot is done with its text, and may be read a moment later. */
const LATE_PACKET_MS = 40;
const HEARD_RATE_HZ = 48_000;
const QUIET_MS = 300;
/** The last packets have been sent when the bot reports the end; the next speech may follow at once. */
const LAST_PACKETS_MS = 1_000;
const NOTHING_HEARD: HeardReport = {
  seconds: 0,
  packets: 0,
  firstAudioMs: null,
  endToEndEncrypted: false,
  undecryptableFrames: 0,
  file: null,
};

export const refuse = (text: string): LineOutcome => ({ ok: false, shown: [text], replies: [] });
export const tell = (text: string): LineOutcome => ({ ok: true, shown: [text], replies: [] });
export const shownMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));

interface Followed {
  readonly person: Person;
  /** It is a failure when nothing is heard. */
  readonly isSpeech: boolean;
  readonly send: () => Promise<SentInteraction>;
}

/** Follows an act until the bot has answered and its speech for that act was heard. */
export async function follow(
  { bot }: Demo,
  recordTo: RecordTo,
  { person, isSpeech, send }: Followed,
): Promise<LineOutcome> {
  const listener = person.voiceChannel === undefined ? undefined : person.listener;
  const sent = await send();
  const answer = await firstAnswer(bot, sent);
  if (!answer) return (await ending(bot, sent.id)) ? tell('  (nothing changed)') : refuse('The bot did not answer.');
  if ('modal' in answer)
    return { ok: true, shown: [describeModal(answer.modal, person.language)], replies: [], modal: answer.modal };
  // The first reply may show progress: the bot's log has the end, and the final edit follows.
  const end = answer.reply.failed ? undefined : await ending(bot, sent.id);
  if (end) await answered(bot, sent.id);
  const span = end && spanOf(sent.sentAtMs, end);
  const heard = listener && span ? await record(listener, span, sent.sentAtMs, recordTo) : NOTHING_HEARD;
  const visible = sent.replies.filter((message) => !message.deleted && !message.thinking);
  const isMissing = isSpeech && heard.file === null && visible.every(({ files }) => files.length === 0);
  const shown = (answer.reply.failed ? [answer.reply] : visible).map((message) =>
    describeMessage(message, person.language),
  );
  const isRefusal = (visible.at(-1) ?? answer.reply).ephemeral;
  if (heard.file !== null || (isMissing && !isRefusal)) shown.push(...describeHeard(heard, person));
  const { outcome, requestId, creditsUsed: used, creditsRemaining: remaining } = end ?? {};
  return {
    ok: !answer.reply.failed && !isMissing && (outcome === undefined || outcome === 'done'),
    shown,
    replies: visible.map((message) => message.text),
    heard: isSpeech ? heard : undefined,
    credits: typeof used === 'number' && typeof remaining === 'number' ? { used, remaining } : undefined,
    requestId: typeof requestId === 'string' ? requestId : undefined,
  };
}

/** A control without effect gets no visible answer: the bot's log has its end. */
function firstAnswer(bot: BotProcess, sent: SentInteraction) {
  const answer = (timeoutMs: number) => sent.answer({ timeoutMs }).catch(() => undefined);
  const lastChance = ending(bot, sent.id).then(() => answer(ANSWERED_TIMEOUT_MS));
  return Promise.race([answer(REPLY_TIMEOUT_MS), lastChance]);
}

async function ending(bot: BotProcess, interactionId: string): Promise<BotLogLine | undefined> {
  const isEnd = (line: BotLogLine) => line.interactionId === interactionId && typeof line.outcome === 'string';
  // A bot that ended is noticed elsewhere; a command that does not end is shown as far as it came.
  return bot.logged(isEnd, REPLY_TIMEOUT_MS).catch(() => undefined);
}

/**
 * The end is logged before the final edit is sent, and a progress edit may still arrive after that: only the bot knows
 * which edit is the last. It logs that at the level debug.
 */
async function answered(bot: BotProcess, id: string): Promise<void> {
  const isAnswered = ({ interactionId, msg }: BotLogLine) =>
    interactionId === id && msg === 'Sent the reply to an interaction';
  await bot.logged(isAnswered, ANSWERED_TIMEOUT_MS).catch(() => undefined);
}

/** The time span of its speech; undefined without one. Between two texts there is a tenth of a second of silence. */
function spanOf(sentAtMs: number, { spoken, firstAudioMs, takenAtMs = 0 }: BotLogLine): TimeSpan | undefined {
  if (typeof spoken !== 'string') return undefined;
  const waitedMs = typeof firstAudioMs === 'number' ? firstAudioMs : 0;
  return { fromMs: sentAtMs + waitedMs, toMs: takenAtMs + LATE_PACKET_MS };
}

async function record(listener: Listener, span: TimeSpan, sentAtMs: number, recordTo: RecordTo): Promise<HeardReport> {
  // If another text follows at once, or none is heard, this ends at its deadline; both are normal.
  await listener.utterance({ quietMs: QUIET_MS, timeoutMs: LAST_PACKETS_MS }).catch(() => undefined);
  const heard = listener.heard(span);
  if (heard.firstAudibleAtMs === undefined) return reportHeard(heard, sentAtMs, null);
  const file = recordTo();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, wavFile(heard.pcm, HEARD_RATE_HZ));
  return reportHeard(heard, sentAtMs, file);
}
