import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Its message is complete without the stack. */
export class WrongEncoding extends Error {
  override readonly name = 'WrongEncoding';
  readonly remedy = 'In Notepad: Save as → Encoding → UTF-8. In PowerShell: Set-Content -Encoding utf8.';
}

export interface EnvFile {
  readonly values: Readonly<Record<string, string | undefined>>;
  /** The places of the settings, in the order of the file; the last one of a name counts. */
  readonly assignments: readonly { readonly line: number; readonly name: string; readonly isEmpty: boolean }[];
  /** Lines that set nothing and are no comments, with the word before a colon. */
  readonly others: readonly { readonly line: number; readonly beforeColon: string | undefined }[];
}

/** What `.env` of the current folder sets; undefined without that file. Throws the system's error if it cannot be read. */
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

/** Node's own loader takes a byte-order mark for a part of the first name. Throws WrongEncoding for UTF-16. */
export function parseEnvBytes(bytes: Buffer): EnvFile {
  // Names of settings are ASCII, so every second byte of theirs is 0 in UTF-16, with a byte-order mark or without.
  if (bytes.includes(0)) throw new WrongEncoding('.env is in UTF-16: save it as UTF-8');
  // The decoder leaves the byte-order mark out.
  return parseEnvText(new TextDecoder().decode(bytes));
}

/** A line. Where it sets something, a value in quotes may go on over further lines. */
const STATEMENT = /^(?:[^\S\n]*(?:export +)?([\w.-]+)[^\S\n]*=[^\S\n]*(?:"[^"]*"|'[^']*'|`[^`]*`)?)?[^\n]*/gm;

/**
 * Node's parser takes a line without = for the beginning of the next line's name, and after `NAME= ` the next line for the
 * value: both are kept from it.
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
 * Adds the variables in `.env` to the environment; what is set already wins. Returns the file, which must not be read again: some
 * password managers make it a pipe. Throws as `readEnvFile` does.
 */
export function loadEnvFile(): EnvFile | undefined {
  const file = readEnvFile();
  for (const [name, value] of Object.entries(file?.values ?? {})) process.env[name] ??= value;
  return file;
}
