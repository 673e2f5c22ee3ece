import { access, chmod, constants, mkdir, readFile, readlink, realpath, stat } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { parse, stringify, TomlError, type TomlTable } from 'smol-toml';
import { nearestWord } from '../../process/nearest-word.ts';
import { parseBaseUrl } from '../../speech/base-url.ts';
import { type CliError, failure, usageError } from '../terminal/terminal.ts';
import { writeAtomically } from '../terminal/write-atomically.ts';

/** An empty HOME counts as missing: with a relative path, the API key would be saved in the current folder. */
const home = (): string => homedir() || userInfo().homedir;

export const configPath = (): string => join(home(), '.voice', 'voice.toml');

export function shownPath(path: string): string {
  const folder = home();
  return path.startsWith(`${folder}/`) ? `~${path.slice(folder.length)}` : path;
}

export const LAYER_KEYS = ['api_key', 'api_url', 'auth_header_prefix'] as const;
type LayerKey = (typeof LAYER_KEYS)[number];
export type Layer = { readonly [Key in LayerKey]?: string };

export interface VoiceConfig extends Layer {
  readonly default_env?: string;
  readonly env: Readonly<Record<string, Layer>>;
}

/** Undefined if the configuration file has no table `[env.NAME]`. */
export function layerIn(config: VoiceConfig, env: string | undefined): Layer | undefined {
  if (env === undefined) return config;
  return Object.hasOwn(config.env, env) ? config.env[env] : undefined;
}

export type CliSettings = ReturnType<typeof resolveSettings>;

export interface SettingsFlags {
  readonly env?: string;
  readonly apiUrl?: string;
}

/**
 * Flags override variables, and variables override the file. In the file, the chosen `[env.NAME]` and the top level are
 * never mixed: a key could go to another service, or another account's credits be spent. For the same reason, --env
 * ignores the variables, and a saved key is used only with its saved address.
 */
export function resolveSettings(
  flags: SettingsFlags,
  environment: Readonly<Record<string, string | undefined>>,
  config: VoiceConfig,
) {
  const env = chosenEnv(flags.env, config);
  const layer = layerIn(config, env) ?? {};
  const variables = flags.env === undefined ? environment : {};
  const saved = (key: LayerKey) => sourced(layer[key], env === undefined ? 'the file' : `[env.${env}] of the file`);
  const savedUrl = saved('api_url');
  const savedKey = saved('api_key');
  const url = sourced(flags.apiUrl, '--api-url') ?? sourced(variables.VOICE_API_URL, 'VOICE_API_URL') ?? savedUrl;
  const belongs = url === undefined || (savedUrl !== undefined && isSameService(savedUrl.value, url.value));
  const key = sourced(variables.VOICE_API_KEY, 'VOICE_API_KEY') ?? (belongs ? savedKey : undefined);
  return {
    env,
    explicitEnv: flags.env !== undefined,
    url,
    key,
    isWithheld: key === undefined && savedKey !== undefined,
    prefix: sourced(variables.VOICE_AUTH_HEADER_PREFIX, 'VOICE_AUTH_HEADER_PREFIX') ??
      saved('auth_header_prefix') ?? { value: 'Bearer', from: 'the default' },
  };
}

/** True if two addresses mean one speech service: a base address equals its full speech URL. */
export function isSameService(address: string, other: string): boolean {
  try {
    return parseBaseUrl(address).href === parseBaseUrl(other).href;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

function chosenEnv(explicit: string | undefined, config: VoiceConfig): string | undefined {
  const name = explicit ?? config.default_env;
  if (name === undefined || Object.hasOwn(config.env, name)) return name;
  const names = Object.keys(config.env);
  const there =
    names.length === 0 ? 'There is none yet' : `There ${names.length === 1 ? 'is' : 'are'} ${names.join(', ')}`;
  throw explicit === undefined
    ? usageError(
        `default_env in the file names the environment "${name}", which does not exist.`,
        `${there}: voice config use NAME`,
      )
    : usageError(`There is no environment "${name}".`, `${there}; voice config add ${name} creates it.`);
}

/** An empty variable counts as unset. */
function sourced(value: string | undefined, from: string) {
  return value === undefined || value.trim() === '' ? undefined : { value: value.trim(), from };
}

export type ConfigFile = Awaited<ReturnType<typeof readConfigFile>>;

/** A missing file counts as empty. Throws a CliError if the file is unreadable or invalid. */
export async function readConfigFile() {
  const path = configPath();
  let text: string;
  let mode: number;
  try {
    text = await readFile(path, 'utf8');
    mode = (await stat(path)).mode;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const config: VoiceConfig = { env: {} };
    if (code === 'ENOENT') return { path, exists: false, text: '', config, isShared: false };
    throw failure(`${shownPath(path)} cannot be read (${code}).`);
  }
  const isShared = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return { path, exists: true, text, config: parseConfig(text, shownPath(path)), isShared };
}

const KNOWN_KEYS: readonly string[] = [...LAYER_KEYS, 'default_env', 'env'];

/** Throws a CliError for invalid TOML. It quotes no line, because a line may contain an API key. */
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
    // Only a probably misspelled setting is an error, because a newer version may use other unknown ones.
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

/** Reads the file again, because it may have changed during a prompt. `change` returns the new text. */
export async function changeConfigFile(change: (file: ConfigFile) => string): Promise<void> {
  await checkWritable();
  const file = await readConfigFile();
  const text = change(file);
  // A broken configuration is never saved.
  parseConfig(text, basename(file.path));
  try {
    await writeAtomically(await linked(file.path), Buffer.from(text), { mode: 0o600 });
  } catch (error) {
    throw unwritable(error);
  }
}

export async function checkWritable(): Promise<void> {
  const folder = dirname(configPath());
  try {
    // The folder's parents are not created: below /proc, Node would never finish a recursive creation.
    await mkdir(folder, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (process.platform !== 'win32') await chmod(folder, 0o700);
    // The path ends with `/.`, so that access() fails if it names a file instead of a folder.
    await access(`${folder}/.`, constants.W_OK);
  } catch (error) {
    throw unwritable(error);
  }
}

/** The target of a symbolic link (to a dotfiles folder), even if missing: a write to the link's path would replace the link. */
async function linked(path: string): Promise<string> {
  return realpath(path).catch(async () => {
    const target = await readlink(path).catch(() => undefined);
    return target === undefined ? path : resolve(dirname(path), target);
  });
}

function unwritable(error: unknown): CliError {
  const { code } = error as NodeJS.ErrnoException;
  return failure(`${shownPath(configPath())} cannot be written (${code ?? error}). It was not changed.`);
}

type Place = { readonly env: string | undefined; readonly key: string };

/** `env` is undefined for the top level of the file. Removes the setting if `value` is undefined. Comments are lost. */
export function setInText(text: string, { env, key }: Place, value: string | undefined): string {
  const root = parse(text);
  const table = env === undefined ? root : tableOf(tableOf(root, 'env'), env);
  if (value === undefined) delete table[key];
  else table[key] = value;
  return stringify(root);
}

export function addTable(text: string, env: string): string {
  const root = parse(text);
  tableOf(tableOf(root, 'env'), env);
  return stringify(root);
}

export function removeTable(text: string, env: string): string {
  const root = parse(text);
  delete tableOf(root, 'env')[env];
  return stringify(root);
}

function tableOf(parent: TomlTable, name: string): TomlTable {
  const { [name]: existing } = parent;
  if (isTable(existing)) return existing;
  // Without a prototype, `__proto__` is an ordinary name.
  const made: TomlTable = Object.create(null);
  parent[name] = made;
  return made;
}
