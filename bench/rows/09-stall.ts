import { setTimeout as sleep } from 'node:timers/promises';
import { clipFromPackets } from '../../src/audio/clips/clip.ts';
import { alternate, type Measured, type Row, type RowContext, type RowResult } from '../row.ts';
import type { Arrival } from '../sink/process.ts';
import { packets } from '../sound.ts';
import { median } from '../stats.ts';
import { framesResource, idle, withRooms } from '../testbed.ts';

const CLIP_SECONDS = 4;
const STALL_MS = 2_000;
/** A gap between packets of at least this length counts as the stall. */
const STALL_GAP_MS = 1_000;
const PLAY_TIMEOUT_MS = 15_000;

function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
}

/** The packets in a listener's jitter buffer after the stall. */
function judge(arrivals: readonly Arrival[]) {
  const speech = arrivals.filter(({ silence }) => !silence);
  const resumed = speech.findIndex(({ atMs }, i) => i > 0 && atMs - (speech[i - 1] as Arrival).atMs > STALL_GAP_MS);
  if (resumed < 0) throw new Error('The stall is not to be seen in what arrived');
  const resumedAtMs = (speech[resumed] as Arrival).atMs;
  let steps = 0;
  for (let i = 1; i < speech.length; i++) {
    const [before, now] = [speech[i - 1] as Arrival, speech[i] as Arrival];
    const slots = (now.sequence - before.sequence) & 0xffff;
    if ((now.timestamp - before.timestamp) >>> 0 !== 960 * slots) steps += 1;
  }
  return {
    burst: speech.filter(({ atMs }) => atMs >= resumedAtMs && atMs < resumedAtMs + 200).length,
    speech: speech.length,
    wrongTimestamps: steps,
  };
}

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const frames = await packets(Math.max(1.5, CLIP_SECONDS * scale));
  const rooms = { ours: 1, library: 1, dave: true };
  const { library, ours } = await withRooms(rooms, async ({ sink, ours: [room], library: [peer] }) => {
    if (!room || !peer) throw new Error('No rooms');
    for (const { guildId } of [room, peer]) await sink.watch({ guildId, decode: false });

    async function once(guildId: string, play: () => Promise<unknown>) {
      await sink.watched(guildId);
      const played = play();
      await sleep(600);
      stall();
      await played;
      await sleep(150);
      return judge((await sink.watched(guildId)).arrivals);
    }

    return alternate(runs, {
      library: () =>
        once(peer.guildId, async () => {
          peer.player.play(framesResource(frames));
          await idle(peer, PLAY_TIMEOUT_MS);
        }),
      ours: () => once(room.guildId, () => room.session.play(clipFromPackets(frames))),
    });
  });

  const burst = (results: readonly { burst: number }[]) => median(results.map((result) => result.burst));
  const measured = (way: string, results: typeof ours): Measured => ({
    way,
    text: `${burst(results)} packets in 200 ms, ${median(results.map(({ speech }) => speech))} of ${frames.length} frames arrived`,
    runs: results,
  });
  const isWhole = ours.every(({ speech, wrongTimestamps }) => speech === frames.length && wrongTimestamps === 0);
  return {
    verdict: burst(ours) <= 15 && isWhole ? 'met' : 'missed',
    ratios: [`${(burst(library) / burst(ours)).toFixed(1)} × smaller a burst`],
    ours: measured('ours', ours),
    peers: [measured('library player fed with frames', library)],
    notes: [
      `The main thread blocks for 2 s in the middle of a clip of ${frames.length} frames. Counted from the first packet after it; 10 are normal. Wrong timestamps in our runs: ${ours.reduce((sum, result) => sum + result.wrongTimestamps, 0)}.`,
    ],
  };
}

export const row: Row = {
  number: 9,
  name: 'stall',
  figure: 'after a 2 s stall',
  target: '≤ 15 packets in the next 200 ms, timestamps right, no speech dropped',
  run,
};
