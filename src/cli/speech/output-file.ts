import { access, constants, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, extname } from 'node:path';
import { failure, usageError } from '../exit.ts';
import type { Interrupt } from '../interrupt.ts';
import { confirm } from '../prompt.ts';
import type { AudioFormat } from '../sound/audio-file.ts';
import { canAsk } from '../terminal.ts';
import { writeAtomically } from '../write-atomically.ts';

/** Formats the service does not make, by their usual endings. */
const OTHER_AUDIO = new Set([
  '.ogg',
  '.oga',
  '.opus',
  '.flac',
  '.m4a',
  '.m4b',
  '.aac',
  '.wma',
  '.webm',
  '.aif',
  '.aiff',
  '.mp4',
]);

/** The format to ask for: --format, or what the file's ending says. A contradiction is refused. */
export function wantedFormat(format: string | undefined, output: string | undefined): AudioFormat | undefined {
  const given = format?.trim().toLowerCase();
  if (given !== undefined && given !== 'wav' && given !== 'mp3') throw usageError('--format must be wav or mp3.');
  const ending = output === undefined || output === '-' ? '' : extname(output).toLowerCase();
  if (OTHER_AUDIO.has(ending)) throw usageError(`Audio is made as WAV or MP3, not as ${ending.slice(1)}: ${output}`);
  const inferred = ending === '.wav' || ending === '.wave' ? 'wav' : ending === '.mp3' ? 'mp3' : undefined;
  if (given !== undefined && inferred !== undefined && given !== inferred) {
    throw usageError(`--format ${given} contradicts the ending of ${output}.`);
  }
  return given ?? inferred;
}

/** Finds out, before anything is spent, whether the file can be written; asks before overwriting one. */
export async function prepareOutput(path: string, force: boolean, interrupt: Interrupt): Promise<void> {
  const existing = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw failure(`${path} cannot be written (${error.code}).`);
  });
  if (existing?.isDirectory()) throw usageError(`${path} is a folder.`);
  if (existing !== undefined && !existing.isFile()) return;
  const folder = dirname(existing === undefined ? path : await realpath(path));
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw failure(
      error.code === 'ENOENT' ? `There is no folder ${folder}.` : `${folder} cannot be written to (${error.code}).`,
    );
  });
  if (existing === undefined || force) return;
  if (!canAsk()) throw failure(`${path} is already there.`, '--force overwrites it.');
  if (!(await confirm(`${path} is already there. Overwrite it?`, interrupt))) throw failure('Nothing was spoken.');
}

/** Saves whole or not at all. A device or a named pipe is written to as it is. */
export async function saveOutput(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const existing = await stat(path).catch(() => undefined);
  if (existing !== undefined && !existing.isFile()) await writeFile(path, bytes, { signal });
  else await writeAtomically(existing === undefined ? path : await realpath(path), bytes, { signal });
}
