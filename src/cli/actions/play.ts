import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readAudio } from '../../sound/audio-file.ts';
import { playBytes, playerFor, playFile } from '../sound/player.ts';
import { mustBeFile } from '../speech/text-input.ts';
import { failure, usageError } from '../terminal/exit.ts';
import { interruptible } from '../terminal/interrupt.ts';
import { createProgress } from '../terminal/progress.ts';

/** Plays a local WAV or MP3 file, or one from standard input for '-'. */
export function play(file: string): Promise<void> {
  return interruptible(async ({ signal }) => {
    const audio = check(await read(file, signal), file);
    const player = playerFor(audio.format);
    const progress = createProgress();
    progress.show(`Playing ${audio.seconds.toFixed(1)} s …`);
    const played = file === '-' ? playBytes(player, audio, signal) : playFile(player, file, signal);
    await played.finally(progress.clear);
  });
}

async function read(file: string, signal: AbortSignal): Promise<Uint8Array> {
  if (file === '-' && process.stdin.isTTY) throw usageError('- reads audio from a pipe: name a file, or send one in.');
  try {
    return await (file === '-' ? buffer(addAbortSignal(signal, process.stdin)) : readFile(file, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    mustBeFile(error, file);
    throw failure(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function check(bytes: Uint8Array, file: string) {
  try {
    return readAudio(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw usageError(`${file} cannot be played: ${error.message}.`);
    throw error;
  }
}
