import { setTimeout as sleep } from 'node:timers/promises';
import { createAudioResource } from '@discordjs/voice';
import { answer, ask } from '../child.ts';
import { childPids, proportionalMb } from '../machine.ts';
import { alternate, GUIDE, LIBRARY, type Measured, type Row } from '../row.ts';
import { longSpeech } from '../sound.ts';
import { medianOf } from '../stats.ts';
import { startPlayer, startSession, withRooms } from '../testbed.ts';

type MemoryWay = 'ours' | 'library' | 'guide';
type MemoryReading = Awaited<ReturnType<typeof readMemory>>;

const SOUND_SECONDS = 12;

async function settled(): Promise<{ rssMb: number; heapMb: number }> {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await sleep(100);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssMb: rss / 1e6, heapMb: (heapUsed + external) / 1e6 };
}

/** Joins, waits, plays, and returns the MB that memory grew by speaker, and the number of processes that playing starts. */
async function readMemory({ way, count }: { readonly way: MemoryWay; readonly count: number }) {
  const { frames, clip } = await longSpeech(SOUND_SECONDS);
  // Without DAVE: encryption uses the same memory when idle, and joining takes a tenth of the time.
  const isOurs = way === 'ours';
  const rooms = { ours: isOurs ? count : 0, library: isOurs ? 0 : count, dave: false };
  return withRooms(rooms, async ({ sink, ours, library }) => {
    // Longer than the buffers of pipes and streams: otherwise ffmpeg would finish before the measurement.
    const url = way === 'guide' && (await sink.serveSpeech(SOUND_SECONDS * 8));
    const startAll = () => [
      ...ours.map((room) => startSession(room, clip)),
      ...library.map((room) => {
        if (!url) return startPlayer(room, frames);
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
const GUIDE_SPEAKERS = 10;

/** A fresh process for each reading: a run's heap does not count in the next reading. */
const read = (way: MemoryWay, count: number) => () =>
  ask<MemoryReading>('./rows/07-memory.ts', { way, count }, { flags: ['--expose-gc'] });

const totalMb = (readings: readonly MemoryReading[]) =>
  Math.max(medianOf(readings, 'rssMb'), medianOf(readings, 'heapMb')) + medianOf(readings, 'childrenMb');

function measured(way: string, speakers: number, readings: readonly MemoryReading[]): Measured {
  const total = totalMb(readings);
  const runs = readings.map((reading) => ({ speakers, ...reading }));
  return { way, text: `${total.toFixed(total < 1 ? 3 : 1)} MB`, runs };
}

export const row: Row = {
  number: 7,
  name: 'memory',
  figure: 'memory a playing speaker, beyond a joined idle connection, clip bytes aside',
  target: '≤ 0.1 MB; no child process on the hot path',
  async run({ runs, scale }) {
    const most = Math.max(5, Math.round(SPEAKERS * scale));
    const few = Math.max(2, Math.round(GUIDE_SPEAKERS * scale));
    const { ours, library, guide } = await alternate(runs, {
      library: read('library', most),
      ours: read('ours', most),
      guide: read('guide', few),
    });
    const processes = Math.max(...ours.map(({ children }) => children));
    const ourKb = (field: 'rssMb' | 'heapMb') => (medianOf(ours, field) * 1000).toFixed(0);
    return {
      verdict: totalMb(ours) <= 0.1 && processes === 0 ? 'met' : 'missed',
      ratios: [
        `${(totalMb(guide) / totalMb(ours)).toFixed(0)} × less than the guide pattern`,
        `${(totalMb(library) / totalMb(ours)).toFixed(1)} × less than the library player`,
      ],
      ours: measured('ours', most, ours),
      peers: [measured(GUIDE, few, guide), measured(LIBRARY, most, library)],
      notes: [
        `Growth from joined and idle to playing, by speaker, in a fresh process each run (${most} speakers; guide ${few}); the larger of resident memory (ours ${ourKb('rssMb')} kB) and heap with buffers after a collection (ours ${ourKb('heapMb')} kB), plus the children's proportional share. The packets played are shared and were there before. Child processes while ours plays: ${processes}.`,
      ],
    };
  },
};

// A process for a single reading.
if (import.meta.main) await answer(readMemory);
