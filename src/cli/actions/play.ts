import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readAudio } from '../sound/audio-file.ts';
import { playBytes, playerFor, playFile } from '../sound/player.ts';
import { failure, usageError } from '../terminal/exit.ts';
import { watchInterrupts } from '../terminal/interrupt.ts';
import { createProgress } from '../terminal/progress.ts';

/** Plays a local WAV or MP3 file, or one from standard input for '-'. */
export async function play(file: string): Promise<void> {
  const interrupt = watchInterrupts();
  const progress = createProgress();
  try {
    const bytes = await read(file, interrupt.signal);
    const audio = check(bytes, file);
    const player = playerFor(audio.format);
    progress.show(`Playing ${audio.seconds.toFixed(1)} s …`);
    if (file === '-') await playBytes(player, audio, interrupt.signal);
    else await playFile(player, file, interrupt.signal);
  } finally {
    progress.clear();
    interrupt.dispose();
  }
}

async function read(file: string, signal: AbortSignal): Promise<Uint8Array> {
  if (file === '-' && process.stdin.isTTY) throw usageError('- reads audio from a pipe: name a file, or send one in.');
  try {
    return await (file === '-' ? buffer(addAbortSignal(signal, process.stdin)) : readFile(file, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    const { code } = error as NodeJS.ErrnoException;
    throw failure(code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read (${code}).`);
  }
}

function check(bytes: Uint8Array, file: string) {
  try {
    return readAudio(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw failure(`${file} cannot be played: ${error.message}.`);
    throw error;
  }
}
