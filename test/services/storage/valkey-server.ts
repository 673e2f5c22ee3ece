import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Redis } from 'iovalkey';
import { isMissing } from '../../missing-program.ts';

/** Of whichever of the two is installed. */
const program = ['valkey-server', 'redis-server']
  .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
  .find((path) => existsSync(path));

export const isValkeyMissing = isMissing(
  program,
  'Valkey is missing (Debian package valkey-server or redis-server): the shared cache is not tested',
);

const READY_DEADLINE_MS = 15_000;
const PASSWORD = 'cache-secret/0123';

export interface ValkeyServer {
  /** With its password. */
  readonly url: string;
  readonly password: string;
  /** Asks it as its operator does. */
  ask(command: string, ...args: (string | number | Buffer)[]): Promise<unknown>;
  /** The value of a key as it is stored; null where there is none. */
  stored(key: string): Promise<Buffer | null>;
  /** A figure of INFO, such as db0:keys. */
  figure(name: string): Promise<number>;
  /** Ends it as a crash would: nothing of its content is left. */
  kill(): Promise<void>;
  /** At the same address. */
  start(): Promise<void>;
  /** It stands still: it answers nothing, and no connection ends. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** A real server on a free port, which keeps nothing on disk. `options` as on its command line, without dashes. */
export async function startValkey(options: Readonly<Record<string, string>> = {}): Promise<ValkeyServer> {
  if (program === undefined) throw new Error('Valkey is missing');
  const path = program;
  const folder = mkdtempSync(join(tmpdir(), 'crier-valkey-'));
  const port = await freePort();
  const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    const settings = {
      ...{ port: String(port), bind: '127.0.0.1', requirepass: PASSWORD, dir: folder },
      ...{ save: '', appendonly: 'no', maxmemory: '64mb', 'maxmemory-policy': 'allkeys-lru' },
      ...options,
    };
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
    const started = spawn(path, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
    child = started;
    const lines: string[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const failed = () => reject(new Error(`Valkey does not start: ${lines.join('')}`));
    const timer = setTimeout(failed, READY_DEADLINE_MS);
    started.once('exit', failed);
    started.once('error', reject);
    for (const output of [started.stdout, started.stderr]) {
      output.setEncoding('utf8').on('data', (text: string) => {
        lines.push(text);
        if (/ready to accept connections/i.test(text)) resolve();
      });
    }
    await promise.finally(() => clearTimeout(timer));
    started.removeListener('exit', failed);
  }

  async function kill(): Promise<void> {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.kill('SIGKILL');
    await ended;
  }

  async function withClient<Result>(work: (client: Redis) => Promise<Result>): Promise<Result> {
    const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
    try {
      await client.connect();
      return await work(client);
    } finally {
      client.disconnect();
    }
  }

  await start();
  return {
    url,
    password: PASSWORD,
    ask: (command, ...args) => withClient((client) => client.call(command, args)),
    stored: (key) => withClient((client) => client.getBuffer(key)),
    figure: (name) =>
      withClient(async (client) => Number(new RegExp(`^${name}[:=](\\d+)`, 'm').exec(await client.info('all'))?.[1])),
    kill,
    start,
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
