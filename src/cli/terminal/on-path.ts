import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of the program of that name, as a shell finds it; undefined where there is none. */
export function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => folder !== '');
  const suffixes = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  return folders.flatMap((folder) => suffixes.map((suffix) => join(folder, name + suffix))).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Not there, or not for us: the next one.
    return false;
  }
}
