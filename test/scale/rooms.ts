import { setTimeout as sleep } from 'node:timers/promises';
import type { Person, WorldServer } from '../../src/playground/world/world.ts';
import { endOf, type TextEnd } from '../faults/text-end.ts';
import { countTones, judgeText, stepsOf, TEXTS, type TextName, toneText } from '../faults/tones.ts';

const SECONDS = 2;
/** A cell that died and its successor's start; a text that comes back is spoken after those before it. */
const END_TIMEOUT_MS = 100_000;
const POLL_MS = 50;
/** What comes late, such as the same again from another process, comes within this or with the next text. */
const AFTERMATH_MS = 400;
/** A member who is told that it was not spoken tries it again a moment later. */
const AGAIN_AFTER_MS = 2_000;
/** A member may have five texts spoken in ten seconds. */
const PAUSE_MS = 1_500;

/** One server whose members have one text spoken after the other. */
export interface Room {
  readonly cell: number;
  readonly server: WorldServer;
  readonly member: Person;
  /** Ends asking for more. */
  isResting: boolean;
}

/** What became of a text. */
export interface AskedText {
  readonly cell: number;
  readonly words: string;
  readonly askedAtMs: number;
  readonly phase: string;
  readonly end: TextEnd;
  readonly told: readonly string[];
  /** What its reply says at last. */
  readonly shown: string | undefined;
  /** 0 to 1. */
  share: number;
  againSeconds: number;
  endings: number;
  /** From the command to the first packet that is heard; undefined where none was, or where the bot had to join. */
  readonly firstPacketMs: number | undefined;
}

let numbers = 0;

export interface Talk {
  readonly texts: AskedText[];
  /** What is happening meanwhile. */
  phase: string;
  /** Of the texts that were asked for and have no end yet. */
  readonly open: Set<Room>;
}

/** Has texts spoken in the room, one at a time, until the signal; resolves when the last one has an end. */
export async function talk(room: Room, seen: Talk, until: AbortSignal): Promise<void> {
  const { member } = room;
  const listener = member.joins('General');
  const names = Object.keys(TEXTS) as TextName[];
  const steps = stepsOf(SECONDS);
  let before: AskedText | undefined;
  let wasSpoken: boolean = false;

  /** Since the last text was asked for: of that one, and what comes again of the one before it. */
  const take = (name: TextName) => {
    const heard = listener.heard();
    const counts = countTones(heard);
    listener.clear();
    const other = judgeText(counts[name === 'Alpha' ? 'Bravo' : 'Alpha'], steps);
    if (before) {
      before.againSeconds += other.share * SECONDS + other.againSeconds;
      before.endings += other.endings;
    }
    return { ...judgeText(counts[name], steps), firstAtMs: heard.firstAudibleAtMs };
  };

  for (let turn = 0; !until.aborted; turn += 1) {
    const name = names[turn % 2] as TextName;
    while (room.isResting && !until.aborted) await sleep(POLL_MS);
    if (until.aborted) break;
    numbers += 1;
    const words = toneText(name, SECONDS, numbers);
    const { phase } = seen;
    seen.open.add(room);
    const sent = await member.types(`/say text:${words}`);
    const endsAtMs = performance.now() + END_TIMEOUT_MS;
    let state = endOf(sent);
    while ((state.end === 'unanswered' || state.end === 'postponed') && performance.now() < endsAtMs) {
      await sleep(POLL_MS);
      state = endOf(sent);
    }
    await sleep(AFTERMATH_MS);
    const { share, againSeconds, endings, firstAtMs } = take(name);
    const firstPacketMs: number | undefined =
      wasSpoken && firstAtMs !== undefined ? firstAtMs - sent.sentAtMs : undefined;
    const text = { cell: room.cell, words, askedAtMs: sent.sentAtMs, phase, share, againSeconds, endings };
    before = { ...text, firstPacketMs, ...endOf(sent), shown: sent.replies.at(-1)?.text };
    seen.texts.push(before);
    seen.open.delete(room);
    wasSpoken = before.end === 'spoken';
    await sleep(wasSpoken ? PAUSE_MS : AGAIN_AFTER_MS);
  }
  await sleep(AGAIN_AFTER_MS);
  // The last one's own tones are the other name's of a text that never came.
  take(names.find((name) => !before?.words.startsWith(name)) as TextName);
}
