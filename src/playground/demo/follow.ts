import type { Person, SentInteraction, VisibleModal } from '../interface/world-types.ts';
import type { Listener, TimeSpan } from '../voice/protocol/types.ts';
import type { BotLogLine, BotProcess } from './bot/bot-process.ts';
import type { Demo } from './demo.ts';
import { actsFollowedAt, listening, type RecordTo, record } from './recording.ts';
import { describeHeard, describeMessage, describeModal, type HeardReport } from './show.ts';

export interface LineOutcome {
  readonly ok: boolean;
  /** The lines of the person's screen, with the heard audio. */
  readonly shown: readonly string[];
  /** The bot's answers in order, as text. */
  readonly replies: readonly string[];
  readonly heard?: HeardReport;
  readonly credits?: { readonly used: number; readonly remaining: number };
  readonly requestId?: string;
  /** The form that opened. */
  readonly modal?: VisibleModal;
}

/** A synthesis may take minutes by the interface; the bot gives up before this and says so. */
const REPLY_TIMEOUT_MS = 150_000;
/** From the start of a bot to its look at what the one before left. */
const COMEBACK_TIMEOUT_MS = 20_000;
/** Controls do quick things; long ones say at once that they have begun. */
const CONTROL_TIMEOUT_MS = 10_000;
/** From the bot's log saying how it ended to the words that people see of it. */
const ANSWERED_TIMEOUT_MS = 1_500;
/** A datagram is sent before the bot is done with its text, and may be read a moment later. */
const LATE_PACKET_MS = 40;
/** From an act to the first sound of the bot's own words about it: most are neither read out nor announced. */
const OVERHEARD_AFTER_MS = { message: 3_000, arrival: 4_000, departure: 6_000 } as const;
/** Within a text there is a packet every 20 ms; after its end a line is followed for longer than this. */
const PAUSE_MS = 200;
const WAITS_BEHIND = '  (If it is read out, it waits behind what is being spoken now: that sound is not shown here.)';
const NOTHING_HEARD: HeardReport = {
  ...{ seconds: 0, packets: 0, firstAudioMs: null, endToEndEncrypted: false, undecryptableFrames: 0 },
  file: null,
};

export const refuse = (text: string): LineOutcome => ({ ok: false, shown: [text], replies: [] });
export const tell = (text: string): LineOutcome => ({ ok: true, shown: [text], replies: [] });
export const shownMessage = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** How an interaction ended by the bot's log, and when (`performance.now()`). */
interface Conclusion {
  readonly atMs: number;
  readonly line: BotLogLine;
}

interface Followed {
  readonly person: Person;
  readonly kind: 'command' | 'control';
  /** Whether it is a failure when nothing is heard. */
  readonly sound: 'expected' | 'possible';
  readonly send: () => Promise<SentInteraction>;
}

/** Follows an act until the bot has answered and its speech for that act was heard. */
export function follow(demo: Demo, recordTo: RecordTo, act: Followed): Promise<LineOutcome> {
  if (act.person.voiceChannel === undefined) return followed(demo, recordTo, act, undefined);
  const { listener } = act.person;
  return listening(listener, () => followed(demo, recordTo, act, listener));
}

