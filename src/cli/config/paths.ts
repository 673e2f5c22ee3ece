import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where the command line keeps its settings. */
export const configFolder = (): string => join(homedir(), '.voice');
export const configPath = (): string => join(configFolder(), 'voice.toml');

/** The path as people write it. */
export function shownPath(path: string): string {
  const home = homedir();
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
