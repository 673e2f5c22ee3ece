import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Thrown if `.env` has the wrong encoding. The message is complete, so it is shown without a stack. */
export class WrongEncoding extends Error {
  override readonly name = 'WrongEncoding';
  readonly remedy = 'In Notepad: Save as → Encoding → UTF-8. In PowerShell: Set-Content -Encoding utf8.';
}

export interface EnvFile {
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The line of `.env` that sets each variable, in the order of the file; the last line for a name counts. */
  readonly assignments: readonly { readonly line: number; readonly name: string; readonly isEmpty: boolean }[];
  /** Lines of `.env` that set nothing and are no comments, with the word before a colon, if any. */
  readonly others: readonly { readonly line: number; readonly beforeColon: string | undefined }[];
}

/**
 * Reads `.env` in the current folder; undefined if there is no such file. Throws the system's error if it cannot be
 * read.
 */
function readEnvFile(): EnvFile | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return parseEnvBytes(bytes);
}

/**
 * Parses the bytes of `.env`. Node's own loader would take a byte-order mark for a part of the first name. Throws
 * WrongEncoding for UTF-16.
 */
export function parseEnvBytes(bytes: Buffer): EnvFile {
  // In UTF-16, every second byte of an ASCII name is 0, with or without a byte-order mark.
  if (bytes.includes(0)) throw new WrongEncoding('.env is in UTF-16: save it as UTF-8');
  return parseEnvText(new TextDecoder().decode(bytes));
}

/** Matches a line of `.env`. A value in quotes may continue over several lines. */
const STATEMENT = /^(?:[^\S\n]*(?:export +)?([\w.-]+)[^\S\n]*=[^\S\n]*(?:"[^"]*"|'[^']*'|`[^`]*`)?)?[^\n]*/gm;

/**
 * Parses `.env` without two faults of Node's parser. There, a line without = becomes part of the next name. After
 * `NAME= `, the next line becomes the value.
 */
export function parseEnvText(text: string): EnvFile {
  const statements = [...text.matchAll(STATEMENT)].map(({ 0: source, 1: name, index }) => {
    return { source, name, line: text.slice(0, index).split('\n').length };
  });
  const assignments = statements.flatMap(({ source, name, line }) => {
    if (name === undefined) return [];
    return [{ source, name, line, isEmpty: !parseEnv(source.trimEnd())[name] }];
  });
  const others = statements.filter(({ source, name }) => name === undefined && !/^\s*(?:#|$)/.test(source));
  return {
    values: parseEnv(assignments.map(({ source }) => source.trimEnd()).join('\n')),
    assignments,
    others: others.map(({ source, line }) => ({ line, beforeColon: /^\s*(?:export\s+)?(\w+)\s*:/.exec(source)?.[1] })),
  };
}

/**
 * Adds the variables in `.env` to the environment without overriding any. The returned file must not be read again:
 * some password managers make it a pipe. Throws the same errors as `readEnvFile`.
 */
export function loadEnvFile(): EnvFile | undefined {
  const file = readEnvFile();
  for (const [name, value] of Object.entries(file?.values ?? {})) process.env[name] ??= value;
  return file;
}
