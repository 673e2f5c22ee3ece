import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isMissing } from '../../../missing-program.ts';

/** Where Debian and others keep the programs of the server, the newest version first; only its clients are on the PATH. */
function programFolder(): string | undefined {
  const versions = '/usr/lib/postgresql';
  const installed = existsSync(versions)
    ? readdirSync(versions)
        .sort((one, other) => Number(other) - Number(one))
        .map((version) => join(versions, version, 'bin'))
    : [];
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...installed, ...onPath].find((folder) =>
    ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))),
  );
}

/** PostgreSQL does not run as root: there the account that Debian's package brings is used. */
function account(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

const folderOfPrograms = programFolder();

export const isPostgresMissing = isMissing(
  folderOfPrograms,
  'PostgreSQL is missing (Debian package postgresql): the shared store is not tested',
);

const READY_DEADLINE_MS = 30_000;
const USER = 'crier';

export interface PostgresServer {
  /** Of its database `postgres`. */
  readonly url: string;
  /** The address of another database in it, made for the call. */
  createDatabase(): Promise<string>;
  /** Ends it as a crash would, with all its connections, and starts it again. */
  restart(): Promise<void>;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** All of its processes stand still: it answers nothing, and no connection ends. */
  pause(): void;
  resume(): void;
  /** Ends it and deletes its files. */
  stop(): Promise<void>;
}

/** A real server with its files in a temporary folder, reached over a socket in it: no port is taken. */
export async function startPostgres(): Promise<PostgresServer> {
  if (folderOfPrograms === undefined) throw new Error('PostgreSQL is missing');
  const programs = folderOfPrograms;
  const folder = mkdtempSync(join(tmpdir(), 'crier-pg-'));
  const who = account();
  if (who) chownSync(folder, who.uid, who.gid);
  const data = join(folder, 'data');
  const options: SpawnOptions = { cwd: folder, ...who };
  const made = spawnSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
    { ...options, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  let server: ReturnType<typeof spawn> | undefined;
  let databases = 0;

  const urlOf = (database: string) => `postgres://${USER}@localhost/${database}?host=${encodeURIComponent(folder)}`;

  async function start(): Promise<void> {
    // Unflushed: only the end of the machine would lose what was committed.
    const settings = { listen_addresses: '', unix_socket_directories: folder, max_connections: '200', fsync: 'off' };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const child = spawn(join(programs, 'postgres'), ['-D', data, ...flags], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server = child;
    const lines: string[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(
      () => reject(new Error(`PostgreSQL does not start: ${lines.join('')}`)),
      READY_DEADLINE_MS,
    );
    child.once('exit', () => reject(new Error(`PostgreSQL ended: ${lines.join('')}`)));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lines.push(text);
      if (text.includes('ready to accept connections')) resolve();
    });
    await promise.finally(() => clearTimeout(timer));
    child.removeAllListeners('exit');
  }

  /** The server's own process first, then those of its connections: none is left to write. */
  async function end(signal: 'SIGQUIT' | 'SIGINT'): Promise<void> {
    const child = server;
    server = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  /** The server's process and its children, by their parent in /proc. */
  function processes(): readonly number[] {
    const parent = server?.pid;
    if (parent === undefined) throw new Error('It does not run');
    const children = readdirSync('/proc').filter((name) => {
      if (!/^\d+$/.test(name)) return false;
      try {
        return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(parent);
      } catch {
        // It ended meanwhile.
        return false;
      }
    });
    return [parent, ...children.map(Number)];
  }

  const signalAll = (signal: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of processes()) {
      try {
        process.kill(pid, signal);
      } catch (error) {
        // A connection's process that ended meanwhile.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  };

  await start();
  return {
    url: urlOf('postgres'),
    async createDatabase() {
      databases += 1;
      const name = `crier_${databases}`;
      const { default: pg } = await import('pg');
      const client = new pg.Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`CREATE DATABASE ${name}`);
      await client.end();
      return urlOf(name);
    },
    start,
    kill: () => end('SIGQUIT'),
    async restart() {
      await end('SIGQUIT');
      await start();
    },
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    async stop() {
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
