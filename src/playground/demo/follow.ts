import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { wavFile } from '../../sound/wav.ts';
import type { Heard } from '../voice/listening/hearing.ts';
import type { Listener } from '../voice/listening/listener.ts';
import type { TimeSpan } from '../voice/protocol.ts';
import type { Person, SentInteraction, VisibleMessage } from '../world/world.ts';
import type { BotLogLine, BotProcess } from './bot/bot-process.ts';
import type { Demo } from './demo.ts';
import type { RecordTo } from './run-files.ts';

type HeardReport = ReturnType<typeof reportHeard>;

/** `file` is the path of the recorded WAV file; null if nothing was heard. */
export function reportHeard(heard: Heard, sentAtMs: number, file: string | null) {
  return {
    seconds: Math.round(heard.seconds * 1000) / 1000,
    packets: heard.packets.filter((packet) => packet.audible).length,
    /** Time from sending the interaction to the first audible packet; null if nothing was heard. */
    firstAudioMs: heard.firstAudibleAtMs === undefined ? null : Math.round(heard.firstAudibleAtMs - sentAtMs),
    endToEndEncrypted: heard.firstAudibleAtMs !== undefined && !heard.isInTheClear,
    /** A few undecryptable frames are normal when a member joins or leaves, because the keys change then. */
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

/** Writes a timestamp of a Discord message in words: https://discord.com/developers/docs/reference#message-formatting */
function timestamp(seconds: number, style: string | undefined, language: string): string {
  const languages = [language, 'en'];
  if (style !== 'R')
    return new Date(seconds * 1000).toLocaleString(languages, { dateStyle: 'medium', timeStyle: 'short' });
  const away = seconds - Date.now() / 1000;
  const [unit, size] = RELATIVE_STEPS.find(([, step]) => Math.abs(away) >= step) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(languages, { numeric: 'auto' }).format(Math.round(away / size), unit);
}

const CODE_OR_MARK = /(`+)[^`](?:[\s\S]*?[^`])?\1(?!`)|\\([!-/:-@[-`{-~])|\*\*/g;

/** Removes Discord's marks of small and bold text, and writes timestamps in words. */
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

/** Formats a Discord message for the terminal, with times in words of `language`. `place`, if set, names the channel. */
export function describeMessage(message: VisibleMessage, language: string, place?: string): string {
  const lines = linesOf(message, language);
  const note = message.ephemeral ? ' (only you can see this)' : '';
  const where = place === undefined ? '' : ` in ${place}`;
  return `  ${message.author}${where}${note}\n    ${indent((lines.length > 0 ? lines : ['(no text)']).join('\n'), '    ')}`;
}

interface AnswerReport {
  readonly replies: readonly string[];
  readonly heard: HeardReport | null;
  /** Credits that the command used, and credits that remain; undefined if speech is free. */
  readonly credits: { readonly used: number; readonly remaining: number } | undefined;
  readonly requestId: string | null;
}

export interface LineOutcome {
  readonly ok: boolean;
  readonly shown: readonly string[];
  /** The report that `--json` prints; undefined if the bot sent no reply, or opened a form. */
  readonly report?: AnswerReport;
}

/** The limit for a command's reply and outcome. Speaking may take minutes, but the bot reports a failure before the limit. */
const REPLY_TIMEOUT_MS = 150_000;
/** How long the visible reply may take after the bot has logged a command's outcome. */
const ANSWERED_TIMEOUT_MS = 1_500;
/** How late the last voice packets of a text may arrive after the bot has logged the end of the text. */
const LATE_PACKET_MS = 40;
const HEARD_RATE_HZ = 48_000;
const QUIET_MS = 300;
/** The wait for QUIET_MS of silence after a text has a limit, because the next text may begin sooner. */
const LAST_PACKETS_MS = 1_000;
const NOTHING_HEARD: HeardReport = {
  seconds: 0,
  packets: 0,
  firstAudioMs: null,
  endToEndEncrypted: false,
  undecryptableFrames: 0,
  file: null,
};

export const refuse = (text: string): LineOutcome => ({ ok: false, shown: [text] });
export const tell = (text: string): LineOutcome => ({ ok: true, shown: [text] });

interface Followed {
  readonly person: Person;
  /** True for commands that speak: hearing nothing then counts as a failure. */
  readonly isSpeech: boolean;
  readonly send: () => Promise<SentInteraction>;
}

export async function follow(
  { bot }: Demo,
  recordTo: RecordTo,
  { person, isSpeech, send }: Followed,
): Promise<LineOutcome> {
  const listener = person.voiceChannel === undefined ? undefined : person.listener;
  const sent = await send();
  const answer = await firstAnswer(bot, sent);
  if (!answer) return (await ending(bot, sent.id)) ? tell('  (nothing changed)') : refuse('The bot did not answer.');
  if ('modal' in answer) return tell(`  [form: ${answer.modal.title}] Forms are filled in on the page.`);
  // The bot's first reply may show only progress: the bot's log tells when the command is over.
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
  const { outcome, requestId, creditsUsed: used, creditsRemaining: remaining }: Partial<BotLogLine> = end ?? {};
  return {
    ok: !answer.reply.failed && !isMissing && (outcome === undefined || outcome === 'done'),
    shown,
    report: {
      replies: visible.map((message) => message.text),
      heard: isSpeech ? heard : null,
      credits: typeof used === 'number' && typeof remaining === 'number' ? { used, remaining } : undefined,
      requestId: typeof requestId === 'string' ? requestId : null,
    },
  };
}

/** A button press without effect gets no visible answer: only the bot's log tells that the press was handled. */
function firstAnswer(bot: BotProcess, sent: SentInteraction) {
  const answer = (timeoutMs: number) => sent.answer({ timeoutMs }).catch(() => undefined);
  const lastChance = ending(bot, sent.id).then(() => answer(ANSWERED_TIMEOUT_MS));
  return Promise.race([answer(REPLY_TIMEOUT_MS), lastChance]);
}

async function ending(bot: BotProcess, interactionId: string): Promise<BotLogLine | undefined> {
  const isEnd = (line: BotLogLine) => line.interactionId === interactionId && typeof line.outcome === 'string';
  // If the bot ends or takes too long, its log never tells the outcome: the playground then shows the reply so far.
  return bot.logged(isEnd, REPLY_TIMEOUT_MS).catch(() => undefined);
}

/** Only the bot knows which edit of a reply is the last, and logs that edit at the level debug. */
async function answered(bot: BotProcess, id: string): Promise<void> {
  const isAnswered = ({ interactionId, msg }: BotLogLine) =>
    interactionId === id && msg === 'Finished answering an interaction';
  await bot.logged(isAnswered, ANSWERED_TIMEOUT_MS).catch(() => undefined);
}

/** The time span of a text's audio and its late packets. It excludes the next text, which follows after at least 0.1 s of silence. */
function spanOf(sentAtMs: number, { spoken, firstAudioMs, takenAtMs }: BotLogLine): TimeSpan | undefined {
  if (typeof spoken !== 'string') return undefined;
  const waitedMs = typeof firstAudioMs === 'number' ? firstAudioMs : 0;
  return { fromMs: sentAtMs + waitedMs, toMs: takenAtMs + LATE_PACKET_MS };
}

async function record(listener: Listener, span: TimeSpan, sentAtMs: number, recordTo: RecordTo): Promise<HeardReport> {
  // The wait for QUIET_MS of silence fails if the next text begins sooner or nothing is heard. Both are normal.
  await listener.utterance({ quietMs: QUIET_MS, timeoutMs: LAST_PACKETS_MS }).catch(() => undefined);
  const heard = listener.heard(span);
  if (heard.firstAudibleAtMs === undefined) return reportHeard(heard, sentAtMs, null);
  const file = recordTo();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, wavFile(heard.pcm, HEARD_RATE_HZ));
  return reportHeard(heard, sentAtMs, file);
}
