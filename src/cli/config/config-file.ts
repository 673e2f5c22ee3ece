import { chmod, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { parse, TomlError, type TomlTable } from 'smol-toml';
import { CliError, EXIT } from '../exit.ts';
import { writeAtomically } from '../write-atomically.ts';
import { configPath, shownPath } from './paths.ts';
import { LAYER_KEYS, type Layer, type VoiceConfig } from './settings.ts';

export interface ConfigFile {
  readonly path: string;
  readonly exists: boolean;
  readonly text: string;
  readonly config: VoiceConfig;
  /** Whether other users of the machine can read it. */
  readonly isShared: boolean;
}

/** The file as it is; an empty one when there is none. A broken one is an error with line and column. */
export async function readConfigFile(path = configPath()): Promise<ConfigFile> {
  let text: string;
  let mode: number;
  try {
    text = await readFile(path, 'utf8');
    mode = (await stat(path)).mode;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { path, exists: false, text: '', config: { env: {} }, isShared: false };
    throw new CliError(EXIT.failed, `${shownPath(path)} cannot be read (${code}).`);
  }
  const isShared = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return { path, exists: true, text, config: parseConfig(text, shownPath(path)), isShared };
}

/** Throws a CliError with `file:line:column`. Never repeats a line: it may hold a key. */
export function parseConfig(text: string, name: string): VoiceConfig {
  let table: TomlTable;
  try {
    table = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw broken(name, error.line, error.column, reason);
  }
  const wrong = (key: string, env: string | undefined, should: string) => {
    const { line, column } = find(text, key, env);
    return broken(name, line, column, `${env === undefined ? '' : `[env.${env}] `}${key} ${should}`);
  };
  const layer = (from: TomlTable, env?: string): Layer => {
    for (const key of LAYER_KEYS) {
      if (from[key] !== undefined && typeof from[key] !== 'string') throw wrong(key, env, 'must be text in quotes');
    }
    return Object.fromEntries(LAYER_KEYS.filter((key) => key in from).map((key) => [key, from[key]])) as Layer;
  };
  const { env = {}, default_env: chosen } = table;
  if (chosen !== undefined && typeof chosen !== 'string')
    throw wrong('default_env', undefined, 'must be text in quotes');
  if (!isTable(env)) throw wrong('env', undefined, 'must hold tables: [env.NAME]');
  const envs = Object.entries(env).map(([key, value]): [string, Layer] => {
    if (!isTable(value)) throw wrong(key, undefined, 'must be a table: [env.NAME]');
    return [key, layer(value, key)];
  });
  return {
    ...layer(table),
    ...(chosen !== undefined && chosen !== '' && { default_env: chosen }),
    env: Object.fromEntries(envs),
  };
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function broken(name: string, line: number, column: number, reason: string): CliError {
  return new CliError(
    EXIT.failed,
    `${name}:${line}:${column}: ${reason}`,
    'The file was left as it is. voice config edit opens it.',
  );
}

/** Where a key stands, for messages: the first line that sets it, in its table when it has one. */
function find(text: string, key: string, env: string | undefined): { line: number; column: number } {
  const lines = text.split('\n');
  const from = env === undefined ? 0 : lines.findIndex((line) => line.trim().startsWith('[') && line.includes(env)) + 1;
  const at = lines.findIndex((line, index) => index >= from && line.includes(key));
  return at === -1 ? { line: 1, column: 1 } : { line: at + 1, column: (lines[at]?.indexOf(key) ?? 0) + 1 };
}

/** Writes the file so that only its owner can read it, whole or not at all. */
export async function writeConfigFile(text: string, path = configPath()): Promise<void> {
  // What is about to be written must be readable again.
  parseConfig(text, basename(path));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  if (process.platform !== 'win32') await chmod(dirname(path), 0o700);
  // A link into somebody's collection of settings stays a link.
  const target = await realpath(path).catch(() => path);
  await writeAtomically(target, Buffer.from(text), { mode: 0o600 });
}
