import { randomBytes } from 'node:crypto';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Another command holds the lock, or left it behind in a way that cannot be told from holding it. */
export class LockedError extends Error {
  override name = 'LockedError';
}

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** Of this one time that the lock was taken. */
  readonly id: string;
}

/** A change takes milliseconds. */
const TIMEOUT_MS = 5_000;
const POLL_MS = 20;
/**
 * A lock without an owner is of a command that ended within the microseconds before it wrote its name, or of an
 * earlier version.
 */
const NAMELESS_STALE_MS = 60_000;

/**
 * Takes the lock file `path`, waiting for other commands; one that a dead process left behind is taken over. Resolves with
 * the function that releases it. Rejects with a LockedError, or with the file system's error.
 */
export async function takeLock(path: string, timeoutMs = TIMEOUT_MS): Promise<() => Promise<void>> {
  const deadlineMs = performance.now() + timeoutMs;
  const owner: Owner = { pid: process.pid, host: hostname(), id: randomBytes(9).toString('base64url') };
  while (!(await created(path, owner))) {
    if (await removedStale(path)) continue;
    if (performance.now() > deadlineMs) throw new LockedError(`${path} is held by another command`);
    await sleep(POLL_MS);
  }
  return async () => {
    if ((await ownerOf(path))?.id === owner.id) await rm(path, { force: true });
  };
}

async function created(path: string, owner: Owner): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(owner));
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a stale lock. Two commands may see the same one: only the one that makes the marker with that lock's id may
 * remove it, and only after another look. Otherwise the slower one would remove the lock that the faster one has taken.
 */
async function removedStale(path: string): Promise<boolean> {
  const seen = await staleId(path);
  if (seen === undefined) return false;
  const marker = `${path}.${seen}`;
  const owner: Owner = { pid: process.pid, host: hostname(), id: seen };
  // A marker of a command that died while it removed the lock stays: then a person has to remove the lock.
  if (!(await created(marker, owner))) return false;
  try {
    if ((await staleId(path)) !== seen) return false;
    await rm(path, { force: true });
    return true;
  } finally {
    await rm(marker, { force: true });
  }
}

/** The id of a lock that no running process holds; undefined while one may. */
async function staleId(path: string): Promise<string | undefined> {
  const owner = await ownerOf(path);
  if (owner) return owner.host === hostname() && !isRunning(owner.pid) ? owner.id : undefined;
  const found = await stat(path).catch(missing);
  return found && Date.now() - found.mtimeMs > NAMELESS_STALE_MS ? `nameless-${found.ino}` : undefined;
}

async function ownerOf(path: string): Promise<Owner | undefined> {
  const text = await readFile(path, 'utf8').catch(missing);
  try {
    const { pid, host, id } = JSON.parse(text ?? '') as Partial<Owner>;
    const isWhole = Number.isSafeInteger(pid) && typeof host === 'string' && /^[\w-]{1,64}$/.test(String(id));
    return isWhole ? { pid: pid as number, host, id: id as string } : undefined;
  } catch {
    // Not written yet, or by another version.
    return undefined;
  }
}

function missing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Not permitted: there is one, of another account.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
