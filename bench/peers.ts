import { Readable } from 'node:stream';
import {
  type AudioPlayer,
  AudioPlayerStatus,
  createAudioPlayer,
  createAudioResource,
  entersState,
  StreamType,
  type VoiceConnection,
} from '../src/audio/connection/library/voice-library.ts';

/** The library's own player, fed with finished Opus frames: the best it can do. */
export function framesResource(frames: Iterable<Buffer> | AsyncIterable<Buffer>) {
  return createAudioResource(Readable.from(frames, { objectMode: true }), { inputType: StreamType.Opus });
}

/** A player of the library's, subscribed to the connection, that reports its errors instead of ending the process. */
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
