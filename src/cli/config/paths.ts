import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

/** An empty HOME is no home, as none is: a relative path would put the key into the present folder. */
const home = (): string => homedir() || userInfo().homedir;

/** Where the command line keeps its settings. */
export const configFolder = (): string => join(home(), '.voice');
export const configPath = (): string => join(configFolder(), 'voice.toml');

/** The path as people write it. */
export function shownPath(path: string): string {
  const folder = home();
  return path.startsWith(`${folder}/`) ? `~${path.slice(folder.length)}` : path;
}
