import { setTimeout as sleep } from 'node:timers/promises';
import { createAudioResource } from '@discordjs/voice';
import { answer, ask } from '../child.ts';
import { childPids, proportionalMb } from '../machine.ts';
import { alternate, type Measured, type Row, type RowContext, type RowResult } from '../row.ts';
import { longClip, packets, repeated, voice, wav } from '../sound.ts';
import { median } from '../stats.ts';
import { startPlayer, startSession, withRooms } from '../testbed.ts';

type MemoryWay = 'ours' | 'library' | 'guide';

/** All values are MB per speaker, except `children`. */
interface MemoryReading extends Readonly<Record<string, number>> {
  rssMb: number;
  heapMb: number;
  childrenMb: number;
  /** The number of processes that playing starts. */
  children: number;
}

const SOUND_SECONDS = 12;

async function settled(): Promise<{ rssMb: number; heapMb: number }> {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await sleep(100);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssMb: rss / 1e6, heapMb: (heapUsed + external) / 1e6 };
}

async function readMemory({ way, count }: { readonly way: MemoryWay; readonly count: number }): Promise<MemoryReading> {
  const frames = await packets(2);
  const long = repeated(frames, SOUND_SECONDS);
  const clip = longClip(frames, SOUND_SECONDS);
  // Without DAVE: encryption uses the same memory when idle, and joining takes a tenth of the time.
  const isOurs = way === 'ours';
  const rooms = { ours: isOurs ? count : 0, library: isOurs ? 0 : count, dave: false };
  return withRooms(rooms, async ({ sink, ours, library }) => {
    // Longer than the buffers of pipes and streams: otherwise ffmpeg would finish before the measurement.
    const url = way === 'guide' && (await sink.serveWav(wav(voice(SOUND_SECONDS * 8)).toString('base64')));
    const startAll = () => [
      ...ours.map((room) => startSession(room, clip)),
      ...library.map((room) => {
        if (!url) return startPlayer(room, long);
        room.player.play(createAudioResource(url));
        return () => void room.player.stop(true);
      }),
    ];
    // The first run compiles the code and grows the heap.
    for (const stop of startAll()) {
      await sleep(5);
      stop();
    }
    await sleep(1_000);
    const before = await settled();
    const stops = startAll();
    await sleep(1_000);
    // The sink is also a child process, started earlier.
    const players = childPids().slice(1);
    const childrenMb = players.reduce((sum, pid) => sum + proportionalMb(pid), 0);
    const after = await settled();
    for (const stop of stops) stop();
    return {
      rssMb: (after.rssMb - before.rssMb) / count,
      heapMb: (after.heapMb - before.heapMb) / count,
      childrenMb: childrenMb / count,
      children: players.length,
    };
  });
}

const SPEAKERS = 200;
/** Each speaker has an ffmpeg process. */
const GUIDE_SPEAKERS = 10;
const CHILD_TIMEOUT_MS = 120_000;

/** A fresh process for each reading: a run's heap does not count in the next reading. */
const read = (way: MemoryWay, count: number) => () =>
  ask<MemoryReading>('./rows/07-memory.ts', { way, count }, { timeoutMs: CHILD_TIMEOUT_MS, flags: ['--expose-gc'] });

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const most = Math.max(5, Math.round(SPEAKERS * scale));
  const few = Math.max(2, Math.round(GUIDE_SPEAKERS * scale));
  const readings = await alternate(runs, {
    library: read('library', most),
    ours: read('ours', most),
    guide: read('guide', few),
  });
  const rss = (way: MemoryWay) => median(readings[way].map(({ rssMb }) => rssMb));
  const heap = (way: MemoryWay) => median(readings[way].map(({ heapMb }) => heapMb));
  const children = (way: MemoryWay) => median(readings[way].map(({ childrenMb }) => childrenMb));
  const total = (way: MemoryWay) => Math.max(rss(way), heap(way)) + children(way);
  const measured = (way: MemoryWay, name: string, count: number): Measured => ({
    way: name,
    text: `${total(way).toFixed(total(way) < 1 ? 3 : 1)} MB`,
    runs: readings[way].map((reading) => ({ speakers: count, ...reading })),
  });
  const processes = Math.max(...readings.ours.map(({ children: count }) => count));
  return {
    verdict: total('ours') <= 0.1 && processes === 0 ? 'met' : 'missed',
    ratios: [
      `${(total('guide') / total('ours')).toFixed(0)} × less than the guide pattern`,
      `${(total('library') / total('ours')).toFixed(1)} × less than the library player`,
    ],
    ours: measured('ours', 'ours', most),
    peers: [measured('guide', 'guide pattern', few), measured('library', 'library player fed with frames', most)],
    notes: [
      `Growth from joined and idle to playing, by speaker, in a fresh process each run (${most} speakers; guide ${few}); the larger of resident memory (ours ${(rss('ours') * 1000).toFixed(0)} kB) and heap with buffers after a collection (ours ${(heap('ours') * 1000).toFixed(0)} kB), plus the children's proportional share. The packets played are shared and were there before. Child processes while ours plays: ${processes}.`,
    ],
  };
}

export const row: Row = {
  number: 7,
  name: 'memory',
  figure: 'memory a playing speaker, beyond a joined idle connection, clip bytes aside',
  target: '≤ 0.1 MB; no child process on the hot path',
  run,
};

// A process for a single reading: joins, waits, plays, and reports the growth of its memory.
if (import.meta.main) await answer(readMemory);
