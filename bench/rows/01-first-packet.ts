import { setTimeout as sleep } from 'node:timers/promises';
import { createAudioResource } from '@discordjs/voice';
import type { Clip } from '../../src/audio/clips/clip.ts';
import { createAudioPipeline } from '../../src/audio/making/pipeline.ts';
import { alternate, GUIDE, LIBRARY, measuredLatencies, type Row, speakLive } from '../row.ts';
import { percentile } from '../stats.ts';
import { framesResource, idle, silentLog, WHOLE, withRooms } from '../testbed.ts';

const CLIP_SECONDS = 0.6;
const UTTERANCES_A_RUN = 4;
/** The speech API's latency, which is over before the measured time begins. */
const API_MS = 20;
const PLAY_TIMEOUT_MS = 10_000;

async function* framesOf(clip: Clip): AsyncIterable<Buffer> {
  for (let i = 0; ; i++) {
    await clip.waitFor(i);
    const packet = clip.packets[i];
    if (!packet) return;
    yield Buffer.from(packet);
  }
}

const measure = (runs: number, perRun: number) =>
  withRooms({ ours: 1, library: 2, dave: true }, async ({ sink, ours: [ours], library: [guide, frames] }) => {
    if (!ours || !guide || !frames) throw new Error('No rooms');
    const url = await sink.serveSpeech(CLIP_SECONDS);
    const pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true });
    await pipeline.warmUp();
    const fetchClip = () => pipeline.fetchClip(new URL(url), WHOLE);

    async function utterance(guildId: string, speak: () => Promise<void>): Promise<number> {
      await sink.watched(guildId);
      await sink.headersSentAtMs();
      await speak();
      // Pauses vary, so that a way does not always start at the same point of the library's 20 ms interval.
      await sleep(120 + Math.random() * 40);
      const [headersAtMs] = await sink.headersSentAtMs();
      const { arrivals } = await sink.watched(guildId);
      const first = arrivals.find(({ silence, encrypted }) => !silence && encrypted);
      if (headersAtMs === undefined || !first) throw new Error(`Nothing audible arrived in ${guildId}`);
      return first.atMs - headersAtMs;
    }
    const repeatedly = (guildId: string, speak: () => Promise<void>) => async () => {
      const latencies: number[] = [];
      while (latencies.length < perRun) latencies.push(await utterance(guildId, speak));
      return latencies;
    };

    const ways = {
      path: repeatedly(ours.guildId, async () => {
        const { outcome } = await ours.session.play(await fetchClip());
        if (outcome !== 'finished') throw new Error(`Playing ended as ${outcome}`);
      }),
      guide: repeatedly(guide.guildId, async () => {
        guide.player.play(createAudioResource(url));
        await idle(guide, PLAY_TIMEOUT_MS);
      }),
      library: repeatedly(frames.guildId, async () => {
        frames.player.play(framesResource(framesOf(await fetchClip())));
        await idle(frames, PLAY_TIMEOUT_MS);
      }),
    };
    for (const { guildId } of [ours, guide, frames]) await sink.watch({ guildId, decode: false });
    // The first utterances compile code.
    for (const way of Object.values(ways)) await way();
    const live = async () => {
      const utterances = await speakLive({ utterances: perRun, apiMs: API_MS, isCold: false });
      return utterances.map(({ firstAudibleMs, audioHeadersMs }) => firstAudibleMs - audioHeadersMs);
    };
    const latencies = await alternate(runs, { ...ways, live });
    await pipeline.close();
    return latencies;
  });

export const row: Row = {
  number: 1,
  name: 'first-packet',
  figure: 'audio response headers → first audible packet on the wire, already joined',
  target: 'p50 ≤ 5 ms, p95 ≤ 10 ms',
  async run({ runs, scale }) {
    const perRun = Math.max(3, Math.round(UTTERANCES_A_RUN * scale));
    const { live, path, guide, library } = await measure(runs, perRun);
    const p50 = (latencies: number[][]) => percentile(latencies.flat(), 0.5);
    const ratio = (peer: number[][], name: string) => `${(p50(peer) / p50(live)).toFixed(1)} × sooner than the ${name}`;
    return {
      verdict: p50(live) <= 5 && percentile(live.flat(), 0.95) <= 10 ? 'met' : 'missed',
      ratios: [ratio(guide, GUIDE), ratio(library, LIBRARY)],
      ours: measuredLatencies('ours, real bot', live),
      peers: [
        measuredLatencies(GUIDE, guide),
        measuredLatencies(LIBRARY, library),
        measuredLatencies('ours, audio path alone', path),
      ],
      notes: [
        `From the moment the audio server flushed its headers to the first DAVE-encrypted packet that is not silence at the voice server; both clocks are the listening end's. ${perRun} utterances of ${CLIP_SECONDS} s a run, p50 and p95 over all of them; already joined, nothing else playing. The real bot is a process of its own that gets interactions; the peers, and our audio path alone, get the address directly.`,
      ],
    };
  },
};
