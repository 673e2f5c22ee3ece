import { execFile, execFileSync, spawn } from 'node:child_process';
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
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
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

const USER = 'crier';

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/** Of the run: a cluster that was made once, and the server that all files share which break nothing in it. */
const RUN_FOLDER = process.env.TEST_POSTGRES_FOLDER ?? join(tmpdir(), `crier-pg-run-${process.pid}`);
if (process.env.TEST_POSTGRES_FOLDER === undefined) process.once('exit', teardown);
const CLUSTER = join(RUN_FOLDER, 'cluster');
const SHARED = join(RUN_FOLDER, 'shared');

const urlIn = (folder: string, database: string) =>
  `postgres://${USER}@localhost/${database}?host=${encodeURIComponent(folder)}`;

function program(name: string): string {
  if (folderOfPrograms === undefined) throw new Error('PostgreSQL is missing');
  return join(folderOfPrograms, name);
}

/** What is under way in another process of the run is waited for. */
async function once(name: string, work: () => void | Promise<void>): Promise<void> {
  const done = join(RUN_FOLDER, `${name}-done`);
  const locked = join(RUN_FOLDER, `${name}.lock`);
  mkdirSync(RUN_FOLDER, { recursive: true });
  let lock = lockFile(locked);
  for (; !lock; lock = lockFile(locked)) await sleep(50);
  try {
    if (!existsSync(done)) await work();
    writeFileSync(done, '');
  } finally {
    lock.release();
  }
}

/** Made for who runs the programs; how they are run in it. */
function makeFolder(folder: string) {
  mkdirSync(folder, { recursive: true });
  const who = account();
  for (const path of [RUN_FOLDER, folder]) if (who && existsSync(path)) chownSync(path, who.uid, who.gid);
  return { cwd: folder, ...who };
}

const run = promisify(execFile);

/** A copy of a cluster is there sooner than a new one. */
async function makeData(data: string): Promise<void> {
  await once('cluster', async () => {
    const how = ['-U', USER, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
    await run(program('initdb'), ['-D', CLUSTER, ...how], makeFolder(RUN_FOLDER));
  });
  cpSync(CLUSTER, data, { recursive: true });
  chmodSync(data, 0o700);
  const who = account();
  if (!who) return;
  for (const name of ['', ...readdirSync(data, { recursive: true, encoding: 'utf8' })])
    chownSync(join(data, name), who.uid, who.gid);
}

/** A cluster in this folder, reached over a socket in it: no port is taken. It is ended once that process is gone. */
async function openCluster(folder: string, pid: number) {
  const options = makeFolder(folder);
  const data = join(folder, 'data');
  await makeData(data);
  // Unflushed: only the end of the machine would lose what was committed.
  const settings = { listen_addresses: '', unix_socket_directories: folder, max_connections: '200', fsync: 'off' };
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const stop = `'${program('pg_ctl')}' -m immediate -D '${data}' stop; rm -rf '${folder}'`;
  const script = `while [ -d /proc/${pid} ]; do sleep 1; done; ${stop}`;
  spawn('sh', ['-c', script], { ...options, detached: true, stdio: 'ignore' }).unref();
  return {
    async start(): Promise<void> {
      await run(program('pg_ctl'), ['-D', data, '-l', join(folder, 'log'), '-o', flags.join(' '), 'start'], options);
    },
    async end(how: 'immediate' | 'fast'): Promise<void> {
      if (existsSync(join(data, 'postmaster.pid')))
        await run(program('pg_ctl'), ['-D', data, '-m', how, 'stop'], options);
    },
    /** Of the server's process and its children, by their parent in /proc. */
    processes(): readonly number[] {
      const [parent = ''] = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n');
      const children = readdirSync('/proc').filter((name) => {
        if (!/^\d+$/.test(name)) return false;
        try {
          return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === parent;
        } catch {
          // It ended meanwhile.
          return false;
        }
      });
      return [parent, ...children].map(Number);
    },
  };
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

/** The address of a new database in the server that all files of the run share: nobody ends it or lets it stand still. */
export async function createDatabase(): Promise<string> {
  await once('shared', async () => {
    const { start } = await openCluster(SHARED, Number(/\d+$/.exec(RUN_FOLDER)?.[0] ?? process.pid));
    await start();
  });
  return createIn(SHARED);
}

/** Called by Vitest when all files of a project have run; ends what was started for them. */
export function teardown(): void {
  const data = join(SHARED, 'data');
  if (existsSync(join(data, 'postmaster.pid')))
    execFileSync(program('pg_ctl'), ['-m', 'immediate', '-D', data, 'stop'], {
      ...makeFolder(SHARED),
      stdio: 'ignore',
    });
  rmSync(RUN_FOLDER, { recursive: true, force: true });
}

/** A real server with its files in a temporary folder. */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'crier-pg-'));
  const { start, end, processes } = await openCluster(folder, process.pid);
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
  const kill = () => end('immediate');
  return {
    /** Of its database `postgres`. */
    url: urlIn(folder, 'postgres'),
    /** The address of another database in it, made for the call. */
    createDatabase: () => createIn(folder),
    start,
    /** Ends it as a crash would, with all its connections. */
    kill,
    async restart() {
      await kill();
      await start();
    },
    /** All of its processes stand still: it answers nothing, and no connection ends. */
    pause: () => signalAll('SIGSTOP'),
    resume: () => signalAll('SIGCONT'),
    /** Ends it and deletes its files. */
    async stop() {
      await end('fast');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
