import { setTimeout as sleep } from 'node:timers/promises';
import { createAudioResource, getVoiceConnection } from '@discordjs/voice';
import type { Clip } from '../../src/audio/clips/clip.ts';
import { createAudioPipeline } from '../../src/audio/making/pipeline.ts';
import { framesResource, idle, playerFor, startSession } from '../peers.ts';
import { type Measured, type Row, type RowContext, type RowResult, speakLive } from '../row.ts';
import { longClip, packets, voice, wav } from '../sound.ts';
import { percentileOfRuns } from '../stats.ts';
import { many, redirect, silentLog, startTestbed } from '../testbed.ts';

const CLIP_SECONDS = 0.6;
const UTTERANCES_A_RUN = 4;
/** The speech API's latency, which is over before the measured time begins. */
const API_MS = 20;
const PLAY_TIMEOUT_MS = 10_000;

const OURS = 'ours, real bot';
const OURS_PATH = 'ours, audio path alone';
const IN_CROWD = 'ours, audio path alone, while others speak';
/**
 * The number of sessions in the same process that speak during the measurement. Their packets go to a socket without a
 * reader.
 */
const OTHERS = 200;
const CROWD_CLIP_SECONDS = 60;
const CROWD_SETTLE_MS = 1_500;

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
  const testbed = await startTestbed();
  const { sink } = testbed;
  const audio = wav(voice(CLIP_SECONDS));
  const { url } = await sink.serveAudio({ base64: audio.toString('base64'), contentType: 'audio/wav' });
  const pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true });
  await pipeline.warmUp();
  const room = await testbed.joinOurs({ dave: true });
  const guideRoom = await testbed.joinLibrary({ dave: true });
  const framesRoom = await testbed.joinLibrary({ dave: true });
  const guidePlayer = playerFor(guideRoom.connection);
  const framesPlayer = playerFor(framesRoom.connection);
  for (const { guildId } of [room, guideRoom, framesRoom]) await sink.watch({ guildId, decode: false });

  const ways: Way[] = [
    {
      name: OURS_PATH,
      guildId: room.guildId,
      async speak() {
        const { outcome } = await room.session.play(await pipeline.fetchClip(new URL(url)));
        if (outcome !== 'finished') throw new Error(`Playing ended as ${outcome}`);
      },
    },
    {
      name: 'guide pattern',
      guildId: guideRoom.guildId,
      async speak() {
        guidePlayer.play(createAudioResource(url));
        await idle(guidePlayer, PLAY_TIMEOUT_MS);
      },
    },
    {
      name: 'library player fed with frames',
      guildId: framesRoom.guildId,
      async speak() {
        framesPlayer.play(framesResource(framesOf(await pipeline.fetchClip(new URL(url)))));
        await idle(framesPlayer, PLAY_TIMEOUT_MS);
      },
    },
  ];

  const crowd = await many(Math.round(OTHERS * scale), () => testbed.joinOurs({ dave: true }));
  const unreadPort = await sink.unreadPort();
  for (const { guildId } of crowd) {
    const connection = getVoiceConnection(guildId);
    if (connection) await redirect(connection, unreadPort);
  }
  const crowdClip = longClip(await packets(2), CROWD_CLIP_SECONDS);

  /** Measures the audio path again while all other sessions speak. */
  async function inCrowd(path: Way): Promise<number[]> {
    const stops = crowd.map(({ session }) => startSession(session, crowdClip));
    try {
      await sleep(CROWD_SETTLE_MS);
      const latencies: number[] = [];
      for (let i = 0; i < perRun; i++) latencies.push(await utterance(path));
      return latencies;
    } finally {
      for (const stop of stops) stop();
    }
  }

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

  const names = [OURS, ...ways.map((way) => way.name), IN_CROWD];
  const byRun = new Map<string, number[][]>(names.map((name) => [name, []]));
  for (const way of ways) for (let i = 0; i < 3; i++) await utterance(way);
  for (let round = 0; round < runs; round++) {
    for (const way of ways) {
      const latencies: number[] = [];
      for (let i = 0; i < perRun; i++) latencies.push(await utterance(way));
      byRun.get(way.name)?.push(latencies);
    }
    const [path] = ways;
    if (path) byRun.get(IN_CROWD)?.push(await inCrowd(path));
    const live = await speakLive({ utterances: perRun, apiMs: API_MS, isCold: false });
    byRun.get(OURS)?.push(live.map(({ firstAudibleMs, audioHeadersMs }) => firstAudibleMs - audioHeadersMs));
  }
  await pipeline.close();
  await testbed.close();

  const of = (name: string, share: number) => percentileOfRuns(byRun.get(name) ?? [], share);
  const measured = (name: string): Measured => ({
    way: name,
    text: `p50 ${of(name, 0.5).value.toFixed(1)} ms, p95 ${of(name, 0.95).value.toFixed(1)} ms`,
    runs: of(name, 0.5).each.map((p50Ms, i) => ({ p50Ms, p95Ms: of(name, 0.95).each[i] as number })),
  });
  const ratio = (name: string) => `${(of(name, 0.5).value / of(OURS, 0.5).value).toFixed(1)} × sooner than the ${name}`;
  const isMet = (name: string, p50Ms: number, p95Ms: number) =>
    of(name, 0.5).value <= p50Ms && of(name, 0.95).value <= p95Ms;
  const peers = ways.filter(({ name }) => name !== OURS_PATH);
  return {
    verdict: isMet(OURS, 5, 10) && isMet(IN_CROWD, 2, 3) ? 'met' : 'missed',
    ratios: peers.map(({ name }) => ratio(name)),
    ours: measured(OURS),
    peers: [...peers.map(({ name }) => measured(name)), measured(OURS_PATH), measured(IN_CROWD)],
    notes: [
      `From the moment the audio server flushed its headers to the first DAVE-encrypted packet that is not silence at the voice server; both clocks are the listening end's. ${perRun} utterances of ${CLIP_SECONDS} s a run, p50 and p95 over all of them; already joined, nothing else playing. The real bot is a process of its own that gets interactions; the peers, and our audio path alone, get the address directly. In a crowd: ${crowd.length} other sessions of the process speak with DAVE meanwhile, to a socket that nobody reads.`,
    ],
  };
}

export const row: Row = {
  number: 1,
  name: 'first-packet',
  figure: 'audio response headers → first audible packet on the wire, already joined',
  target: 'p50 ≤ 5 ms, p95 ≤ 10 ms; while 200 others speak 2 and 3 ms',
  run,
};
