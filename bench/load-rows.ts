import { getVoiceConnection } from '../src/audio/connection/library/voice-library.ts';
import { NODE_FLAGS } from '../src/process/node-flags.ts';
import { startPlayer, startSession, type Trial, trial } from './load.ts';
import { childPids, cpuWithChildrenMs } from './machine.ts';
import { playerFor } from './peers.ts';
import type { Measured, RowContext, RowResult } from './row.ts';
import { longClip, packets, repeated } from './sound.ts';
import { median } from './stats.ts';
import { many, redirect, startTestbed } from './testbed.ts';

const ON_TIME_SHARE = 0.999;
const GAP_P99_MS = 25;
const SINK_LAG_MS = 5;
const WINDOW_MS = 2_500;
/** Sound for a trial, with room to spare. */
const FRAMES_SECONDS = 15;
/** Rooms with packets decrypted and decoded by their listener, as proof that speech is counted. */
const CHECKED_ROOMS = 3;
const SINK_SERVERS = 8;
/** A run that the sink spoilt is made again so many times. */
const VOID_RETRIES = 2;

const isOnTime = (run: Trial) => run.onTimeShare >= ON_TIME_SHARE && run.gapP99Ms <= GAP_P99_MS;
const isVoid = (run: Trial) => run.lag.p999Ms > SINK_LAG_MS;

interface Way {
  name: string;
  sizes: readonly number[];
  /** The place in `sizes` at which the search begins. */
  guess: number;
  start(index: number): () => void;
  trials: Trial[];
  /** The result of the search: indexes in `sizes`. None good: -1; none bad: one beyond the last. */
  good: number;
  bad: number;
  /** There is no result for the sizes from `bad` on: the sink spoilt all runs there. */
  isSpoilt: boolean;
}

