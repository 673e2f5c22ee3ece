import { Readable } from 'node:stream';
import {
  type AudioPlayer,
  AudioPlayerStatus,
  createAudioPlayer,
  createAudioResource,
  entersState,
  StreamType,
  type VoiceConnection,
} from '@discordjs/voice';
import type { Clip } from '../src/audio/clips/clip.ts';
import type { VoiceSession } from '../src/audio/connection/voice-sessions.ts';

/** Plays finished Opus frames with the library's own player, which is the library's fastest way. */
export function framesResource(frames: Iterable<Buffer> | AsyncIterable<Buffer>) {
  return createAudioResource(Readable.from(frames, { objectMode: true }), { inputType: StreamType.Opus });
}

/** A subscribed player of the library. Errors are reported instead of ending the process. */
export function playerFor(connection: VoiceConnection): AudioPlayer {
  const player = createAudioPlayer();
  player.on('error', (error) => console.error(`Library's player: ${error.message}`));
  connection.subscribe(player);
  return player;
}

/** Resolves at the end of playback. */
export async function idle(player: AudioPlayer, timeoutMs: number): Promise<void> {
  await entersState(player, AudioPlayerStatus.Idle, timeoutMs);
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
