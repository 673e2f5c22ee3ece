import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Its message is complete without the stack. */
export class WrongEncoding extends Error {
  override readonly name = 'WrongEncoding';
  readonly remedy = 'In Notepad: Save as → Encoding → UTF-8. In PowerShell: Set-Content -Encoding utf8.';
}

/**
 * The variables in `.env` of the current folder; undefined without that file. Node's own loader takes a byte-order mark for a
 * part of the first name. Throws WrongEncoding for UTF-16, and the system's error where the file cannot be read.
 */
export function readEnvFile(): Record<string, string | undefined> | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync('.env');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // Names of settings are ASCII, so every second byte of theirs is 0 in UTF-16, with a byte-order mark or without.
  if (bytes.includes(0)) throw new WrongEncoding('.env is in UTF-16: save it as UTF-8');
  // It also leaves the byte-order mark out.
  return parseEnv(new TextDecoder().decode(bytes));
}

/** Adds the variables in `.env` to the environment; what is set already wins. Throws as `readEnvFile` does. */
export function loadEnvFile(): void {
  for (const [name, value] of Object.entries(readEnvFile() ?? {})) process.env[name] ??= value;
}
