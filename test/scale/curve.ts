import { median, percentile } from '../../bench/stats.ts';
import { openCluster } from './cluster.ts';
import { beginQuietly, openRooms } from './quiet.ts';
import type { Talk } from './rooms.ts';

/** The total of servers, and the cells that share them. */
const SIZES = [
  { cells: 1, servers: 100 },
  { cells: 1, servers: 10_000 },
  { cells: 4, servers: 100 },
  { cells: 4, servers: 10_000 },
  { cells: 8, servers: 100 },
  { cells: 8, servers: 10_000 },
] as const;

interface Point {
  readonly cells: number;
  readonly servers: number;
  readonly readyMs: number;
  readonly residentMb: number;
  /** All cells together, in percent of a core. */
  readonly idlePercent: number;
  readonly speakingPercent: number;
  readonly texts: number;
  readonly firstPacketMs: { readonly p50: number; readonly p95: number };
}

async function measure(size: { readonly cells: number; readonly servers: number }): Promise<Point> {
  const cluster = await openCluster({ ...size, env: {} });
  const over = new AbortController();
  try {
    const seen: Talk = { texts: [], phase: 'quiet', open: new Set() };
    const { quiet, talks } = await beginQuietly(cluster, openRooms(cluster), seen, over.signal);
    over.abort();
    await talks;
    const first = seen.texts.flatMap(({ firstPacketMs }) => firstPacketMs ?? []);
    const percentOf = (taken: readonly { readonly cpu: number }[]) =>
      taken.reduce((sum, { cpu }) => sum + cpu * 100, 0);
    return {
      ...size,
      readyMs: cluster.readyMs,
      residentMb: median(quiet.speaking.map(({ residentMb }) => residentMb)),
      idlePercent: percentOf(quiet.idle),
      speakingPercent: percentOf(quiet.speaking),
      texts: seen.texts.length,
      firstPacketMs: { p50: percentile(first, 0.5), p95: percentile(first, 0.95) },
    };
  } finally {
    over.abort();
    await cluster.close();
  }
}

export async function measureCurve(): Promise<string> {
  const points: Point[] = [];
  for (const size of SIZES) {
    console.error(`${size.cells} cells, ${size.servers} servers …`);
    points.push(await measure(size));
  }
  return [
    '| cells | servers in all | all ready after | memory of a cell | CPU of all, idle | CPU of all, three servers of each speaking | texts | first packet p50 / p95 |',
    '|---|---|---|---|---|---|---|---|',
    ...points.map(
      ({ cells, servers, readyMs, residentMb, idlePercent, speakingPercent, texts, firstPacketMs: { p50, p95 } }) =>
        `| ${cells} | ${servers.toLocaleString('en')} | ${(readyMs / 1_000).toFixed(1)} s | ${residentMb.toFixed(0)} MB | ${idlePercent.toFixed(1)} % | ${speakingPercent.toFixed(1)} % | ${texts} | ${p50.toFixed(0)} / ${p95.toFixed(0)} ms |`,
    ),
    '',
  ].join('\n');
}
