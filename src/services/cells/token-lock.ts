import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../../errors/operator-error.ts';
import { lockFile } from '../../process/files.ts';

interface TokenLockOptions {
  readonly token: string;
  /** The API of a Discord other than the real one. */
  readonly apiUrl?: URL | undefined;
}

/** What comes before the first dot of a token names the bot, and stays when the token is reset. */
const botOf = (token: string) => token.split('.')[0] ?? token;

/**
 * Holds the bot for this process among all on this machine that share its network: without a common store, two with folders
 * of their own would both answer, both read the chat aloud, and both pay. Of a process on another machine, or in another
 * container, nothing can be known: Discord tells no session of another one. It ends with the process, however that ends.
 * Throws an OperatorError when another one holds it.
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

/** Names of sockets that are in no folder end with the process; macOS has none, and there the folder is its user's own. */
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
