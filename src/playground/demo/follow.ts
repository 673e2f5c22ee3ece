import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { wavFile } from '../../sound/wav.ts';
import type { Person } from '../people/person.ts';
import type { SentInteraction } from '../people/sent-interaction.ts';
import type { VisibleModal } from '../people/visible-components.ts';
import type { Listener, TimeSpan } from '../voice/types.ts';
import type { BotLogLine, BotProcess } from './bot/bot-process.ts';
import type { Demo } from './demo.ts';
import type { RecordTo } from './run-files.ts';
import { describeHeard, describeMessage, describeModal, type HeardReport, reportHeard } from './show.ts';

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
/** From the bot's log saying how it ended to the words that people see of it. */
const ANSWERED_TIMEOUT_MS = 1_500;
/** A datagram is sent before the bot is done with its text, and may be read a moment later. */
const LATE_PACKET_MS = 40;
/** From an act to the first audio of the bot's own words about it: most are neither read out nor announced. */
const OVERHEARD_AFTER_MS = { message: 3_000, arrival: 4_000, departure: 6_000 } as const;
/** Within a text there is a packet every 20 ms. */
const PAUSE_MS = 200;
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

/** How many acts are followed at each listener at the moment. */
const followedAt = new WeakMap<Listener, number>();

/** Keeps the heard audio for as long as `act` lasts; earlier audio is cleared unless another act needs it. */
async function listening<T>(listener: Listener, act: () => Promise<T>): Promise<T> {
  const others = followedAt.get(listener) ?? 0;
  if (others === 0) listener.clear();
  followedAt.set(listener, others + 1);
  try {
    return await act();
  } finally {
    followedAt.set(listener, (followedAt.get(listener) ?? 1) - 1);
  }
}

interface Followed {
  readonly person: Person;
  /** It is a failure when nothing is heard. */
  readonly isSpeech: boolean;
  readonly send: () => Promise<SentInteraction>;
}

/** Follows an act until the bot has answered and its speech for that act was heard. */
export function follow(demo: Demo, recordTo: RecordTo, act: Followed): Promise<LineOutcome> {
  if (act.person.voiceChannel === undefined) return followed(demo, recordTo, act, undefined);
  const { listener } = act.person;
  return listening(listener, () => followed(demo, recordTo, act, listener));
}

async function followed(
  { bot }: Demo,
  recordTo: RecordTo,
  { person, isSpeech, send }: Followed,
  listener: Listener | undefined,
): Promise<LineOutcome> {
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
  if (heard.file !== null || (isMissing && !isRefusal)) shown.push(...describeHeard(heard, person, 'command'));
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

/** Shows an act about which the bot may speak by itself, and what `hearer`, who is with the bot, hears of that. */
export async function overhear(
  { readsMessages }: Demo,
  recordTo: RecordTo,
  { cause, hearer }: { readonly cause: keyof typeof OVERHEARD_AFTER_MS; readonly hearer: Person | undefined },
  act: () => string,
): Promise<LineOutcome> {
  if (hearer?.voiceChannel === undefined || (cause === 'message' && !readsMessages)) return tell(act());
  const { listener } = hearer;
  // The audio does not name its cause: while that of another act may be heard, none is attributed to this one.
  const nowMs = performance.now();
  const isSpeaking = listener.heard({ fromMs: nowMs - PAUSE_MS, toMs: nowMs }).firstAudibleAtMs !== undefined;
  if (isSpeaking || (followedAt.get(listener) ?? 0) > 0) return tell(act());
  return listening(listener, async () => {
    const sentAtMs = performance.now();
    const done = tell(act());
    const isHeard = await listener.audible(1, { timeoutMs: OVERHEARD_AFTER_MS[cause] }).then(
      () => true,
      () => false,
    );
    if (!isHeard) return done;
    await listener.utterance({ timeoutMs: REPLY_TIMEOUT_MS }).catch(() => undefined);
    const heard = await record(listener, { fromMs: sentAtMs, toMs: performance.now() }, sentAtMs, recordTo);
    return { ...done, shown: [...done.shown, ...describeHeard(heard, hearer, cause)] };
  });
}

/** A control without effect gets no visible answer: the bot's log has its end. */
function firstAnswer(bot: BotProcess, sent: SentInteraction) {
  const answer = (timeoutMs: number) => sent.answer({ timeoutMs }).catch(() => undefined);
  const lastChance = ending(bot, sent.id).then(() => answer(ANSWERED_TIMEOUT_MS));
  return Promise.race([answer(REPLY_TIMEOUT_MS), lastChance]);
}

/** How the interaction ended by the bot's log; undefined where the bot does not say. */
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
  const isAnswered = ({ interactionId, msg }: BotLogLine) => interactionId === id && msg === 'Answered';
  await bot.logged(isAnswered, ANSWERED_TIMEOUT_MS).catch(() => undefined);
}

/** The time span of its speech; undefined without one. Between two texts there is a tenth of a second of silence. */
function spanOf(sentAtMs: number, { spoken, firstAudioMs, time }: BotLogLine): TimeSpan | undefined {
  if (typeof spoken !== 'string') return undefined;
  const waitedMs = typeof firstAudioMs === 'number' ? firstAudioMs : 0;
  const endedAtMs = performance.now() - (Date.now() - Date.parse(String(time)));
  return { fromMs: sentAtMs + waitedMs, toMs: endedAtMs + LATE_PACKET_MS };
}

/** Writes a file of the audio heard in that span, the speech of one text. */
async function record(listener: Listener, span: TimeSpan, sentAtMs: number, recordTo: RecordTo): Promise<HeardReport> {
  // Where another text follows at once, or none is heard, this ends at its deadline; neither is an error.
  await listener.utterance({ quietMs: QUIET_MS, timeoutMs: LAST_PACKETS_MS }).catch(() => undefined);
  const heard = listener.heard(span);
  if (heard.firstAudibleAtMs === undefined) return reportHeard(heard, sentAtMs, null);
  const file = recordTo();
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, wavFile(heard.pcm, HEARD_RATE_HZ));
  return reportHeard(heard, sentAtMs, file);
}