/** How many speak at once on time: a search among the sizes, then alternating runs at its result. */
export async function measureSpeakers(
  { runs, scale }: RowContext,
  options: {
    dave: boolean;
    target: number;
    /** From the row's beginning; measurements unfinished by then are void. */
    rowMs: number;
    oursSizes: readonly number[];
    /** Where among them the search begins. */
    oursGuess: number;
    librarySizes: readonly number[];
    /** Every so many-th speaker is timed by the sink, the others' packets go to a socket without a reader. */
    timedEvery: number;
  },
): Promise<RowResult> {
  const { dave, timedEvery } = options;
  const deadline = performance.now() + options.rowMs;
  const isOutOfTime = () => performance.now() > deadline;
  const scaled = (sizes: readonly number[]) => [...new Set(sizes.map((size) => Math.max(2, Math.round(size * scale))))];
  const testbed = await startTestbed({ servers: SINK_SERVERS });
  const frames = await packets(2);
  const longFrames = repeated(frames, FRAMES_SECONDS);
  const clip = longClip(frames, FRAMES_SECONDS);
  const [oursSizes, librarySizes] = [scaled(options.oursSizes), scaled(options.librarySizes)];
  const rooms = await many(Math.max(...oursSizes), () => testbed.joinOurs({ dave }));
  const connections = await many(Math.max(...librarySizes), () => testbed.joinLibrary({ dave }));
  const players = connections.map(({ connection }) => playerFor(connection));
  const unreadPort = await testbed.sink.unreadPort();
  for (const [i, { guildId }] of [...rooms.entries(), ...connections.entries()]) {
    const connection = getVoiceConnection(guildId);
    if (!connection) throw new Error('The library does not know a connection');
    if (i % timedEvery !== 0) await redirect(connection, unreadPort);
  }
  const checked = rooms.filter((_, i) => i % timedEvery === 0).slice(0, CHECKED_ROOMS);
  for (const { guildId } of checked) await testbed.sink.watch({ guildId, decode: true });
  for (const { session } of checked) await session.play(longClip(frames, 2));
  const verified = await Promise.all(checked.map(({ guildId }) => testbed.sink.watched(guildId)));
  // Decoding while load is measured would hold the sink up.
  for (const { guildId } of checked) await testbed.sink.unwatch(guildId);

  const ours: Way = {
    name: 'ours',
    sizes: oursSizes,
    guess: Math.min(options.oursGuess, oursSizes.length - 1),
    start: (index) => startSession((rooms[index] as (typeof rooms)[number]).session, clip),
    trials: [],
    good: -1,
    bad: oursSizes.length,
    isSpoilt: false,
  };
  const library: Way = {
    name: 'library player fed with frames',
    sizes: librarySizes,
    guess: Math.floor(librarySizes.length / 2),
    start: (index) => startPlayer(players[index] as (typeof players)[number], longFrames),
    trials: [],
    good: -1,
    bad: librarySizes.length,
    isSpoilt: false,
  };
  const windowMs = Math.max(500, WINDOW_MS * scale);
  async function once(way: Way, speakers: number): Promise<Trial> {
    const run = await trial(testbed.sink, {
      speakers,
      timed: Math.ceil(speakers / timedEvery),
      windowMs,
      start: way.start,
    });
    way.trials.push(run);
    const { onTimeShare, gapP99Ms, lag, botCpuShare, cpuShare } = run;
    console.error(
      `  ${way.name} × ${speakers}: ${(onTimeShare * 100).toFixed(2)} % on time, gap p99 ${gapP99Ms.toFixed(1)} ms, sink lag ${lag.p999Ms.toFixed(1)}${isVoid(run) ? ' (void)' : ''}, cores ${botCpuShare.toFixed(2)} / ${cpuShare.toFixed(2)}, lost ${run.lost}`,
    );
    return run;
  }

  async function at(way: Way, place: number): Promise<Trial> {
    let run = await once(way, way.sizes[place] as number);
    for (let retry = 0; retry < VOID_RETRIES && isVoid(run) && !isOutOfTime(); retry++) {
      run = await once(way, way.sizes[place] as number);
    }
    return run;
  }

  /** A size is too many when two runs say so. */
  async function search(way: Way): Promise<void> {
    for (let place = way.guess; way.bad - way.good > 1 && !isOutOfTime(); ) {
      const tries = [await at(way, place)];
      if (!tries.some(isOnTime)) tries.push(await at(way, place));
      if (tries.some(isOnTime)) {
        way.good = place;
      } else {
        way.bad = place;
        way.isSpoilt = tries.every(isVoid);
      }
      place = Math.floor((way.good + way.bad) / 2);
    }
  }

  const runsAt = (way: Way, size: number) => way.trials.filter(({ wanted }) => wanted === size);
  const validRunsAt = (way: Way, size: number) => runsAt(way, size).filter((run) => !isVoid(run));
  const middle = (way: Way, size: number): { onTimeShare: number; gapP99Ms: number } => {
    const valid = validRunsAt(way, size).slice(-runs);
    // One run that happened to be good is no median.
    if (valid.length * 2 <= runs) return { onTimeShare: Number.NaN, gapP99Ms: Number.NaN };
    return {
      onTimeShare: median(valid.map(({ onTimeShare }) => onTimeShare)),
      gapP99Ms: median(valid.map(({ gapP99Ms }) => gapP99Ms)),
    };
  };
  const holds = (way: Way, size: number) => {
    const { onTimeShare, gapP99Ms } = middle(way, size);
    return onTimeShare >= ON_TIME_SHARE && gapP99Ms <= GAP_P99_MS;
  };

  for (const way of [library, ours]) await search(way);
  const found = new Map([library, ours].map((way) => [way, Math.max(0, way.good)] as const));
  const sizeOf = (way: Way) => way.sizes[found.get(way) as number] as number;
  // Down from there until the median of the alternating runs holds.
  for (let open = [library, ours]; open.length > 0; ) {
    for (let round = 0; round < runs; round++) {
      for (const way of open) if (!isOutOfTime()) await at(way, found.get(way) as number);
    }
    open = open.filter((way) => {
      const place = found.get(way) as number;
      if (holds(way, sizeOf(way)) || place === 0 || isOutOfTime()) return false;
      way.bad = place;
      way.isSpoilt = !Number.isFinite(middle(way, sizeOf(way)).onTimeShare);
      found.set(way, place - 1);
      return true;
    });
  }
  const heard = verified.reduce((sum, room) => sum + room.heard, 0);
  const unheard = verified.reduce((sum, room) => sum + room.unheard, 0);
  const children = childPids().length;
  await testbed.close();

  const capacity = (way: Way) => {
    const size = sizeOf(way);
    return holds(way, size) ? size : 0;
  };
  const measured = (way: Way): Measured => {
    const size = sizeOf(way);
    const { onTimeShare, gapP99Ms } = middle(way, size);
    const cpu = median(runsAt(way, size).map(({ botCpuShare }) => botCpuShare));
    const count = capacity(way) === 0 ? `fewer than ${size}` : `${size}`;
    const isMeasured = Number.isFinite(onTimeShare);
    return {
      way: way.name,
      text: !isMeasured
        ? `not settled in time (${validRunsAt(way, size).length} runs of ${size} that are not void)`
        : `${count} (${(onTimeShare * 100).toFixed(2)} % on time, gap p99 ${gapP99Ms.toFixed(1)} ms, ${cpu.toFixed(2)} core)`,
      runs: way.trials.map((run) => ({
        speakers: run.wanted,
        onTimeShare: run.onTimeShare,
        gapP99Ms: run.gapP99Ms,
        received: run.received,
        late: run.late,
        missed: run.missed,
        lost: run.lost,
        sinkLagP999Ms: run.lag.p999Ms,
        sinkLagMaxMs: run.lag.maxMs,
        sinkCpuShare: run.cpuShare,
        botCpuShare: run.botCpuShare,
      })),
    };
  };
  const all = [...ours.trials, ...library.trials];
  const valid = all.filter((run) => !isVoid(run));
  // The library's capacity is known only where more of it was tried and was too many.
  const ratio =
    library.bad < library.sizes.length && !library.isSpoilt && capacity(ours) > 0
      ? capacity(ours) / capacity(library)
      : Number.NaN;
  const isJudged = Number.isFinite(middle(ours, sizeOf(ours)).onTimeShare);
  const packetCpuUs = (way: Way) =>
    median(way.trials.map((run) => (run.botCpuShare / (run.wanted * 50 * run.sentShare)) * 1e6)).toFixed(1);
  return {
    verdict: capacity(ours) >= options.target ? 'met' : isJudged && !ours.isSpoilt ? 'missed' : 'void',
    ratios:
      isJudged && Number.isFinite(ratio)
        ? [{ text: `${ratio.toFixed(1)} × as many as the library player`, value: ratio }]
        : [],
    ours: measured(ours),
    peers: [measured(library)],
    notes: [
      `Real sessions in one process on one core (Node with ${NODE_FLAGS.join(' ')}, for both), each with its own TLS voice gateway, UDP socket${dave ? ', DAVE group of two' : ''} and key; shared finished packets (64 kbit/s mono). ${timedEvery === 1 ? '' : `One in ${timedEvery} speakers is timed at the sink, which could not take all; the others' packets go over loopback to a socket that nobody reads. `}On time: at the sink, within 10 ms of the speaker's own unbroken 20 ms, missed turns counted; ${windowMs / 1000} s a run after 1.5 s to settle; the largest of ${oursSizes.join(', ')} (library ${librarySizes.join(', ')}), by a search among them, at which the median of at least ${Math.floor(runs / 2) + 1} of ${runs} runs that are not void, alternating, has ≥ 99.9 % on time and a gap p99 ≤ 25 ms.`,
      `Sink lag (event-loop delay, p99.9) over all runs: median ${median(all.map(({ lag }) => lag.p999Ms)).toFixed(1)} ms; ${all.length - valid.length} of ${all.length} runs void for more than 5 ms of it, and made again. CPU a packet: ours ${packetCpuUs(ours)} µs, library ${packetCpuUs(library)}. Sink core up to ${(Math.max(...all.map(({ cpuShare }) => cpuShare)) * 100).toFixed(0)} % busy; ${all.reduce((sum, run) => sum + run.lost, 0)} packets lost in socket buffers. Speech checked beforehand in ${checked.length} rooms by ${dave ? 'decrypting and decoding' : 'decoding'}: ${heard} frames heard, ${unheard} not. Child processes while playing, the sink apart: ${children - 1}. CPU so far ${(cpuWithChildrenMs() / 1000).toFixed(0)} s.`,
    ],
  };
}
