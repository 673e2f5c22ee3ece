import { setTimeout as sleep } from 'node:timers/promises';
import { AudioPlayerStatus } from '@discordjs/voice';
import { clipFromPackets } from '../../src/audio/clips/clip.ts';
import { alternate, type Measured, type Row, type RowContext, type RowResult } from '../row.ts';
import { packets } from '../sound.ts';
import { median } from '../stats.ts';
import { framesResource, withRooms } from '../testbed.ts';

/** A queue of short sentences in a guild: each is played when the previous sentence has ended. */
const CLIPS = 20;
const CLIP_SECONDS = 0.2;
const RUN_TIMEOUT_MS = 30_000;

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const clips = Math.max(6, Math.round(CLIPS * scale));
  const frames = await packets(CLIP_SECONDS);
  const rooms = { ours: 1, library: 1, dave: true };
  const { library, ours } = await withRooms(rooms, async ({ sink, ours: [room], library: [peer] }) => {
    if (!room || !peer) throw new Error('No rooms');
    const { session } = room;
    const { player } = peer;
    for (const { guildId } of [room, peer]) await sink.watch({ guildId, decode: false });

    async function once(guildId: string, play: () => Promise<void>) {
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
    }

    /** Plays the next clip when the player is idle, as in the library's guide. */
    async function playLibrary(): Promise<void> {
      const ended = Promise.withResolvers<void>();
      const timer = setTimeout(() => ended.reject(new Error('The library never finished')), RUN_TIMEOUT_MS);
      let left = clips;
      const next = () => {
        if (left === 0) return ended.resolve();
        left -= 1;
        player.play(framesResource(frames));
      };
      player.on(AudioPlayerStatus.Idle, next);
      next();
      await ended.promise.finally(() => clearTimeout(timer));
      player.off(AudioPlayerStatus.Idle, next);
      player.stop(true);
    }

    async function playOurs(): Promise<void> {
      for (let i = 0; i < clips; i++) await session.play(clipFromPackets(frames));
    }

    return alternate(runs, {
      library: () => once(peer.guildId, playLibrary),
      ours: () => once(room.guildId, playOurs),
    });
  });

  type Field = keyof (typeof ours)[number];
  const mid = (results: typeof ours, field: Field) => median(results.map((result) => result[field]));
  const offRhythm = (results: typeof ours) => mid(results, 'below5') + mid(results, 'above30');
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const measured = (way: string, results: typeof ours): Measured => ({
    way,
    text: `${percent(mid(results, 'below5'))} < 5 ms, ${percent(mid(results, 'above30'))} > 30 ms`,
    runs: results,
  });
  const noneBelow = ours.every(({ below5 }) => below5 === 0);
  return {
    verdict: noneBelow && mid(ours, 'above30') <= 0.01 ? 'met' : 'missed',
    ratios: [`gaps off rhythm: ${percent(offRhythm(ours))} against ${percent(offRhythm(library))}`],
    ours: measured('ours', ours),
    peers: [measured('library player fed with frames', library)],
    notes: [
      `${clips} clips of ${frames.length} frames in one guild, each played when the one before has ended (the library: on its Idle event, its 100 ms of padding left at their default). Gaps between packets at the sink; our shortest over all runs was ${Math.min(...ours.map(({ minGapMs }) => minGapMs)).toFixed(1)} ms.`,
    ],
  };
}

export const row: Row = {
  number: 11,
  name: 'back-to-back',
  figure: 'clips back to back',
  target: 'no gap < 5 ms, ≤ 1 % > 30 ms',
  run,
};
