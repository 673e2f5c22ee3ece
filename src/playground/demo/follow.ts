import type { BotLogLine } from '../bot-process.ts';
import { writeWavFile } from '../wav-file.ts';
import type { Person, SentInteraction, VisibleMessage, VisibleModal } from '../world-types.ts';
import type { Cast } from './cast.ts';
import { describeHeard, describeMessage, describeModal, type HeardReport, reportHeard } from './show.ts';

export interface LineOutcome {
  readonly ok: boolean;
  /** What the person's screen shows, and what was heard. */
  readonly shown: readonly string[];
  /** The bot's answers in order, as text. */
  readonly replies: readonly string[];
  readonly heard?: HeardReport;
  readonly credits?: { readonly used: number; readonly remaining: number };
  readonly requestId?: string;
  /** The window that opened. */
  readonly modal?: VisibleModal;
}

/** A synthesis may take minutes by the interface; the bot gives up before this and says so. */
const REPLY_TIMEOUT_MS = 150_000;
/** A control that leaves everything as it is gets no visible answer at all. */
const CONTROL_TIMEOUT_MS = 10_000;
/** Until the first sound, once the answer is there: whatever only may be heard has begun by then, or nearly. */
const FIRST_SOUND_MS = { expected: 5_000, possible: 300 } as const;
const QUIET_MS = 300;
const LAST_WORDS_MS = 1_500;
const HEARD_RATE_HZ = 48_000;

export const refuse = (text: string): LineOutcome => ({ ok: false, shown: [text], replies: [] });
export const tell = (text: string): LineOutcome => ({ ok: true, shown: [text], replies: [] });
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** What the bot's log says of one interaction: how it ended, and what its speech cost. */
function loggedOf(cast: Cast, interactionId: string): { outcome?: string; line?: BotLogLine } {
  const lines = cast.bot.log.filter((line) => line.interactionId === interactionId);
  const outcome = lines.findLast((line) => typeof line.outcome === 'string')?.outcome;
  const line = lines.findLast((entry) => entry.requestId !== undefined);
  return { ...(typeof outcome === 'string' ? { outcome } : {}), ...(line ? { line } : {}) };
}

export interface Followed {
  readonly person: Person;
  readonly kind: 'command' | 'control';
  /** Whether it is a failure when nothing is heard. */
  readonly sound: keyof typeof FIRST_SOUND_MS;
  readonly send: () => Promise<SentInteraction>;
}

/** Follows what somebody did until the bot has answered and been heard. `recordTo` names the file of a recording. */
export async function follow(cast: Cast, recordTo: () => string, act: Followed): Promise<LineOutcome> {
  const { person, kind } = act;
  const inVoice = person.voiceChannel !== undefined;
  if (inVoice) person.listener.clear();
  let sent: SentInteraction;
  try {
    sent = await act.send();
  } catch (error) {
    return refuse(messageOf(error));
  }
  const timeoutMs = kind === 'control' ? CONTROL_TIMEOUT_MS : REPLY_TIMEOUT_MS;
  const answer = await sent.answer({ timeoutMs }).catch(() => undefined);
  if (!answer) return kind === 'control' ? tell('  (nothing changed)') : refuse('The bot gave no answer.');
  if ('modal' in answer) return { ok: true, shown: [describeModal(answer.modal)], replies: [], modal: answer.modal };
  // The first words may say how far things are: the bot's log tells when the last ones have been said.
  if (kind === 'command' && !answer.reply.failed) await concluded(cast, sent.id);
  const onScreen = () => sent.replies.filter((message) => !message.deleted && !message.thinking);
  const reply = onScreen().at(-1) ?? answer.reply;
  const hasSound = reply.files.length > 0;
  const heard = inVoice ? await hearing(sent, reply, act, recordTo) : undefined;
  if (heard?.file) await lastWords(cast, onScreen);
  const visible = onScreen();
  const soundMissing = inVoice && act.sound === 'expected' && heard?.file === null && !hasSound;
  const shown = (reply.failed ? [reply] : visible).map(describeMessage);
  if (heard && (heard.file !== null || (soundMissing && !reply.ephemeral))) {
    shown.push(`  ♪ ${describeHeard(heard, person.name, person.voiceChannel ?? 'no channel')}`);
    if (heard.file) shown.push(`    recorded in ${heard.file}`);
  }
  const { outcome, line: logged } = loggedOf(cast, sent.id);
  const used = logged?.creditsUsed;
  const remaining = logged?.creditsRemaining;
  return {
    ok: !reply.failed && !soundMissing && (outcome === undefined || outcome === 'done'),
    shown,
    replies: visible.map((message) => message.text),
    ...(heard && act.sound === 'expected' ? { heard } : {}),
    ...(typeof used === 'number' && typeof remaining === 'number' ? { credits: { used, remaining } } : {}),
    ...(typeof logged?.requestId === 'string' ? { requestId: logged.requestId } : {}),
  };
}

/** What was spoken is said to have been spoken a moment after its last sound; a bot may also leave its words as they are. */
async function lastWords(cast: Cast, onScreen: () => readonly VisibleMessage[]): Promise<void> {
  const fromMs = performance.now() - QUIET_MS;
  const changed = () => onScreen().some(({ history }) => (history.at(-1)?.atMs ?? 0) >= fromMs);
  await cast.world.until(changed, { what: 'the last words', timeoutMs: LAST_WORDS_MS }).catch(() => undefined);
}

const concluded = (cast: Cast, interactionId: string) =>
  cast.bot
    .logged((line) => line.interactionId === interactionId && typeof line.outcome === 'string', REPLY_TIMEOUT_MS)
    // A bot that ended is noticed elsewhere; a command that goes on without end is shown as far as it came.
    .catch(() => undefined);

async function hearing(
  sent: SentInteraction,
  reply: VisibleMessage,
  { person, sound }: Followed,
  recordTo: () => string,
): Promise<HeardReport> {
  const { listener } = person;
  if (!reply.failed && (sound === 'possible' || (!reply.ephemeral && reply.files.length === 0))) {
    // Nothing heard is an outcome to report, not an error of the playground.
    await listener
      .audible(1, { timeoutMs: FIRST_SOUND_MS[sound] })
      .then(() => listener.utterance({ quietMs: QUIET_MS, timeoutMs: REPLY_TIMEOUT_MS }))
      .catch(() => undefined);
  }
  const heard = listener.heard();
  if (heard.firstAudibleAtMs === undefined) return reportHeard(heard, sent.sentAtMs, null);
  const file = recordTo();
  await writeWavFile(file, heard.pcm, HEARD_RATE_HZ);
  return reportHeard(heard, sent.sentAtMs, file);
}
