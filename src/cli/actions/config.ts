import {
  addTable,
  type ConfigFile,
  changeConfigFile,
  configPath,
  isSameService,
  LAYER_KEYS,
  type Layer,
  layerIn,
  readConfigFile,
  removeTable,
  resolveSettings,
  type SettingsFlags,
  setInText,
  shownPath,
} from '../config/config-file.ts';
import { agreeOnLostKey, exposed, speechAddress } from '../config/session.ts';
import { readSecret } from '../speech/files.ts';
import { printTable } from '../terminal/table.ts';
import { canAsk, confirm, failure, interruptible, json, note, print, usageError, warn } from '../terminal/terminal.ts';

const KEYS = [...LAYER_KEYS, 'default_env'] as const;

/** Shortens an API key to a part that tells two keys apart but does not help to guess. */
function redacted(key: string): string {
  return `${key.slice(0, Math.min(9, Math.floor(key.length / 4)))}… (${key.length} characters)`;
}

export function configPathCommand(): void {
  print(configPath());
}

export async function configList(flags: { json: boolean }): Promise<void> {
  const { config } = await readConfigFile();
  const { env: envs, default_env: chosen, ...top } = config;
  const rows = [
    { name: null as string | null, isDefault: chosen === undefined, layer: top as Layer },
    ...Object.entries(envs).map(([name, layer]) => ({ name, isDefault: name === chosen, layer })),
  ];
  if (flags.json) {
    const lines = rows.map(({ name, isDefault, layer }) => ({
      name,
      default: isDefault,
      api_url: layer.api_url ?? null,
      has_key: layer.api_key !== undefined,
    }));
    return print(json(lines, 2));
  }
  printTable(rows, [
    { heading: ' ', cell: (row) => (row.isDefault ? '*' : '') },
    { heading: 'ENVIRONMENT', cell: (row) => row.name ?? '(top level)' },
    { heading: 'KEY', cell: (row) => (row.layer.api_key === undefined ? 'no' : 'yes') },
    { heading: 'ADDRESS', cell: (row) => row.layer.api_url ?? '' },
  ]);
}

export async function configShow(flags: SettingsFlags & { json: boolean }): Promise<void> {
  const file = await readConfigFile();
  const { env, url, key, isWithheld, prefix } = resolveSettings(flags, process.env, file.config);
  const rows = [
    { name: 'api_url', value: url?.value, from: url?.from },
    { name: 'api_key', value: key && redacted(key.value), from: key?.from },
    { name: 'auth_header_prefix', value: prefix.value, from: prefix.from },
  ];
  if (flags.json) {
    const values = rows.map(({ name, value, from }) => [name, { value: value ?? null, from: from ?? null }]);
    return print(json({ file: file.path, env: env ?? null, ...Object.fromEntries(values) }, 2));
  }
  const unset = (name: string) =>
    name === 'api_key' && isWithheld ? '(not used: it is for another address)' : '(not set)';
  print(
    `file         ${shownPath(file.path)}${file.exists ? '' : ' (does not exist)'}\nenvironment  ${env ?? '(top level)'}`,
  );
  printTable(rows, [
    { heading: 'SETTING', cell: (row) => row.name },
    { heading: 'VALUE', cell: (row) => row.value ?? unset(row.name) },
    { heading: 'FROM', cell: (row) => row.from ?? '' },
  ]);
}

