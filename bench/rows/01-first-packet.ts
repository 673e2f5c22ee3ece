import { setTimeout as sleep } from 'node:timers/promises';
import { createAudioResource } from '@discordjs/voice';
import type { Clip } from '../../src/audio/clips/clip.ts';
import { createAudioPipeline } from '../../src/audio/making/pipeline.ts';
import { measuredLatencies, type Row, type RowContext, type RowResult, speakLive } from '../row.ts';
import { voice, wav } from '../sound.ts';
import { percentile } from '../stats.ts';
import { framesResource, idle, silentLog, WHOLE, withRooms } from '../testbed.ts';

const CLIP_SECONDS = 0.6;
const UTTERANCES_A_RUN = 4;
/** The speech API's latency, which is over before the measured time begins. */
const API_MS = 20;
const PLAY_TIMEOUT_MS = 10_000;

const OURS = 'ours, real bot';
const OURS_PATH = 'ours, audio path alone';

interface Way {
  name: string;
  guildId: string;
  speak(): Promise<void>;
}

async function* framesOf(clip: Clip): AsyncIterable<Buffer> {
  for (let i = 0; ; i++) {
    await clip.waitFor(i);
    const packet = clip.packets[i];
    if (!packet) return;
    yield Buffer.from(packet);
  }
}

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const perRun = Math.max(3, Math.round(UTTERANCES_A_RUN * scale));
  const byRun = await withRooms({ ours: 1, library: 2, dave: true }, async ({ sink, ours, library }) => {
    const url = await sink.serveWav(wav(voice(CLIP_SECONDS)).toString('base64'));
    const pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true });
    await pipeline.warmUp();
    const fetchClip = () => pipeline.fetchClip(new URL(url), WHOLE);
    const [room, guide, frames] = [...ours, ...library] as [(typeof ours)[0], (typeof library)[0], (typeof library)[0]];
    for (const { guildId } of [room, guide, frames]) await sink.watch({ guildId, decode: false });

    const ways: Way[] = [
      {
        name: OURS_PATH,
        guildId: room.guildId,
        async speak() {
          const { outcome } = await room.session.play(await fetchClip());
          if (outcome !== 'finished') throw new Error(`Playing ended as ${outcome}`);
        },
      },
      {
        name: 'guide pattern',
        guildId: guide.guildId,
        async speak() {
          guide.player.play(createAudioResource(url));
          await idle(guide, PLAY_TIMEOUT_MS);
        },
      },
      {
        name: 'library player fed with frames',
        guildId: frames.guildId,
        async speak() {
          frames.player.play(framesResource(framesOf(await fetchClip())));
          await idle(frames, PLAY_TIMEOUT_MS);
        },
      },
    ];

    async function utterance(way: Way): Promise<number> {
      await sink.watched(way.guildId);
      await sink.headersSentAtMs();
      await way.speak();
      // Pauses vary, so that a way does not always start at the same point of the library's 20 ms interval.
      await sleep(120 + Math.random() * 40);
      const [headersAtMs] = await sink.headersSentAtMs();
      const { arrivals } = await sink.watched(way.guildId);
      const first = arrivals.find(({ silence, encrypted }) => !silence && encrypted);
      if (headersAtMs === undefined || !first) throw new Error(`Nothing audible arrived: ${way.name}`);
      return first.atMs - headersAtMs;
    }

    const latencies = new Map<string, number[][]>([OURS, ...ways.map(({ name }) => name)].map((name) => [name, []]));
    for (const way of ways) for (let i = 0; i < 3; i++) await utterance(way);
    for (let round = 0; round < runs; round++) {
      for (const way of ways) {
        const here: number[] = [];
        for (let i = 0; i < perRun; i++) here.push(await utterance(way));
        latencies.get(way.name)?.push(here);
      }
      const live = await speakLive({ utterances: perRun, apiMs: API_MS, isCold: false });
      latencies.get(OURS)?.push(live.map(({ firstAudibleMs, audioHeadersMs }) => firstAudibleMs - audioHeadersMs));
    }
    await pipeline.close();
    return latencies;
  });

  const of = (name: string, share: number) => percentile((byRun.get(name) ?? []).flat(), share);
  const measured = (name: string) => measuredLatencies(name, byRun.get(name) ?? []);
  const ratio = (name: string) => `${(of(name, 0.5) / of(OURS, 0.5)).toFixed(1)} × sooner than the ${name}`;
  const peers = [...byRun.keys()].filter((name) => name !== OURS && name !== OURS_PATH);
  return {
    verdict: of(OURS, 0.5) <= 5 && of(OURS, 0.95) <= 10 ? 'met' : 'missed',
    ratios: peers.map(ratio),
    ours: measured(OURS),
    peers: [...peers, OURS_PATH].map(measured),
    notes: [
      `From the moment the audio server flushed its headers to the first DAVE-encrypted packet that is not silence at the voice server; both clocks are the listening end's. ${perRun} utterances of ${CLIP_SECONDS} s a run, p50 and p95 over all of them; already joined, nothing else playing. The real bot is a process of its own that gets interactions; the peers, and our audio path alone, get the address directly.`,
    ],
  };
}

export const row: Row = {
  number: 1,
  name: 'first-packet',
  figure: 'audio response headers → first audible packet on the wire, already joined',
  target: 'p50 ≤ 5 ms, p95 ≤ 10 ms',
  run,
};
