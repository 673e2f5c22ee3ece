import { setTimeout as sleep } from 'node:timers/promises';
import { createAudioResource } from '../src/audio/connection/library/voice-library.ts';
import { answer } from './child.ts';
import { childPids, proportionalMb } from './machine.ts';
import { playerFor, startPlayer, startSession } from './peers.ts';
import { longClip, packets, repeated, voice, wav } from './sound.ts';
import { many, startTestbed } from './testbed.ts';

// Run as a process of its own, once a reading: joins, waits, plays, and reports its growth.

export type MemoryWay = 'ours' | 'library' | 'guide';

/** MB by speaker, except `children`. */
export interface MemoryReading extends Readonly<Record<string, number>> {
  rssMb: number;
  heapMb: number;
  childrenMb: number;
  /** Processes started to play. */
  children: number;
}

const SOUND_SECONDS = 12;

async function settled(): Promise<{ rssMb: number; heapMb: number }> {
  for (let i = 0; i < 4; i++) {
    globalThis.gc?.();
    await sleep(100);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rssMb: rss / 1e6, heapMb: (heapUsed + external) / 1e6 };
}

async function start(way: MemoryWay, count: number) {
  // Without DAVE: the memory of the encryption is in use while idle, too, and joining takes a tenth of the time.
  const testbed = await startTestbed();
  const frames = await packets(2);
  if (way === 'ours') {
    const rooms = await many(count, () => testbed.joinOurs({ dave: false }));
    const clip = longClip(frames, SOUND_SECONDS);
    const startAll = (seconds: number) =>
      rooms.map(({ session }) => startSession(session, seconds < SOUND_SECONDS ? longClip(frames, seconds) : clip));
    return { testbed, startAll };
  }
  const rooms = await many(count, () => testbed.joinLibrary({ dave: false }));
  const players = rooms.map(({ connection }) => playerFor(connection));
  if (way === 'library') {
    const long = repeated(frames, SOUND_SECONDS);
    const startAll = (seconds: number) => players.map((player) => startPlayer(player, long.slice(0, seconds * 50)));
    return { testbed, startAll };
  }
  // Longer than the buffers of pipes and streams, or ffmpeg would have finished before the measurement.
  const audio = wav(voice(SOUND_SECONDS * 8));
  const { url } = await testbed.sink.serveAudio({ base64: audio.toString('base64'), contentType: 'audio/wav' });
  const startAll = () =>
    players.map((player) => {
      player.play(createAudioResource(url));
      return () => void player.stop(true);
    });
  return { testbed, startAll };
}

async function read({ way, count }: { readonly way: MemoryWay; readonly count: number }): Promise<MemoryReading> {
  const { testbed, startAll } = await start(way, count);
  // Once for the code, which is compiled only then, and for the first growth of the heap.
  for (const stop of startAll(1)) {
    await sleep(5);
    stop();
  }
  await sleep(1_000);
  const before = await settled();
  const stops = startAll(SOUND_SECONDS);
  await sleep(1_000);
  // The sink is a child, too, and was there before.
  const players = childPids().slice(1);
  const childrenMb = players.reduce((sum, pid) => sum + proportionalMb(pid), 0);
  const after = await settled();
  for (const stop of stops) stop();
  await testbed.close();
  return {
    rssMb: (after.rssMb - before.rssMb) / count,
    heapMb: (after.heapMb - before.heapMb) / count,
    childrenMb: childrenMb / count,
    children: players.length,
  };
}

await answer(read);
