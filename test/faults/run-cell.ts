import { setTimeout as sleep } from 'node:timers/promises';
import type { Listener } from '../../src/playground/voice/listening/listener.ts';
import type { SentInteraction, WorldServer } from '../../src/playground/world/world.ts';
import type { Cell, CellScene, End } from './cell.ts';
import type { Lane } from './lane.ts';
import { endOf, type TextEnd } from './text-end.ts';
import { type Counts, countTones, type HeardText, judgeText, stepsOf, type TextName, toneText } from './tones.ts';

export interface SeenText extends HeardText {
  readonly end: TextEnd;
  /** The replies that say that the text was not spoken. */
  readonly told: readonly string[];
}

export interface Seen {
  readonly first: SeenText;
  readonly second: SeenText;
  /** The part of the second text that members who joined during the fault heard; 1 without such members. */
  readonly newcomersShare: number;
  /** The number of paid requests for both texts. */
  readonly paid: number;
  readonly isBotThere: boolean;
  /** The longest silence between the fault and the last audio; undefined if nothing was heard after the fault. */
  readonly silentMs: number | undefined;
  /** Frames without end-to-end encryption although it was required. */
  readonly clearFrames: number;
  /** The bot's messages that answer no request. */
  readonly notices: readonly string[];
  readonly seconds: number;
}

/** Longer than each deadline that the bot has for a text. */
const END_TIMEOUT_MS = 75_000;
const DEFAULT_SECONDS = [4, 2] as const;
/** Late effects, such as a second reply or a repetition, come within this time. */
const AFTERMATH_MS = 1_200;
/** When a fault comes in the middle of the first text, this many packets have been heard. */
const HEARD_PACKETS_BEFORE = 50;
/** The pause between the end of the first text, the fault, and the second text. */
const IDLE_MS = 500;
const HEARD_TIMEOUT_MS = 20_000;

/** Numbers the texts: a repeated text would come from the cache. */
let texts = 0;

interface Ear {
  readonly channel: string;
  readonly listener: Listener;
}

/** Runs a cell: two texts of two members, and the fault. */
export async function runCell(cell: Cell, lane: Lane): Promise<Seen> {
  const startedAtMs = performance.now();
  const { world } = lane;
  const server = world.newServer('Next door');
  const [alice, bob] = [server.member('alice'), server.member('bob')] as const;
  const ears: Ear[] = [alice, bob].map((person) => ({ channel: 'General', listener: person.joins('General') }));
  const newcomers: Listener[] = [];
  const cleanUps: (() => void)[] = [];
  const scene: CellScene = {
    lane,
    world,
    server,
    alice,
    bob,
    client: { guildId: server.guildId, userId: world.bot.userId },
    listens: (channel, listener) => void ears.push({ channel, listener }),
    newcomer: (listener) => void newcomers.push(listener),
    onEnd: (cleanUp) => void cleanUps.push(cleanUp),
  };
  const before = { clear: world.voiceServer.clearFrames, paid: paidRequests(lane) };
  const [firstSeconds, secondSeconds] = cell.seconds ?? DEFAULT_SECONDS;
  const ask = (name: TextName) => {
    texts += 1;
    const seconds = name === 'Alpha' ? firstSeconds : secondSeconds;
    return (name === 'Alpha' ? alice : bob).types(`/say text:${toneText(name, seconds, texts)}`);
  };
  let faultAtMs = 0;
  const inject = async () => {
    faultAtMs = performance.now();
    const lasting = cell.inject(scene);
    await lasting;
    if (lasting) faultAtMs = performance.now();
  };

  try {
    const acts = await act(cell, { ask, inject, listener: () => alice.listener });
    const { first, second } = acts;
    const { wanted } = cell;
    await Promise.all([answered(first, wanted.first), answered(second, wanted.second), acts.fault]);
    await sleep(AFTERMATH_MS);
    const counts = await heardCounts(ears);
    const dueAtMs = cell.when === 'speaking' ? faultAtMs : Math.max(faultAtMs, lateSent(cell, acts).sentAtMs);
    return {
      first: { ...judgeText(counts.Alpha, stepsOf(firstSeconds)), ...endOf(first) },
      second: { ...judgeText(counts.Bravo, stepsOf(secondSeconds)), ...endOf(second) },
      newcomersShare: Math.min(
        1,
        ...newcomers.map((listener) => judgeText(countTones(listener.heard()).Bravo, stepsOf(secondSeconds)).share),
      ),
      paid: paidRequests(lane) - before.paid,
      isBotThere: isBotIn(server),
      // A lasting fault may end after the last audio.
      silentMs: longestSilence(ears, dueAtMs) ?? longestSilence(ears, lateSent(cell, acts).sentAtMs),
      clearFrames: world.voiceServer.clearFrames - before.clear,
      notices: noticesIn(server),
      seconds: (performance.now() - startedAtMs) / 1_000,
    };
  } finally {
    for (const cleanUp of cleanUps) cleanUp();
    for (const person of [alice, bob]) if (person.voiceChannel !== undefined) person.leaves();
  }
}

