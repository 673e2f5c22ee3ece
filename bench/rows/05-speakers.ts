import { setTimeout as sleep } from 'node:timers/promises';
import { PACKET_MS } from '../../src/audio/clips/clip.ts';
import { NODE_FLAGS } from '../../src/process/child-environment.ts';
import { childPids, cpuWithChildrenMs } from '../machine.ts';
import { LIBRARY, type Measured, type Row, type RowContext, type RowResult } from '../row.ts';
import type { Sink } from '../sink/client.ts';
import { longSpeech } from '../sound.ts';
import { median, medianOf } from '../stats.ts';
import { redirect, startPlayer, startSession, withRooms } from '../testbed.ts';

const ON_TIME_SHARE = 0.999;
const GAP_P99_MS = 25;
const SINK_LAG_MS = 5;
const WINDOW_MS = 2_500;
/** The time in which packet phases settle and code warms up before packets count. */
const SETTLE_MS = 1_500;
/** The time in which the silence after a clip is sent, before the next run. */
const QUIET_MS = 400;
/** The length of a run's audio, longer than a run. */
const FRAMES_SECONDS = 15;
/** The number of rooms whose packets a listener decrypts and decodes, as proof that speech is counted. */
const CHECKED_ROOMS = 3;
const CHECKED_SECONDS = 2;
const SINK_SERVERS = 8;
/** How often a run is repeated if the sink was too slow. */
const VOID_RETRIES = 2;
/** The maximum duration of the runs; what is not measured by then is void. */
const ALL_RUNS_MS = 200_000;

interface Options {
  readonly dave: boolean;
  readonly target: number;
  readonly oursSizes: readonly number[];
  readonly librarySizes: readonly number[];
  /** The sink times every n-th speaker; packets of the others go to a socket without a reader. */
  readonly timedEvery: number;
}

type Run = Awaited<ReturnType<Sink['end']>> & {
  readonly speakers: number;
  readonly botCpuShare: number;
  /** The share of packets that were sent, whether or not they arrived: each timed speaker should send 50 a second. */
  readonly sentShare: number;
};

/** Sizes are tried from the largest one down, until one is on time. */
interface Way {
  readonly name: string;
  readonly sizes: readonly number[];
  /** The index of the current size in `sizes`, which ascend. */
  place: number;
  readonly runs: Run[];
}

const isVoid = ({ sinkLagP999Ms }: Run) => sinkLagP999Ms > SINK_LAG_MS;
const sizeOf = ({ sizes, place }: Way) => sizes[place] as number;

