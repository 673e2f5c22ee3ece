import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Thrown if `.env` is in UTF-16. Its message tells users all they need, so it is shown without a stack. */
export class WrongEncoding extends Error {
  override readonly name = 'WrongEncoding';
  readonly remedy = 'In Notepad: Save as → Encoding → UTF-8. In PowerShell: Set-Content -Encoding utf8.';
}

export type EnvFile = Readonly<Record<string, string | undefined>>;

/** Matches a name with `=` or, as in YAML, with a colon. A value in quotes may continue over several lines. */
const ASSIGNMENT = /^[^\S\n]*(?:export +)?([\w.-]+)[^\S\n]*(?:=|:(?=\s))[^\S\n]*((?:"[^"]*"|'[^']*'|`[^`]*`)?[^\n]*)/gm;

/** Unlike Node's loader of `.env`, ignores a byte-order mark before the first name. Throws WrongEncoding for UTF-16. */
export function parseEnvBytes(bytes: Buffer): EnvFile {
  // A zero byte means UTF-16, where every second byte of an ASCII name is 0. UTF-8 text has none.
  if (bytes.includes(0)) throw new WrongEncoding('.env is in UTF-16: save it as UTF-8');
  // Node's parser adds a line without `=` to the next name, and takes the line after `NAME= ` as the value.
  const text = new TextDecoder().decode(bytes);
  const assignments = [...text.matchAll(ASSIGNMENT)].map(([, name, value = '']) => `${name}=${value.trimEnd()}`);
  return parseEnv(assignments.join('\n'));
}

/**
 * Adds the variables of `.env` to the environment without overriding any. Callers must not read the file again, because
 * some password managers provide it as a pipe. Throws the system's error or WrongEncoding.
 */
export function loadEnvFile(): EnvFile | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const file = parseEnvBytes(bytes);
  for (const [name, value] of Object.entries(file)) process.env[name] ??= value;
  return file;
}
