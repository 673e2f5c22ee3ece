import { chmod, mkdir, open, readFile, readlink, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, TomlError, type TomlTable } from 'smol-toml';
import { nearestWord } from '../../process/nearest-word.ts';
import { CliError, EXIT, usageError } from '../terminal/exit.ts';
import { writeAtomically } from '../terminal/write-atomically.ts';
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

const KNOWN_KEYS: readonly string[] = [...LAYER_KEYS, 'default_env', 'env'];

/** Throws a CliError; with line and column where the text is no TOML. Never repeats a line: it may hold a key. */
export function parseConfig(text: string, name: string): VoiceConfig {
  let table: TomlTable;
  try {
    table = parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw broken(`${name}:${error.line}:${error.column}`, reason);
  }
  const wrong = (key: string, env: string | undefined, should: string) =>
    broken(name, `${env === undefined ? '' : `[env.${env}] `}${key} ${should}`);
  const layer = (from: TomlTable, env?: string): Layer => {
    // Others are left alone: a newer version may know them.
    for (const key of Object.keys(from).filter((one) => !KNOWN_KEYS.includes(one))) {
      const nearest = nearestWord(key, KNOWN_KEYS);
      if (nearest !== undefined) throw wrong(key, env, `is not a setting: did you mean ${nearest}?`);
    }
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
    default_env: chosen || undefined,
    env: Object.fromEntries(envs),
  };
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function broken(where: string, reason: string): CliError {
  return usageError(`${where}: ${reason}`, 'The file was left as it is.');
}

/**
 * Changes the file in its current state, under a lock, so that no change is lost; a state read before a prompt may be
 * outdated. `change` gives the new text, or undefined to leave the file alone.
 */
export function changeConfigFile(
  change: (file: ConfigFile) => string | undefined,
  path = configPath(),
): Promise<ConfigFile> {
  return alone(path, async () => {
    const file = await readConfigFile(path);
    const text = change(file);
    if (text !== undefined) await writeConfigFile(text, path);
    return file;
  });
}

/** Throws where the file could not be written: a check before an action that costs credits or a key. */
export function checkWritable(path = configPath()): Promise<void> {
  return alone(path, async () => undefined);
}

/** A change takes milliseconds. */
const LOCK_TIMEOUT_MS = 5_000;
const LOCK_POLL_MS = 20;
/** A lock this old was left behind by a command that was killed. */
const LOCK_STALE_MS = 10_000;

/** Runs `work` while a lock beside the file keeps other commands from changing it. */
async function alone<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  try {
    // Not recursive: the home is there, or is none to make. Node never ends making folders below /proc.
    await mkdir(dirname(path), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (process.platform !== 'win32') await chmod(dirname(path), 0o700);
    const deadlineMs = performance.now() + LOCK_TIMEOUT_MS;
    while (!(await wasMade(lock))) {
      if (await isStale(lock)) await rm(lock, { force: true });
      else if (performance.now() > deadlineMs)
        throw new CliError(EXIT.failed, `${shownPath(path)} is being changed by another voice command.`, 'Try again.');
      else await sleep(LOCK_POLL_MS);
    }
  } catch (error) {
    throw error instanceof CliError ? error : unwritable(path, error);
  }
  try {
    return await work();
  } finally {
    await rm(lock, { force: true });
  }
}

async function wasMade(lock: string): Promise<boolean> {
  try {
    await (await open(lock, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(lock: string): Promise<boolean> {
  const { mtimeMs = Date.now() } = (await stat(lock).catch(() => undefined)) ?? {};
  return Date.now() - mtimeMs > LOCK_STALE_MS;
}

/** Writes the file so that only its owner can read it, whole or not at all. */
async function writeConfigFile(text: string, path: string): Promise<void> {
  // The new text must be readable again.
  parseConfig(text, basename(path));
  try {
    await writeAtomically(await linked(path), Buffer.from(text), { mode: 0o600 });
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** A symbolic link (into a folder of dotfiles, say) stays one, also where its target does not exist yet. */
async function linked(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? path : resolve(dirname(path), target);
  });
}

function unwritable(path: string, error: unknown): CliError {
  const { code } = error as NodeJS.ErrnoException;
  return new CliError(EXIT.failed, `${shownPath(path)} cannot be written (${code ?? error}). It was not changed.`);
}
