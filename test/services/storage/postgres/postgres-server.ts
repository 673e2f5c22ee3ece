import { execFileSync, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { lockFile } from '../../../../src/process/files.ts';
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
  kill(): Promise<void>;
  start(): Promise<void>;
  /** All of its processes stand still: it answers nothing, and no connection ends. */
  pause(): void;
  resume(): void;
  /** Ends it and deletes its files. */
  stop(): Promise<void>;
}

/** Of the run: a cluster that was made once, and the server that all files share which break nothing in it. */
const RUN_FOLDER = process.env.TEST_POSTGRES_FOLDER ?? join(tmpdir(), `crier-pg-run-${process.pid}`);
if (process.env.TEST_POSTGRES_FOLDER === undefined) process.once('exit', teardown);
const CLUSTER = join(RUN_FOLDER, 'cluster');
const SHARED = join(RUN_FOLDER, 'shared');

const urlIn = (folder: string, database: string) =>
  `postgres://${USER}@localhost/${database}?host=${encodeURIComponent(folder)}`;

function programs(): string {
  if (folderOfPrograms === undefined) throw new Error('PostgreSQL is missing');
  return folderOfPrograms;
}

/** What is under way in another process of the run is waited for. */
async function once(name: string, work: () => void | Promise<void>): Promise<void> {
  const done = join(RUN_FOLDER, `${name}-done`);
  mkdirSync(RUN_FOLDER, { recursive: true });
  for (;;) {
    if (existsSync(done)) return;
    const lock = lockFile(join(RUN_FOLDER, `${name}.lock`));
    if (!lock) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      continue;
    }
    try {
      if (!existsSync(done)) await work();
      writeFileSync(done, '');
      return;
    } finally {
      lock.release();
    }
  }
}

function makeFolder(folder: string): SpawnOptions {
  mkdirSync(folder, { recursive: true });
  const who = account();
  for (const path of [RUN_FOLDER, folder]) if (who && existsSync(path)) chownSync(path, who.uid, who.gid);
  return { cwd: folder, ...who };
}

/** A copy of a cluster is there sooner than a new one. */
async function makeData(folder: string, options: SpawnOptions): Promise<string> {
  await once('cluster', () => {
    const made = spawnSync(
      join(programs(), 'initdb'),
      ['-D', CLUSTER, '-U', USER, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'],
      { ...makeFolder(RUN_FOLDER), encoding: 'utf8' },
    );
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  });
  const data = join(folder, 'data');
  cpSync(CLUSTER, data, { recursive: true });
  chmodSync(data, 0o700);
  const { uid, gid } = options;
  if (uid !== undefined && gid !== undefined)
    for (const name of ['', ...readdirSync(data, { recursive: true, encoding: 'utf8' })])
      chownSync(join(data, name), uid, gid);
  return data;
}

function flagsFor(folder: string): string[] {
  // Unflushed: only the end of the machine would lose what was committed.
  const settings = { listen_addresses: '', unix_socket_directories: folder, max_connections: '200', fsync: 'off' };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function createIn(folder: string): Promise<string> {
  const { default: pg } = await import('pg');
  const name = `crier_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: urlIn(folder, 'postgres') });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return urlIn(folder, name);
}

/** Ends the server in this folder, and deletes its files, once that process is gone: it may be killed. */
function endAfter(pid: number, folder: string, options: SpawnOptions): void {
  const stop = `'${join(programs(), 'pg_ctl')}' -m immediate -D '${join(folder, 'data')}' stop; rm -rf '${folder}'`;
  const script = `while [ -d /proc/${pid} ]; do sleep 1; done; ${stop}`;
  spawn('sh', ['-c', script], { ...options, detached: true, stdio: 'ignore' }).unref();
}

/** The address of a new database in the server that all files of the run share: nobody ends it or lets it stand still. */
export async function createDatabase(): Promise<string> {
  await once('shared', async () => {
    const options = makeFolder(SHARED);
    const data = await makeData(SHARED, options);
    // `-w` waits until it answers; it goes on when this process ends, and is ended with the run.
    execFileSync(
      join(programs(), 'pg_ctl'),
      ['-w', '-D', data, '-l', join(SHARED, 'log'), '-o', flagsFor(SHARED).join(' '), 'start'],
      { ...options, stdio: 'ignore' },
    );
    endAfter(Number(/\d+$/.exec(RUN_FOLDER)?.[0] ?? process.pid), SHARED, options);
  });
  return createIn(SHARED);
}

/** Called by Vitest when all files of a project have run; ends what was started for them. */
export function teardown(): void {
  const data = join(SHARED, 'data');
  if (existsSync(join(data, 'postmaster.pid')))
    execFileSync(join(programs(), 'pg_ctl'), ['-m', 'immediate', '-D', data, 'stop'], {
      ...makeFolder(SHARED),
      stdio: 'ignore',
    });
  rmSync(RUN_FOLDER, { recursive: true, force: true });
}

/** A real server with its files in a temporary folder, reached over a socket in it: no port is taken. */
export async function startPostgres(): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'crier-pg-'));
  const options = makeFolder(folder);
  const data = await makeData(folder, options);
  let server: ReturnType<typeof spawn> | undefined;

  async function start(): Promise<void> {
    const child = spawn(join(programs(), 'postgres'), ['-D', data, ...flagsFor(folder)], {
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
  endAfter(process.pid, folder, options);
  return {
    url: urlIn(folder, 'postgres'),
    createDatabase: () => createIn(folder),
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
