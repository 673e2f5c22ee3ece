import { setTimeout as sleep } from 'node:timers/promises';
import { clipFromPackets } from '../../src/audio/clips/clip.ts';
import type { HeardPacket } from '../../src/playground/voice/protocol.ts';
import { alternate, besideLibrary, type Row } from '../row.ts';
import { packets } from '../sound.ts';
import { medianOf } from '../stats.ts';
import { framesResource, idle, withPair } from '../testbed.ts';

const CLIP_SECONDS = 4;
const STALL_MS = 2_000;
/** A gap between packets of at least this length counts as the stall. */
const STALL_GAP_MS = 1_000;
const PLAY_TIMEOUT_MS = 15_000;

function stall(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS);
}

/** The packets in a listener's jitter buffer after the stall. */
function judge(arrivals: readonly HeardPacket[]) {
  const speech = arrivals.filter(({ silence }) => !silence);
  const pairs = speech.slice(1).map((now, i) => ({ before: speech[i] as HeardPacket, now }));
  const resumed = pairs.find(({ before, now }) => now.atMs - before.atMs > STALL_GAP_MS)?.now;
  if (!resumed) throw new Error('The stall is not to be seen in what arrived');
  const isWrong = ({ before, now }: (typeof pairs)[number]) =>
    (now.timestamp - before.timestamp) >>> 0 !== 960 * ((now.sequence - before.sequence) & 0xffff);
  return {
    burst: speech.filter(({ atMs }) => atMs >= resumed.atMs && atMs < resumed.atMs + 200).length,
    speech: speech.length,
    wrongTimestamps: pairs.filter(isWrong).length,
  };
}

export const row: Row = {
  number: 9,
  name: 'stall',
  figure: 'after a 2 s stall',
  target: '≤ 15 packets in the next 200 ms, timestamps right, no speech dropped',
  async run({ runs, scale }) {
    const frames = await packets(Math.max(1.5, CLIP_SECONDS * scale));
    const { library, ours } = await withPair(({ sink, ours, library }) => {
      const once = (guildId: string, play: () => Promise<unknown>) => async () => {
        await sink.watched(guildId);
        const played = play();
        await sleep(600);
        stall();
        await played;
        await sleep(150);
        return judge((await sink.watched(guildId)).arrivals);
      };
      return alternate(runs, {
        library: once(library.guildId, async () => {
          library.player.play(framesResource(frames));
          await idle(library, PLAY_TIMEOUT_MS);
        }),
        ours: once(ours.guildId, () => ours.session.play(clipFromPackets(frames))),
      });
    });

    const isWhole = ours.every(({ speech, wrongTimestamps }) => speech === frames.length && wrongTimestamps === 0);
    return {
      verdict: medianOf(ours, 'burst') <= 15 && isWhole ? 'met' : 'missed',
      ratios: [`${(medianOf(library, 'burst') / medianOf(ours, 'burst')).toFixed(1)} × smaller a burst`],
      ...besideLibrary(
        { ours, library },
        (results) =>
          `${medianOf(results, 'burst')} packets in 200 ms, ${medianOf(results, 'speech')} of ${frames.length} frames arrived`,
      ),
      notes: [
        `The main thread blocks for 2 s in the middle of a clip of ${frames.length} frames. Counted from the first packet after it; 10 are normal. Wrong timestamps in our runs: ${ours.reduce((sum, result) => sum + result.wrongTimestamps, 0)}.`,
      ],
    };
  },
};
