import { setTimeout as sleep } from 'node:timers/promises';
import { type Clip, PACKET_MS } from '../src/audio/clips/clip.ts';
import type { AudioPlayer } from '../src/audio/connection/library/voice-library.ts';
import type { VoiceSession } from '../src/audio/connection/voice-sessions.ts';
import { framesResource } from './peers.ts';
import type { Sink } from './sink/client.ts';
import type { Arrivals } from './sink/meter.ts';
import type { Lag } from './sink/protocol.ts';

/** Time for phases to settle and code to warm up before packets count. */
const SETTLE_MS = 1_500;
/** For the silence that ends a clip to go out before the next trial. */
const QUIET_MS = 400;

export type Trial = Arrivals & {
  lag: Lag;
  cpuShare: number;
  botCpuShare: number;
  wanted: number;
  loopLateMs: number;
  /** Packets that arrived or were lost on the way, of 50 a second by each that is timed. */
  sentShare: number;
};

/** Starts all, measures for `windowMs`, stops all. `timed`: so many of them are heard by the sink. */
export async function trial(
  sink: Sink,
  options: { speakers: number; timed: number; windowMs: number; start(index: number): () => void },
): Promise<Trial> {
  const stops = Array.from({ length: options.speakers }, (_, index) => options.start(index));
  await sleep(SETTLE_MS);
  const cpu = process.cpuUsage();
  const from = performance.now();
  await sink.begin();
  await sleep(options.windowMs);
  const loopLateMs = performance.now() - from - options.windowMs;
  const arrivals = await sink.end({ speakers: options.timed });
  const { user, system } = process.cpuUsage(cpu);
  const passedMs = performance.now() - from;
  const botCpuShare = (user + system) / 1000 / passedMs;
  const sentShare = (arrivals.received + arrivals.lost) / ((options.timed * passedMs) / PACKET_MS);
  for (const stop of stops) stop();
  await sleep(QUIET_MS);
  return { ...arrivals, botCpuShare, wanted: options.speakers, loopLateMs, sentShare };
}

export function startSession(session: VoiceSession, clip: Clip): () => void {
  const stopping = new AbortController();
  void session.play(clip, { signal: stopping.signal });
  return () => stopping.abort();
}

export function startPlayer(player: AudioPlayer, frames: readonly Buffer[]): () => void {
  player.play(framesResource(frames));
  return () => void player.stop(true);
}
