import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The size of the small disk, more than twice what the bot's database and audio cache need. */
const BYTES = 4 * 1_024 * 1_024;
const BLOCK = Buffer.alloc(4_096);
const IN_OWN_NAMESPACE = ['unshare', '--user', '--map-root-user', '--mount'] as const;

/** True if the machine allows mounting in a separate namespace without being root. */
export const canMount = (): boolean =>
  spawnSync(IN_OWN_NAMESPACE[0], [...IN_OWN_NAMESPACE.slice(1), 'true']).status === 0;

/** A command prefix: the command sees a small disk at the folder. */
export function onSmallDisk(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const mount = `mount -t tmpfs -o size=${BYTES} none "$0" && exec "$@"`;
  return [...IN_OWN_NAMESPACE, 'sh', '-c', mount, folder];
}

/** Fills the disk until the returned function is called. */
export function fillDisk(folder: string): () => void {
  const path = join(folder, 'filler');
  const descriptor = openSync(path, 'w');
  try {
    while (writeSync(descriptor, BLOCK) === BLOCK.length);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(descriptor);
  }
  return () => rmSync(path, { force: true });
}

/** A command prefix: the command has the rights of an ordinary account, even if root starts it. */
export const AS_ORDINARY_ACCOUNT = ['unshare', '--user', '--map-user=1000'] as const;

/** Makes a folder and its contents read-only until the returned function is called. */
export function makeReadOnly(folder: string): () => void {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const modes = [folder, ...inside].map((path) => ({ path, mode: statSync(path).mode }));
  for (const { path, mode } of modes) chmodSync(path, mode & ~0o222);
  return () => {
    for (const { path, mode } of modes) chmodSync(path, mode);
  };
}
