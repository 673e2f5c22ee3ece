import { parseBaseUrl } from '../../speech/base-url.ts';
import { usageError } from '../terminal/exit.ts';

/** The settings at the top level of the file and in each `[env.NAME]`. */
export const LAYER_KEYS = ['api_key', 'api_url', 'auth_header_prefix'] as const;
type LayerKey = (typeof LAYER_KEYS)[number];
export type Layer = { readonly [Key in LayerKey]?: string };

export interface VoiceConfig extends Layer {
  readonly default_env?: string;
  readonly env: Readonly<Record<string, Layer>>;
}

/** The top level, or a table of its own; undefined when there is none of this name. */
export function layerIn(config: VoiceConfig, env: string | undefined): Layer | undefined {
  if (env === undefined) return config;
  return Object.hasOwn(config.env, env) ? config.env[env] : undefined;
}

/** A value and its source, as text. */
export interface WithSource {
  readonly value: string;
  readonly from: string;
}

export type CliSettings = ReturnType<typeof resolveSettings>;

const DEFAULT_PREFIX: WithSource = { value: 'Bearer', from: 'the default' };

/**
 * Flag before environment before the chosen `[env.NAME]` before the top level. An explicit --env leaves the environment's
 * variables out, so that their key never goes to the table's address. The key alone is never the top level's for an
 * environment: that would spend another account's credits. A saved key belongs to the address beside it (a table without
 * one has the top level's): for any other address, wherever that comes from, it is withheld.
 */
export function resolveSettings(
  flags: { readonly env?: string | undefined; readonly apiUrl?: string | undefined },
  environment: Readonly<Record<string, string | undefined>>,
  config: VoiceConfig,
) {
  const env = chosenEnv(flags.env, config);
  const table = env === undefined ? {} : (config.env[env] ?? {});
  const variables = flags.env === undefined ? environment : {};
  const where = `[env.${env}] of the file`;
  const fromTable = (key: LayerKey) => sourced(table[key], where);
  const fromTop = (key: LayerKey) => sourced(config[key], 'the top level of the file');
  const elsewhere = sourced(flags.apiUrl, '--api-url') ?? sourced(variables.VOICE_API_URL, 'VOICE_API_URL');
  const url = elsewhere ?? fromTable('api_url') ?? fromTop('api_url');
  const own = env === undefined ? fromTop('api_key') : fromTable('api_key');
  const saved = own && { ...own, address: (fromTable('api_url') ?? fromTop('api_url'))?.value };
  const belongs = url === undefined || (saved?.address !== undefined && isSameService(saved.address, url.value));
  const key = sourced(variables.VOICE_API_KEY, 'VOICE_API_KEY') ?? (belongs ? saved : undefined);
  return {
    /** The `[env.NAME]` in effect; undefined for the top level alone. */
    env,
    explicitEnv: flags.env !== undefined,
    /** The names of the environments that have an address. */
    addressed: Object.keys(config.env).filter((name) => config.env[name]?.api_url !== undefined),
    url,
    key,
    /** The saved key that a flag's or a variable's address does not get: it was saved for another one. */
    withheld: key === undefined && elsewhere !== undefined ? saved : undefined,
    prefix:
      sourced(variables.VOICE_AUTH_HEADER_PREFIX, 'VOICE_AUTH_HEADER_PREFIX') ??
      fromTable('auth_header_prefix') ??
      fromTop('auth_header_prefix') ??
      DEFAULT_PREFIX,
  };
}

/** The base address and the full speech URL lead to the same one. */
export function isSameService(address: string, other: string): boolean {
  try {
    return parseBaseUrl(address).href === parseBaseUrl(other).href;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** A saved key that a change would send from one address to another; `env` is undefined at the top level. */
export interface MovedKey {
  readonly env: string | undefined;
  readonly from: string;
  readonly to: string;
}

/** The keys of `before` that `after` would send elsewhere. A key that is new goes where it was put. */
export function movedKeys(before: VoiceConfig, after: VoiceConfig): MovedKey[] {
  const addresses = Map.groupBy(savedKeys(before), ({ key }) => key);
  return savedKeys(after).flatMap(({ env, key, address: to }) => {
    const known = (addresses.get(key) ?? []).flatMap(({ address }) => address ?? []);
    const [from] = known;
    if (from === undefined || to === undefined) return [];
    return known.some((one) => one === to || isSameService(one, to)) ? [] : [{ env, from, to }];
  });
}

/** All saved keys, each with the address that it goes to. */
function savedKeys(config: VoiceConfig) {
  const layers: [string | undefined, Layer][] = [[undefined, config], ...Object.entries(config.env)];
  return layers.flatMap(([env, layer]) => {
    const key = sourced(layer.api_key, '')?.value;
    const address = sourced(layer.api_url, '') ?? sourced(config.api_url, '');
    return key === undefined ? [] : [{ env, key, address: address?.value }];
  });
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

/** Empty counts as not set, as a shell's `VOICE_API_KEY= voice …` means it. */
function sourced(value: string | undefined, from: string): WithSource | undefined {
  return value === undefined || value.trim() === '' ? undefined : { value: value.trim(), from };
}
