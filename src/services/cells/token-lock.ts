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
 * The lock is named after the part of a bot token before its first dot. This part identifies the bot, and stays the
 * same when the token is reset.
 */
const botOf = (token: string) => token.split('.')[0] ?? token;

/**
 * Locks the bot's token, so that no second process on this machine runs the same bot. Needed only without a shared
 * store (PostgreSQL): two processes would then both answer, read the chat aloud and pay. The lock ends with the
 * process, even after a crash. Throws an OperatorError if another process has the lock.
 * Processes on other machines or in containers with a network of their own are not noticed, because Discord does not
 * report a bot's other sessions.
 */
export async function lockToken({ token, apiUrl }: TokenLockOptions): Promise<{ release(): void }> {
  const hash = createHash('sha256')
    .update(JSON.stringify([botOf(token), apiUrl]))
    .digest('hex');
  const lock = await lockName(`crier-${hash.slice(0, 32)}`);
  if (lock) return lock;
  throw new OperatorError('another Crier is running on this machine with the same token', {
    remedy: 'end that one first; processes that share a bot need a PostgreSQL in STORE_URL, and SHARDS of their own',
  });
}

/**
 * Locks a name against other processes on this machine. Linux and Windows have sockets with a name and no file, which
 * end with the process; on Linux, each container's network has its own names. On macOS, a file in the user's temporary
 * folder is locked instead.
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
