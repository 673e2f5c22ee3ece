import { changeConfigFile, readConfigFile } from '../config/config-file.ts';
import { shownPath } from '../config/paths.ts';
import { type ConnectionFlags, loadSettings, requireKey } from '../config/session.ts';
import { layerIn, resolveSettings } from '../config/settings.ts';
import { setInText } from '../config/toml-text.ts';
import { note, warn } from '../terminal/terminal.ts';

/** Prints the key that is in effect, and nothing else: no line end either. */
export async function key(flags: ConnectionFlags): Promise<void> {
  const settings = await loadSettings(flags);
  process.stdout.write(requireKey(settings));
}

/** Removes the saved key of the chosen environment; other environments and settings stay. */
export async function logout(flags: ConnectionFlags): Promise<void> {
  const { config, path } = await readConfigFile();
  const { env } = resolveSettings(flags, process.env, config);
  const saved = layerIn(config, env)?.api_key;
  const where = env === undefined ? '' : ` of the environment "${env}"`;
  if (saved === undefined) note(`There is no saved key${where}: nothing to remove.`);
  else {
    await changeConfigFile(({ text }) => setInText(text, { env, key: 'api_key' }, undefined));
    note(
      `The key${where} was removed from ${shownPath(path)}. The service still accepts it until it is revoked in the dashboard.`,
    );
  }
  if (process.env.VOICE_API_KEY && flags.env === undefined) warn('VOICE_API_KEY is set and still used.');
}
