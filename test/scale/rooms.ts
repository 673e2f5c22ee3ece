import { setTimeout as sleep } from 'node:timers/promises';
import type { Person, WorldServer } from '../../src/playground/world/world.ts';
import { endOf, type TextEnd } from '../faults/text-end.ts';
import { countTones, judgeText, stepsOf, TEXTS, type TextName, toneText } from '../faults/tones.ts';

const SECONDS = 2;
/** Includes a cell's crash and its successor's start: a recovered text comes after the texts before it. */
const END_TIMEOUT_MS = 100_000;
const POLL_MS = 50;
/** Late effects, such as a repetition by another process, come within this time or with the next text. */
const AFTERMATH_MS = 400;
/** A member who learns that a text was not spoken tries again after this time. */
const AGAIN_AFTER_MS = 2_000;
/** Keeps a member below the limit of five texts in ten seconds. */
const PAUSE_MS = 1_500;

/** A server whose members have texts spoken one after another. */
export interface Room {
  readonly cell: number;
  readonly server: WorldServer;
  readonly member: Person;
  /** If true, the room asks for no more texts. */
  isResting: boolean;
}

export interface AskedText {
  readonly cell: number;
  readonly words: string;
  readonly phase: string;
  readonly end: TextEnd;
  /** The last version of the text's reply. */
  readonly shown: string | undefined;
  /** The share of the text that was heard, 0 to 1. */
  share: number;
  againSeconds: number;
  endings: number;
  /** From the command to the first heard packet; undefined if nothing was heard or the bot had to join. */
  readonly firstPacketMs: number | undefined;
}

let numbers = 0;

export interface Talk {
  readonly texts: AskedText[];
  /** The current trial, noted with each text. */
  phase: string;
  /** The rooms whose current text has no end yet. */
  readonly open: Set<Room>;
}

/** Asks for texts in a room, one at a time, until the signal. Resolves when the last text has an end. */
export async function talk(room: Room, seen: Talk, until: AbortSignal): Promise<void> {
  const { member } = room;
  const listener = member.joins('General');
  const names = Object.keys(TEXTS) as TextName[];
  const steps = stepsOf(SECONDS);
  let before: AskedText | undefined;
  let wasSpoken: boolean = false;

  /** Judges what was heard since the last text was asked for: the text itself, and repetitions of the text before. */
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
    const text = { cell: room.cell, words, phase, share, againSeconds, endings };
    before = { ...text, firstPacketMs, ...endOf(sent), shown: sent.replies.at(-1)?.text };
    seen.texts.push(before);
    seen.open.delete(room);
    wasSpoken = before.end === 'spoken';
    await sleep(wasSpoken ? PAUSE_MS : AGAIN_AFTER_MS);
  }
  await sleep(AGAIN_AFTER_MS);
  // With the other text's name, `take` counts everything heard now as a repetition of the last text.
  take(names.find((name) => !before?.words.startsWith(name)) as TextName);
}
