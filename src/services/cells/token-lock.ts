import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../errors/operator-error.ts';
import { lockFile } from '../../process/files.ts';

interface TokenLockOptions {
  readonly token: string;
  /** The API address of another Discord than the real one, as in tests; undefined for the real Discord. */
  readonly apiUrl: URL | undefined;
}

/**
 * Locks a bot token until release() or the process's end: two processes with one token and no shared store would both
 * answer, read the chat aloud and pay. The lock has no effect on other machines or in other containers. Throws an
 * OperatorError if another process has the lock.
 */
export async function lockToken({ token, apiUrl }: TokenLockOptions): Promise<{ release(): void }> {
  // The part of a bot token before its first dot identifies the bot, and stays the same after a reset.
  const [bot] = token.split('.');
  const hash = createHash('sha256')
    .update(JSON.stringify([bot, apiUrl]))
    .digest('hex');
  const lock = await lockName(`crier-${hash.slice(0, 32)}`);
  if (lock) return lock;
  throw new OperatorError('another Crier is running on this machine with the same token', {
    remedy: 'end that one first; processes that share a bot need a PostgreSQL in STORE_URL, and SHARDS of their own',
  });
}

/**
 * Linux and Windows have sockets with a name and no file, which end with the process. On Linux, each container's
 * network has its own names. On macOS, a file is locked.
 */
async function lockName(name: string): Promise<{ release(): void } | undefined> {
  if (process.platform === 'linux') return listenAt(`\0${name}`);
  if (process.platform === 'win32') return listenAt(`\\\\.\\pipe\\${name}`);
  return lockFile(join(tmpdir(), `${name}.lock`));
}

async function listenAt(path: string): Promise<{ release(): void } | undefined> {
  const server = createServer((socket) => socket.destroy()).unref();
  try {
    await new Promise<void>((resolve, reject) => {
      server.on('error', reject).listen(path, resolve);
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
  return { release: () => void server.close() };
}
