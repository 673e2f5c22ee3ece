import { spawnSync } from 'node:child_process';
import { chmodSync, closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The bot's database and kept audio take less than half of it. */
const BYTES = 4 * 1_024 * 1_024;
const BLOCK = Buffer.alloc(4_096);
const IN_OWN_NAMESPACE = ['unshare', '--user', '--map-root-user', '--mount'] as const;

/** File systems can be mounted without being root, in a namespace of their own: not on every machine. */
export const canMount = (): boolean =>
  spawnSync(IN_OWN_NAMESPACE[0], [...IN_OWN_NAMESPACE.slice(1), 'true']).status === 0;

/** Before a command: it sees a small disk of its own at this folder. */
export function onSmallDisk(folder: string): readonly string[] {
  mkdirSync(folder, { recursive: true });
  const mount = `mount -t tmpfs -o size=${BYTES} none "$0" && exec "$@"`;
  return [...IN_OWN_NAMESPACE, 'sh', '-c', mount, folder];
}

/** Until the returned function is called. */
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

/** Before a command: it has the rights of an ordinary account, whatever account starts it. */
export const AS_ORDINARY_ACCOUNT = ['unshare', '--user', '--map-user=1000'] as const;

/** A folder with all in it can only be read, until the returned function is called. */
export function makeReadOnly(folder: string): () => void {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const modes = [folder, ...inside].map((path) => ({ path, mode: statSync(path).mode }));
  for (const { path, mode } of modes) chmodSync(path, mode & ~0o222);
  return () => {
    for (const { path, mode } of modes) chmodSync(path, mode);
  };
}
