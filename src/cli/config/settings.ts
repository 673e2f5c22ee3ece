import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { parseBaseUrl } from '../../speech/base-url.ts';
import { usageError } from '../terminal/exit.ts';

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

interface WithSource {
  readonly value: string;
  readonly from: string;
}

export type CliSettings = ReturnType<typeof resolveSettings>;

const DEFAULT_PREFIX: WithSource = { value: 'Bearer', from: 'the default' };

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
    prefix:
      sourced(variables.VOICE_AUTH_HEADER_PREFIX, 'VOICE_AUTH_HEADER_PREFIX') ??
      saved('auth_header_prefix') ??
      DEFAULT_PREFIX,
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
function sourced(value: string | undefined, from: string): WithSource | undefined {
  return value === undefined || value.trim() === '' ? undefined : { value: value.trim(), from };
}
