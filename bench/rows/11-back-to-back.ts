import { setTimeout as sleep } from 'node:timers/promises';
import { AudioPlayerStatus } from '@discordjs/voice';
import { clipFromPackets } from '../../src/audio/clips/clip.ts';
import { alternate, besideLibrary, type Row } from '../row.ts';
import { packets } from '../sound.ts';
import { medianOf } from '../stats.ts';
import { framesResource, withPair } from '../testbed.ts';

/** A queue of short sentences in a guild: each is played when the previous sentence has ended. */
const CLIPS = 20;
const CLIP_SECONDS = 0.2;
const RUN_TIMEOUT_MS = 30_000;

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

export const row: Row = {
  number: 11,
  name: 'back-to-back',
  figure: 'clips back to back',
  target: 'no gap < 5 ms, ≤ 1 % > 30 ms',
  async run({ runs, scale }) {
    const clips = Math.max(6, Math.round(CLIPS * scale));
    const frames = await packets(CLIP_SECONDS);
    const { library, ours } = await withPair(({ sink, ours: { guildId, session }, library: peer }) => {
      const once = (guildId: string, play: () => Promise<void>) => async () => {
        await sink.watched(guildId);
        await play();
        await sleep(300);
        const { arrivals } = await sink.watched(guildId);
        // From the first word to the last: silence in between counts, silence at the end does not.
        const from = arrivals.findIndex(({ silence }) => !silence);
        const to = arrivals.findLastIndex(({ silence }) => !silence);
        const span = arrivals.slice(from, to + 1);
        const gaps = span.slice(1).map(({ atMs }, i) => atMs - (span[i]?.atMs ?? 0));
        const share = (fits: (gapMs: number) => boolean) => gaps.filter(fits).length / gaps.length;
        const speech = span.filter(({ silence }) => !silence).length;
        if (speech < clips * frames.length * 0.9) throw new Error(`Only ${speech} frames arrived`);
        return {
          below5: share((gapMs) => gapMs < 5),
          above30: share((gapMs) => gapMs > 30),
          minGapMs: Math.min(...gaps),
          maxGapMs: Math.max(...gaps),
        };
      };

      /** Plays the next clip when the player is idle, as in the library's guide. */
      async function playLibrary(): Promise<void> {
        const ended = Promise.withResolvers<void>();
        const timer = setTimeout(() => ended.reject(new Error('The library never finished')), RUN_TIMEOUT_MS);
        let left = clips;
        const next = () => {
          if (left === 0) return ended.resolve();
          left -= 1;
          peer.player.play(framesResource(frames));
        };
        peer.player.on(AudioPlayerStatus.Idle, next);
        next();
        await ended.promise.finally(() => clearTimeout(timer));
        peer.player.off(AudioPlayerStatus.Idle, next);
        peer.player.stop(true);
      }

      async function playOurs(): Promise<void> {
        for (let i = 0; i < clips; i++) await session.play(clipFromPackets(frames));
      }

      return alternate(runs, { library: once(peer.guildId, playLibrary), ours: once(guildId, playOurs) });
    });

    const offRhythm = (results: typeof ours) => percent(medianOf(results, 'below5') + medianOf(results, 'above30'));
    const shortestMs = Math.min(...ours.map(({ minGapMs }) => minGapMs));
    return {
      verdict: ours.every(({ below5 }) => below5 === 0) && medianOf(ours, 'above30') <= 0.01 ? 'met' : 'missed',
      ratios: [`gaps off rhythm: ${offRhythm(ours)} against ${offRhythm(library)}`],
      ...besideLibrary(
        { ours, library },
        (results) => `${percent(medianOf(results, 'below5'))} < 5 ms, ${percent(medianOf(results, 'above30'))} > 30 ms`,
      ),
      notes: [
        `${clips} clips of ${frames.length} frames in one guild, each played when the one before has ended (the library: on its Idle event, its 100 ms of padding left at their default). Gaps between packets at the sink; our shortest over all runs was ${shortestMs.toFixed(1)} ms.`,
      ],
    };
  },
};