interface Acts {
  readonly first: SentInteraction;
  readonly second: SentInteraction;
  readonly fault: Promise<void>;
}

const lateSent = ({ when }: Cell, { first, second }: Acts) => (when === 'idle' ? second : first);

/** Asks for the texts and makes the fault, in the order that the cell's moment requires. */
async function act(
  { when, isSecondLater, wanted }: Cell,
  parts: {
    ask(name: TextName): Promise<SentInteraction>;
    inject(): Promise<void>;
    listener(): Listener;
  },
): Promise<Acts> {
  if (when === 'connecting') {
    const fault = parts.inject();
    const first = await parts.ask('Alpha');
    return { first, second: await parts.ask('Bravo'), fault };
  }
  const first = await parts.ask('Alpha');
  if (when === 'speaking') {
    const second = await parts.ask('Bravo');
    await parts.listener().audible(HEARD_PACKETS_BEFORE, { timeoutMs: HEARD_TIMEOUT_MS });
    return { first, second, fault: parts.inject() };
  }
  await answered(first, wanted.first);
  await sleep(IDLE_MS);
  const fault = parts.inject();
  await (isSecondLater ? fault : sleep(IDLE_MS));
  return { first, second: await parts.ask('Bravo'), fault };
}

/** Resolves at the end of a text, or after a timeout: the cell is then judged by what was seen. */
async function answered(sent: SentInteraction, wanted: End): Promise<void> {
  const endsAtMs = performance.now() + END_TIMEOUT_MS;
  const isOver = ({ end }: { end: TextEnd }) => end !== 'unanswered' && (end !== 'postponed' || wanted === 'postponed');
  while (!isOver(endOf(sent)) && performance.now() < endsAtMs) await sleep(50);
}

/** Adds up the channels. Members of a channel hear the same, so only the member who heard most counts. */
async function heardCounts(ears: readonly Ear[]): Promise<Counts> {
  const sum: Counts = { Alpha: [], Bravo: [] };
  for (const channel of new Set(ears.map((ear) => ear.channel))) {
    let most: { readonly counts: Counts; readonly windows: number } | undefined;
    for (const { listener } of ears.filter((ear) => ear.channel === channel)) {
      const counts = countTones(listener.heard());
      const windows = [...counts.Alpha, ...counts.Bravo].reduce((total, count) => total + count, 0);
      if (!most || windows > most.windows) most = { counts, windows };
      // Lets other worlds in this process receive their packets.
      await sleep(0);
    }
    for (const name of ['Alpha', 'Bravo'] as const) {
      for (const [step, count] of (most?.counts[name] ?? []).entries())
        sum[name][step] = (sum[name][step] ?? 0) + count;
    }
  }
  return sum;
}

function longestSilence(ears: readonly Ear[], fromMs: number): number | undefined {
  const times = ears
    .flatMap(({ listener }) => listener.heard().packets)
    .filter(({ audible, atMs }) => audible && atMs > fromMs)
    .map(({ atMs }) => atMs)
    .sort((a, b) => a - b);
  if (times.length === 0) return undefined;
  return Math.round(Math.max(...times.map((atMs, index) => atMs - (times[index - 1] ?? fromMs))));
}

/** Refunded requests do not count. */
const paidRequests = ({ service }: Lane) =>
  service.ledger.charges(100_000).filter(({ state }) => state !== 'refunded').length;

const isBotIn = (server: WorldServer) =>
  ['General', 'Lounge'].some((name) => {
    try {
      return server.channel(name).members.includes('bot');
    } catch {
      // The channel was deleted.
      return false;
    }
  });

const noticesIn = (server: WorldServer) =>
  server
    .channel('general')
    .messages.filter(({ text }) => /^Left /.test(text))
    .map(({ text }) => text);
