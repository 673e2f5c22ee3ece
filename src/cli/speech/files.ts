import { createReadStream } from 'node:fs';
import { access, constants, lstat, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { dirname, extname, join, parse, sep } from 'node:path';
import { addAbortSignal } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readAtMost } from '../../network/downloads.ts';
import type { FileFormat } from '../../sound/audio-file.ts';
import { isSpeakable } from '../../speech/interface/models.ts';
import { ask, canAsk, confirm, failure, type Interrupt, usageError } from '../terminal/terminal.ts';
import { writeAtomically, writeWhereFree } from '../terminal/write-atomically.ts';

const OTHER_AUDIO = /^\.(?:ogg|oga|opus|flac|m4[ab]|aac|wma|webm|aiff?|mp4)$/;

/** Throws if --format and the output file's ending contradict each other. */
export function wantedFormat(format: string | undefined, output: string | undefined): FileFormat | undefined {
  const given = format?.trim().toLowerCase();
  if (given !== undefined && given !== 'wav' && given !== 'mp3') throw usageError('--format must be wav or mp3.');
  const ending = output === undefined || output === '-' ? '' : extname(output).toLowerCase();
  if (OTHER_AUDIO.test(ending))
    throw usageError(`Audio can be saved as WAV or MP3, not as ${ending.slice(1)}: ${output}`);
  const inferred = ending === '.wav' || ending === '.wave' ? 'wav' : ending === '.mp3' ? 'mp3' : undefined;
  if (given !== undefined && inferred !== undefined && given !== inferred) {
    throw usageError(`--format ${given} does not match the ending of ${output}.`);
  }
  return given ?? inferred;
}

export interface OutputFile {
  readonly path: string;
  /** False for a new file without --force: a file that appears at its path during speaking must not be overwritten. */
  readonly mayReplace: boolean;
}

/** Throws before anything is billed if the file cannot be written, and asks before overwriting. */
export async function prepareOutput(
  path: string,
  { force, format }: { readonly force: boolean; readonly format: FileFormat },
  interrupt: Interrupt,
): Promise<OutputFile> {
  if (path === '') throw usageError('-o needs the name of a file, or - for standard output.');
  const existing = await found(path);
  if (path.endsWith('/') || path.endsWith(sep) || existing?.isDirectory()) {
    const named = `Name a file in it: -o ${join(path, `speech.${format}`)}.`;
    throw existing?.isDirectory()
      ? usageError(`${path} is a folder.`, named)
      : usageError(`There is no folder ${path}.`, `Make it first. ${named}`);
  }
  if (existing !== undefined && !existing.isFile()) return { path, mayReplace: true };
  const folder = dirname(existing === undefined ? path : await realpath(path));
  await access(folder, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT'
      ? usageError(`There is no folder ${folder}.`)
      : failure(`${folder} cannot be written to (${error.code}).`);
  });
  if (existing === undefined) {
    const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink();
    if (isLink) throw failure(`${path} is a link to a file that does not exist.`);
    return { path, mayReplace: force };
  }
  if (!force) {
    if (!canAsk()) throw usageError(`${path} already exists.`, '--force overwrites it.');
    if (!(await confirm(`${path} already exists. Overwrite it?`, interrupt))) throw failure('Nothing was spoken.');
  }
  return { path, mayReplace: true };
}

function found(path: string) {
  return stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw failure(`${path} cannot be written (${error.code}).`);
  });
}

const OTHER_NAMES = 99;

/**
 * Saves the audio completely or not at all, and resolves with its path. If `mayReplace` is false and a file has
 * appeared meanwhile, the billed audio is saved beside it under another name.
 */
export async function saveOutput(output: OutputFile, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
  const { path, mayReplace } = output;
  if (!mayReplace) {
    const { dir, name, ext } = parse(path);
    const others = Array.from({ length: OTHER_NAMES }, (_, index) => join(dir, `${name}-${index + 2}${ext}`));
    return writeWhereFree([path, ...others], bytes, signal);
  }
  const existing = await found(path);
  if (existing === undefined) await writeAtomically(path, bytes, { signal });
  else if (existing.isFile())
    await writeAtomically(await realpath(path), bytes, { mode: existing.mode & 0o777, signal });
  else await writeFile(path, bytes, { signal });
  return path;
}

/** More text than anyone wants to hear: this limit only prevents accidental costs. */
const MAX_BYTES = 10 * 1024 * 1024;

export async function readText(
  words: readonly string[],
  file: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (file !== undefined) {
    if (words.length > 0) throw usageError('Give the text or --file, not both.');
    return file === '-' ? readStdin(signal) : decode(await readLimited(createReadStream(file, { signal }), file), file);
  }
  if (words.length === 1 && words[0] === '-') return readStdin(signal);
  if (words.length > 0) return checked(words.join(' '), 'The text');
  if (process.stdin.isTTY) throw usageError('There is no text. Give a text, --file FILE, or - for standard input.');
  return readStdin(signal);
}

async function readStdin(signal: AbortSignal): Promise<string> {
  try {
    return decode(await readLimited(addAbortSignal(signal, process.stdin), 'standard input'), 'standard input');
  } finally {
    signal.throwIfAborted();
  }
}

async function readLimited(stream: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  const tooLong = () => usageError(`${name} has more than ${MAX_BYTES / 1024 / 1024} MB of text.`);
  try {
    return await readAtMost(stream, MAX_BYTES, tooLong);
  } catch (error) {
    mustBeFile(error, name);
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') throw failure(`${name} cannot be read (${code}).`);
    throw error;
  }
}

/** Throws a usage error if the named input file does not exist or is a folder. The caller handles other errors. */
function mustBeFile(error: unknown, path: string): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') throw usageError(`There is no file ${path}.`);
  if (code === 'EISDIR') throw usageError(`${path} is a folder, not a file.`);
}

function decode(bytes: Uint8Array, name: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${name} is not UTF-8 text.`);
  }
  // Every character is billed, even white space at the end.
  return checked(text.replace(/\s+$/, ''), name);
}

function checked(text: string, name: string): string {
  if (text.trim() === '')
    throw usageError(`${name.charAt(0).toUpperCase()}${name.slice(1)} is empty: there is nothing to speak.`);
  if (!isSpeakable(text))
    throw usageError('There is nothing to say in that text: it needs a letter, a digit or an emoji.');
  return text;
}

export async function readSound(file: string, signal: AbortSignal): Promise<Uint8Array> {
  if (file === '-' && process.stdin.isTTY) throw usageError('- reads audio from a pipe: name a file, or send one in.');
  try {
    return await (file === '-' ? buffer(addAbortSignal(signal, process.stdin)) : readFile(file, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    mustBeFile(error, file);
    throw failure(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

export async function readSecret(question: string, interrupt: Interrupt): Promise<string> {
  const line = process.stdin.isTTY
    ? await ask(question, interrupt, { hidden: true })
    : (await readLimited(process.stdin, 'standard input')).toString('utf8');
  return line?.trim() ?? '';
}
