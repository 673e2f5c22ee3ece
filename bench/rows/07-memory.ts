import { ask } from '../child.ts';
import type { MemoryReading, MemoryWay } from '../memory-process.ts';
import { alternate, type Measured, type Row, type RowContext, type RowResult } from '../row.ts';
import { median } from '../stats.ts';

const SPEAKERS = 200;
/** Each has an ffmpeg of its own. */
const GUIDE_SPEAKERS = 10;
const CHILD_TIMEOUT_MS = 120_000;

/** A fresh process each time: the heap of one run is no part of the next. */
const read = (way: MemoryWay, count: number) => () =>
  ask<MemoryReading>('./memory-process.ts', { way, count }, { timeoutMs: CHILD_TIMEOUT_MS, flags: ['--expose-gc'] });

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const many = Math.max(5, Math.round(SPEAKERS * scale));
  const few = Math.max(2, Math.round(GUIDE_SPEAKERS * scale));
  const readings = await alternate(runs, {
    library: read('library', many),
    ours: read('ours', many),
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
    ours: measured('ours', 'ours', many),
    peers: [measured('guide', 'guide pattern', few), measured('library', 'library player fed with frames', many)],
    notes: [
      `Growth from joined and idle to playing, by speaker, in a fresh process each run (${many} speakers; guide ${few}); the larger of resident memory (ours ${(rss('ours') * 1000).toFixed(0)} kB) and heap with buffers after a collection (ours ${(heap('ours') * 1000).toFixed(0)} kB), plus the children's proportional share. The packets played are shared and were there before. Child processes while ours plays: ${processes}.`,
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
