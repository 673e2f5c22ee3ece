import { createReadStream } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { isSpeakable } from '../../speech/interface/tags.ts';
import { failure, type Interrupt, usageError } from '../terminal/exit.ts';
import { ask } from '../terminal/terminal.ts';

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
  const onAbort = () => process.stdin.destroy(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return decode(await readLimited(process.stdin, 'standard input'), 'standard input');
  } finally {
    signal.throwIfAborted();
    signal.removeEventListener('abort', onAbort);
  }
}

async function readLimited(stream: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  try {
    return await buffer(limit(stream, name));
  } catch (error) {
    mustBeFile(error, name);
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') throw failure(`${name} cannot be read (${code}).`);
    throw error;
  }
}

/** Throws a usage error, because the user can correct the command. */
export function mustBeFile(error: unknown, path: string): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') throw usageError(`There is no file ${path}.`);
  if (code === 'EISDIR') throw usageError(`${path} is a folder, not a file.`);
}

async function* limit(stream: AsyncIterable<Uint8Array>, name: string): AsyncIterable<Uint8Array> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw usageError(`${name} has more than ${MAX_BYTES / 1024 / 1024} MB of text.`);
    yield chunk;
  }
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

export async function readSecret(question: string, interrupt: Interrupt): Promise<string> {
  const line = process.stdin.isTTY
    ? await ask(question, interrupt, { hidden: true })
    : (await readLimited(process.stdin, 'standard input')).toString('utf8');
  return line?.trim() ?? '';
}
