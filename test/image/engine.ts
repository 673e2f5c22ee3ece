import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from './run.ts';

/** Why no engine can be started on this machine; not a fault of the image. */
export class NoEngine extends Error {
  override readonly name = 'NoEngine';
}

/** A Docker engine of this check's own, which ends with it. */
export interface Engine {
  docker(...args: readonly string[]): Promise<string>;
  /** For a shell that has to send something into it. */
  readonly env: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

const READY_TIMEOUT_MS = 60_000;
/** The engine, what it starts containers with, and of the libraries of both those that not every machine has. */
const PACKAGES = ['docker.io', 'containerd', 'runc'];
const LIBRARIES = ['libdevmapper1.02.1', 'libseccomp2'];

/** Installs what makes a base image, and the engine's libraries. Throws NoEngine. */
export async function fetchTools(): Promise<void> {
  if (process.getuid?.() !== 0) throw new NoEngine('it needs root');
  if (!/^VERSION_CODENAME=bookworm$/m.test(readIf('/etc/os-release'))) throw new NoEngine('it needs Debian 12');
  if (!/\boverlay$/m.test(readIf('/proc/filesystems'))) throw new NoEngine('the kernel has no overlayfs');
  if (!existsSync('/sys/fs/cgroup/cgroup.controllers') && !existsSync('/sys/fs/cgroup/memory'))
    throw new NoEngine('no cgroups are mounted');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-q']).catch(cannotFetch);
  const tools = ['install', '-q', '-y', '--no-install-recommends', '--no-upgrade'];
  await run('apt-get', [...tools, 'debootstrap', ...LIBRARIES], { env }).catch(cannotFetch);
}

function cannotFetch(error: Error): never {
  throw new NoEngine(`Debian's packages cannot be fetched (${error.message.split('\n').at(-1)})`);
}

/** Debian's packages of the engine; throws NoEngine. */
export async function fetchEngine(folder: string): Promise<void> {
  const packages = join(folder, 'packages');
  mkdirSync(packages);
  // Unpacked and not installed: an installed one would start by itself, and change the machine's network.
  await run('apt-get', ['download', '-q', '-o', 'APT::Sandbox::User=root', ...PACKAGES], { cwd: packages }).catch(
    cannotFetch,
  );
  for (const file of readdirSync(packages)) await run('dpkg', ['-x', join(packages, file), join(folder, 'engine')]);
}

const readIf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** Throws NoEngine where it does not answer. */
export async function startEngine(folder: string): Promise<Engine> {
  const [programs, state] = [join(folder, 'engine', 'usr'), join(folder, 'state')];
  mkdirSync(state);
  const socket = `unix://${join(state, 'docker.sock')}`;
  const PATH = [join(programs, 'bin'), join(programs, 'sbin'), process.env.PATH].join(':');
  const env = { ...process.env, PATH, DOCKER_HOST: socket, DOCKER_BUILDKIT: '1', DOCKER_CONFIG: state };
  const log = openSync(join(state, 'log'), 'w');
  const daemon = spawn(
    join(programs, 'sbin', 'dockerd'),
    [
      ...['--host', socket, '--data-root', join(state, 'data'), '--exec-root', join(state, 'exec')],
      ...['--pidfile', join(state, 'pid'), '--storage-driver', 'overlay2'],
      // No bridge and no rule of a firewall: builds and containers have the machine's network or none.
      ...['--bridge=none', '--iptables=false', '--ip6tables=false', '--ip-forward=false', '--ip-masq=false'],
      '--userland-proxy=false',
    ],
    { env, stdio: ['ignore', log, log], detached: true },
  );
  closeSync(log);
  const ended = once(daemon, 'close');
  const docker = (...args: readonly string[]) => run(join(programs, 'bin', 'docker'), args, { env });
  const close = async () => {
    daemon.kill('SIGTERM');
    await ended;
    // It leaves the namespace of its network mounted, and more where it could not end well.
    for (const mounted of mountsBelow(state).reverse()) await run('umount', [mounted]).catch(() => undefined);
  };
  if (await answers(daemon, docker)) return { docker, env, close };
  await close();
  const [why = 'it said nothing'] = readIf(join(state, 'log')).trim().split('\n').slice(-1);
  throw new NoEngine(`it does not start: ${why}`);
}

const mountsBelow = (folder: string): string[] =>
  readIf('/proc/self/mounts')
    .split('\n')
    .flatMap((line) => line.split(' ')[1] ?? [])
    .filter((path) => path.startsWith(`${folder}/`));

async function answers(daemon: ChildProcess, docker: Engine['docker']): Promise<boolean> {
  const giveUpAtMs = performance.now() + READY_TIMEOUT_MS;
  while (daemon.exitCode === null && daemon.signalCode === null && performance.now() < giveUpAtMs) {
    const version = await docker('version', '--format', '{{.Server.Version}}').catch(() => undefined);
    if (version !== undefined) return true;
    await sleep(200);
  }
  return false;
}