/** An API key that is given as an argument is saved, too, but stays in the shell's history. */
export async function configSet(
  name: string,
  given: string | undefined,
  flags: SettingsFlags & { force: boolean },
): Promise<void> {
  const key = KEYS.find((known) => known === name);
  if (key === undefined) throw usageError(`There is no setting "${name}"; there are ${KEYS.join(', ')}.`);
  if (key === 'default_env') {
    if (given === undefined) throw usageError('Give the name of an environment.');
    return configUse(given, { none: false });
  }
  if (flags.env !== undefined) checkEnvironmentName(flags.env);
  // The user learns of a broken configuration file before any prompt.
  const before = await readConfigFile();
  const env = flags.env ?? before.config.default_env;
  if (flags.env === undefined) layerOf(before.config, env);
  const isAsked = given === undefined || given === '-';
  const value = isAsked ? await interruptible((interrupt) => readSecret(`${key}: `, interrupt)) : given.trim();
  if (value === '')
    throw usageError(
      `There is no value for ${key}.`,
      `To remove a setting, delete its line in ${shownPath(before.path)}.`,
    );
  if (key === 'api_url') checkApiUrl(value);
  if (key === 'api_key') checkKeyText(value);
  const now = await readConfigFile();
  const layer = layerIn(now.config, env);
  const saved = layer?.api_key?.trim();
  if (key === 'api_key' && saved && saved !== value && !flags.force)
    await interruptible((interrupt) => agreeOnLostKey(env, interrupt));
  if (key === 'api_url' && saved && layer?.api_url !== undefined && !isSameService(layer.api_url, value))
    throw failure(
      'Nothing was changed: the key saved beside this address would go to another service.',
      `To remove it first: voice logout${env === undefined ? '' : ` --env ${env}`}. To keep both: voice config add NAME --api-url ${value}.`,
    );
  await changeConfigFile((file) => setInText(file.text, { env, key }, value));
  // A misspelled environment would go unnoticed, so the confirmation says that it is new.
  const isNew = env !== undefined && layer === undefined;
  const where = env === undefined ? '' : ` in ${isNew ? 'the new environment ' : ''}[env.${env}]`;
  note(`Set ${key}${where} to ${key === 'api_key' ? redacted(value) : value}.`);
}

export async function configAdd(name: string, flags: { apiUrl?: string }): Promise<void> {
  checkEnvironmentName(name);
  const { apiUrl } = flags;
  if (apiUrl !== undefined) checkApiUrl(apiUrl);
  await changeConfigFile((file) => {
    if (Object.hasOwn(file.config.env, name)) throw usageError(`The environment "${name}" already exists.`);
    const text = addTable(file.text, name);
    return apiUrl === undefined ? text : setInText(text, { env: name, key: 'api_url' }, apiUrl);
  });
  note(
    `Added the environment "${name}". Next: voice login --env ${name}${apiUrl === undefined ? ' --api-url URL' : ''}.`,
  );
}

export async function configRm(name: string, flags: { force: boolean }): Promise<void> {
  const file = await readConfigFile();
  const layer = layerOf(file.config, name);
  if (layer.api_key !== undefined && !flags.force) {
    if (!canAsk()) {
      throw failure(
        `Nothing was removed: this needs a confirmation.\nThe key saved in [env.${name}] would be lost.`,
        '--force removes both.',
      );
    }
    const question = `Remove the environment "${name}" and its key?`;
    if (!(await interruptible((interrupt) => confirm(question, interrupt)))) throw failure('Nothing was removed.');
  }
  let isDefault = false;
  await changeConfigFile(({ text, config }) => {
    layerOf(config, name);
    isDefault = config.default_env === name;
    const without = removeTable(text, name);
    return isDefault ? setInText(without, { env: undefined, key: 'default_env' }, undefined) : without;
  });
  note(`Removed the environment "${name}".${isDefault ? ' It was the default: the top level is used now.' : ''}`);
  if (layer.api_key === undefined) return;
  note('The service still accepts its key until it is revoked in the dashboard.');
}

export async function configUse(name: string | undefined, flags: { none: boolean }): Promise<void> {
  if ((name === undefined) !== flags.none)
    throw usageError('Give the name of an environment, or --none for the top level.');
  await changeConfigFile(({ text, config }) => {
    if (name !== undefined) layerOf(config, name);
    return setInText(text, { env: undefined, key: 'default_env' }, name);
  });
  note(name === undefined ? 'The top level is used now.' : `The environment "${name}" is used now.`);
  for (const variable of ['VOICE_API_URL', 'VOICE_API_KEY']) {
    if (process.env[variable]) warn(`${variable} is set and overrides the file.`);
  }
}

function layerOf(config: ConfigFile['config'], env: string | undefined): Layer {
  const layer = layerIn(config, env);
  if (layer !== undefined) return layer;
  const names = Object.keys(config.env).join(', ') || 'none';
  throw usageError(`There is no environment "${env}" (there are: ${names}).`);
}

export function checkEnvironmentName(name: string): void {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw usageError('The name of an environment can only have letters, digits, - and _.');
  }
}

/** Plain http only causes a warning here, because --allow-http may allow it to other commands. */
function checkApiUrl(given: string): void {
  const refused = exposed(speechAddress(given));
  if (refused !== undefined) warn(`${refused.message}\n${refused.hint}`);
}

export function checkKeyText(key: string): void {
  if (!/^[\x21-\x7E]+$/.test(key))
    throw usageError('This is not a key: it has spaces or characters a key cannot have.');
}