async function followed(
  demo: Demo,
  recordTo: RecordTo,
  { person, kind, sound, send }: Followed,
  listener: Listener | undefined,
): Promise<LineOutcome> {
  let sent: SentInteraction;
  try {
    sent = await send();
  } catch (error) {
    return refuse(shownMessage(error));
  }
  const answer = kind === 'control' ? await answerToControl(demo, sent) : await answerTo(sent, REPLY_TIMEOUT_MS);
  if (!answer) return kind === 'control' ? tell('  (nothing changed)') : refuse('The bot did not answer.');
  if ('modal' in answer)
    return { ok: true, shown: [describeModal(answer.modal, person.language)], replies: [], modal: answer.modal };
  // The first reply may show progress: the bot's log has the end, and the final edit follows.
  const { bot } = demo;
  const first = answer.reply.failed ? undefined : await concluded(bot, sent.id);
  if (first) await untilAnswered(bot, sent);
  // A text that the end of the bot cut off is spoken by the next one.
  const next = !answer.reply.failed && isCutOff(first) ? await demo.successorOf(bot) : undefined;
  const comeback = next && (await cameBack(next, sent));
  const conclusion = comeback?.conclusion ?? first;
  const span = conclusion && spanOf(comeback?.fromMs ?? sent.sentAtMs, conclusion);
  const expected = sound === 'expected';
  const heard = listener && span ? await record(listener, span, { sentAtMs: sent.sentAtMs, recordTo }) : NOTHING_HEARD;
  const visible = sent.replies.filter((message) => !message.deleted && !message.thinking);
  const soundMissing = expected && heard.file === null && visible.every(({ files }) => files.length === 0);
  const shown = (answer.reply.failed ? [answer.reply] : visible).map((message) =>
    describeMessage(message, person.language),
  );
  const isRefusal = (visible.at(-1) ?? answer.reply).ephemeral;
  if (heard.file !== null || (soundMissing && !isRefusal)) shown.push(...describeRecording(heard, person, 'command'));
  const { outcome, requestId, creditsUsed: used, creditsRemaining: remaining } = conclusion?.line ?? {};
  return {
    ok: !answer.reply.failed && !soundMissing && (outcome === undefined || outcome === 'done'),
    shown,
    replies: visible.map((message) => message.text),
    ...(expected ? { heard } : {}),
    ...(typeof used === 'number' && typeof remaining === 'number' ? { credits: { used, remaining } } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
  };
}

/** Something that the bot may speak about by itself, and the members who would hear it: the first one listens. */
export interface Overheard {
  readonly cause: 'message' | 'arrival' | 'departure';
  readonly hearers: readonly Person[];
}

export interface Acted {
  readonly shown: string;
  /** Of a message that was written. */
  readonly messageId?: string;
}

/** Shows an act and, where the bot reads it out or announces it, the heard audio. */
export async function overhear(
  demo: Demo,
  recordTo: RecordTo,
  { cause, hearers }: Overheard,
  act: () => Acted,
): Promise<LineOutcome> {
  const [hearer] = hearers;
  if (hearer?.voiceChannel === undefined || (cause === 'message' && !demo.readsMessages)) return tell(act().shown);
  const { listener } = hearer;
  // The audio does not name its cause: while that of another may be heard, none is attributed to this one.
  const begunAtMs = performance.now();
  const isSpeaking = listener.heard({ fromMs: begunAtMs - PAUSE_MS, toMs: begunAtMs }).firstAudibleAtMs !== undefined;
  const isShared = () => isSpeaking || actsFollowedAt(hearers.map((one) => one.listener)) > 1;
  return listening(listener, async () => {
    const sentAtMs = performance.now();
    const { shown, messageId } = act();
    const done = tell(shown);
    const behind = { ...done, shown: [...done.shown, ...(cause === 'message' ? [WAITS_BEHIND] : [])] };
    if (isShared()) return behind;
    const isHeard = await listener.audible(1, { timeoutMs: OVERHEARD_AFTER_MS[cause] }).then(
      () => true,
      () => false,
    );
    if (!isHeard) return done;
    if (isShared()) return behind;
    await listener.utterance({ timeoutMs: REPLY_TIMEOUT_MS }).catch(() => undefined);
    const span = { fromMs: sentAtMs, toMs: performance.now() };
    const fate = messageId === undefined ? 'read' : await fateOf(messageId, demo.bot, sentAtMs);
    if (fate !== 'read') return fate === 'not-read' ? done : behind;
    const heard = await record(listener, span, { sentAtMs, recordTo });
    return { ...done, shown: [...done.shown, ...describeRecording(heard, hearer, cause)] };
  });
}

const READ = 'Read a message';

/** What the bot says of a message: read, or not; undefined while it has not ended, or where another's was read meanwhile. */
async function fateOf(messageId: string, bot: BotProcess, sinceMs: number): Promise<'read' | 'not-read' | undefined> {
  const ended = await bot.logged((line) => line.messageId === messageId, ANSWERED_TIMEOUT_MS).catch(() => undefined);
  if (ended?.msg !== READ) return ended && 'not-read';
  const isOther = (line: BotLogLine) => line.msg === READ && line !== ended && loggedAtMs(line) > sinceMs;
  return bot.log.some(isOther) ? undefined : 'read';
}

const answerTo = (sent: SentInteraction, timeoutMs: number) => sent.answer({ timeoutMs }).catch(() => undefined);

/** A control without effect gets no visible answer: the bot's log has its end. */
function answerToControl(demo: Demo, sent: SentInteraction) {
  const lastChance = concluded(demo.bot, sent.id, CONTROL_TIMEOUT_MS).then((conclusion) =>
    answerTo(sent, conclusion ? ANSWERED_TIMEOUT_MS : CONTROL_TIMEOUT_MS),
  );
  return Promise.race([answerTo(sent, CONTROL_TIMEOUT_MS), lastChance]);
}

async function concluded(
  bot: BotProcess,
  interactionId: string,
  timeoutMs = REPLY_TIMEOUT_MS,
): Promise<Conclusion | undefined> {
  const isEnd = (line: BotLogLine) => line.interactionId === interactionId && typeof line.outcome === 'string';
  // A bot that ended is noticed elsewhere; a command that does not end is shown as far as it came.
  const line = await bot.logged(isEnd, timeoutMs).catch(() => undefined);
  return line && isEnd(line) ? { line, atMs: loggedAtMs(line) } : undefined;
}

/** By this process's clock (`performance.now()`). */
function loggedAtMs({ time }: BotLogLine): number {
  const agoMs = Date.now() - Date.parse(String(time));
  return performance.now() - (Number.isNaN(agoMs) ? 0 : agoMs);
}

/** Whether the bot's end came before that of the text. */
const isCutOff = (first: Conclusion | undefined) => !first || first.line.spoken === 'after the next start';

/** What the next bot makes of a text that was accepted before its start; undefined where it says nothing of it. */
async function cameBack(
  bot: BotProcess,
  sent: SentInteraction,
): Promise<{ readonly fromMs: number; readonly conclusion: Conclusion | undefined } | undefined> {
  const isDecision = (line: BotLogLine) => line.interactionId === sent.id && typeof line.decision === 'string';
  const decision = await bot.logged(isDecision, COMEBACK_TIMEOUT_MS).catch(() => undefined);
  if (!decision) return undefined;
  const conclusion = await concluded(bot, sent.id);
  if (conclusion) await untilAnswered(bot, sent);
  return { fromMs: loggedAtMs(decision), conclusion };
}

/**
 * The end is logged before the final edit is sent, and a progress edit may still arrive after that: only the bot knows
 * which edit is the last. It logs that at the level debug.
 */
async function untilAnswered(bot: BotProcess, { id }: SentInteraction): Promise<void> {
  const isAnswered = ({ interactionId, msg }: BotLogLine) => interactionId === id && msg === 'Answered';
  await bot.logged(isAnswered, ANSWERED_TIMEOUT_MS).catch(() => undefined);
}

/** The time span of its speech; undefined without one. Between two texts there is a tenth of a second of silence. */
function spanOf(acceptedAtMs: number, { atMs, line }: Conclusion): TimeSpan | undefined {
  if (typeof line.spoken !== 'string') return undefined;
  const waitedMs = typeof line.firstAudioMs === 'number' ? line.firstAudioMs : 0;
  return { fromMs: acceptedAtMs + waitedMs, toMs: atMs + LATE_PACKET_MS };
}

function describeRecording(
  heard: HeardReport,
  { name, voiceChannel }: Person,
  cause: 'command' | Overheard['cause'],
): string[] {
  const line = `  ♪ ${describeHeard(heard, { listener: name, channel: voiceChannel ?? 'no channel', cause })}`;
  return heard.file === null ? [line] : [line, `    recorded in ${heard.file}`];
}