/** Measures how many sessions can speak on time. The median of alternating runs decides. */
async function measureSpeakers({ runs, scale }: RowContext, options: Options): Promise<RowResult> {
  const { dave, timedEvery } = options;
  const deadline = performance.now() + ALL_RUNS_MS;
  const isOutOfTime = () => performance.now() > deadline;
  const { frames, clip } = await longSpeech(FRAMES_SECONDS);
  const windowMs = Math.max(500, WINDOW_MS * scale);
  function wayOf(name: string, fullSizes: readonly number[]): Way {
    const sizes = [...new Set(fullSizes.map((size) => Math.max(2, Math.round(size * scale))))];
    return { name, sizes, place: sizes.length - 1, runs: [] };
  }
  const ours = wayOf('ours', options.oursSizes);
  const library = wayOf(LIBRARY, options.librarySizes);
  const validAt = (way: Way, place: number) =>
    way.runs.filter((run) => run.speakers === way.sizes[place] && !isVoid(run));
  const middle = (way: Way, place = way.place) => {
    const valid = validAt(way, place);
    // A single good run is no median.
    if (valid.length * 2 <= runs) return undefined;
    const onTimeShare = medianOf(valid, 'onTimeShare');
    const gapP99Ms = medianOf(valid, 'gapP99Ms');
    return { onTimeShare, gapP99Ms, holds: onTimeShare >= ON_TIME_SHARE && gapP99Ms <= GAP_P99_MS };
  };

  const most = { ours: sizeOf(ours), library: sizeOf(library), servers: SINK_SERVERS };
  const { verified, children } = await withRooms({ ...most, dave }, async (rooms) => {
    const { sink } = rooms;
    const unreadPort = await sink.unreadPort();
    for (const [i, { connection }] of [...rooms.ours.entries(), ...rooms.library.entries()]) {
      if (i % timedEvery !== 0) await redirect(connection, unreadPort);
    }
    const checked = rooms.ours.filter((_, i) => i % timedEvery === 0).slice(0, CHECKED_ROOMS);
    for (const { guildId } of checked) await sink.watch({ guildId, decode: true });
    const { clip: shortClip } = await longSpeech(CHECKED_SECONDS);
    for (const { session } of checked) await session.play(shortClip);
    const verified = await Promise.all(checked.map(({ guildId }) => sink.watched(guildId)));
    // Decoding during the measurement would slow down the sink.
    for (const { guildId } of checked) await sink.unwatch(guildId);

    async function once(way: Way): Promise<Run> {
      const speakers = sizeOf(way);
      const timed = Math.ceil(speakers / timedEvery);
      const stops =
        way === ours
          ? rooms.ours.slice(0, speakers).map((room) => startSession(room, clip))
          : rooms.library.slice(0, speakers).map((room) => startPlayer(room, frames));
      await sleep(SETTLE_MS);
      const cpu = process.cpuUsage();
      const fromMs = performance.now();
      await sink.begin();
      await sleep(windowMs);
      const arrivals = await sink.end({ speakers: timed });
      const { user, system } = process.cpuUsage(cpu);
      const passedMs = performance.now() - fromMs;
      for (const stop of stops) stop();
      await sleep(QUIET_MS);
      const botCpuShare = (user + system) / 1000 / passedMs;
      const sentShare = (arrivals.received + arrivals.lost) / ((timed * passedMs) / PACKET_MS);
      const run: Run = { ...arrivals, speakers, botCpuShare, sentShare };
      way.runs.push(run);
      const { onTimeShare, gapP99Ms, sinkLagP999Ms, sinkCpuShare, lost } = run;
      console.error(
        `  ${way.name} × ${speakers}: ${(onTimeShare * 100).toFixed(2)} % on time, gap p99 ${gapP99Ms.toFixed(1)} ms, sink lag ${sinkLagP999Ms.toFixed(1)}${isVoid(run) ? ' (void)' : ''}, cores ${botCpuShare.toFixed(2)} / ${sinkCpuShare.toFixed(2)}, lost ${lost}`,
      );
      return run;
    }

    for (let open = [library, ours]; open.length > 0; ) {
      for (let round = 0; round < runs; round++) {
        for (const way of open) {
          let tries = 0;
          while (!isOutOfTime() && isVoid(await once(way)) && tries < VOID_RETRIES) tries += 1;
        }
      }
      open = open.filter((way) => {
        const isLast = middle(way)?.holds || way.place === 0 || isOutOfTime();
        if (!isLast) way.place -= 1;
        return !isLast;
      });
    }
    return { verified, children: childPids().length };
  });
  const heard = verified.reduce((sum, room) => sum + room.heard, 0);
  const unheard = verified.reduce((sum, room) => sum + room.unheard, 0);

  const capacity = (way: Way) => (middle(way)?.holds ? sizeOf(way) : 0);
  const measured = (way: Way): Measured => {
    const size = sizeOf(way);
    const at = middle(way);
    const cpu = medianOf(
      way.runs.filter(({ speakers }) => speakers === size),
      'botCpuShare',
    );
    return {
      way: way.name,
      text: at
        ? `${at.holds ? size : `fewer than ${size}`} (${(at.onTimeShare * 100).toFixed(2)} % on time, gap p99 ${at.gapP99Ms.toFixed(1)} ms, ${cpu.toFixed(2)} core)`
        : `not settled in time (${validAt(way, way.place).length} runs of ${size} that are not void)`,
      runs: way.runs,
    };
  };
  const all = [...ours.runs, ...library.runs];
  // The library's capacity is known only if a larger size was tried and failed.
  const isKnown = middle(library, library.place + 1)?.holds === false && capacity(library) > 0;
  const ratio = capacity(ours) / capacity(library);
  const packetCpuUs = (way: Way) =>
    median(way.runs.map((run) => (run.botCpuShare / (run.speakers * 50 * run.sentShare)) * 1e6)).toFixed(1);
  return {
    verdict: capacity(ours) >= options.target ? 'met' : middle(ours) ? 'missed' : 'void',
    ratios: isKnown && ratio > 0 ? [`${ratio.toFixed(1)} × as many as the library player`] : [],
    ours: measured(ours),
    peers: [measured(library)],
    notes: [
      `Real sessions in one process on one core (Node with ${NODE_FLAGS.join(' ')}, for both), each with its own TLS voice gateway, UDP socket${dave ? ', DAVE group of two' : ''} and key; shared finished packets (64 kbit/s mono). ${timedEvery === 1 ? '' : `One in ${timedEvery} speakers is timed at the sink, which could not take all; the others' packets go over loopback to a socket that nobody reads. `}On time: at the sink, within 10 ms of the speaker's own unbroken 20 ms, missed turns counted; ${windowMs / 1000} s a run after 1.5 s to settle; the largest of ${ours.sizes.join(', ')} (library ${library.sizes.join(', ')}), tried from the largest down, at which the median of at least ${Math.floor(runs / 2) + 1} of ${runs} runs that are not void, alternating, has ≥ 99.9 % on time and a gap p99 ≤ 25 ms.`,
      `Sink lag (event-loop delay, p99.9) over all runs: median ${medianOf(all, 'sinkLagP999Ms').toFixed(1)} ms; ${all.filter(isVoid).length} of ${all.length} runs void for more than 5 ms of it, and made again. CPU a packet: ours ${packetCpuUs(ours)} µs, library ${packetCpuUs(library)}. Sink core up to ${(Math.max(...all.map((run) => run.sinkCpuShare)) * 100).toFixed(0)} % busy; ${all.reduce((sum, run) => sum + run.lost, 0)} packets lost in socket buffers. Speech checked beforehand in ${verified.length} rooms by ${dave ? 'decrypting and decoding' : 'decoding'}: ${heard} frames heard, ${unheard} not. Child processes while playing, the sink apart: ${children - 1}. CPU so far ${(cpuWithChildrenMs() / 1000).toFixed(0)} s.`,
    ],
  };
}

export const withDave: Row = {
  number: 5,
  name: 'speakers-dave',
  figure: 'simultaneous speakers with real DAVE sessions, one process, one core',
  target: '≥ 1200',
  run: (context) =>
    measureSpeakers(context, {
      dave: true,
      target: 1_200,
      oursSizes: [200, 400, 600, 800, 1_000, 1_200],
      librarySizes: [50, 100, 150, 200, 300, 400],
      timedEvery: 1,
    }),
};

export const withoutDave: Row = {
  number: 6,
  name: 'speakers',
  figure: 'the same without DAVE (stages)',
  target: '≥ 2000',
  run: (context) =>
    measureSpeakers(context, {
      dave: false,
      target: 2_000,
      oursSizes: [800, 1_200, 1_400, 1_600, 1_800, 2_000],
      librarySizes: [100, 200, 250, 300, 400, 600],
      timedEvery: 4,
    }),
};
