import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
// @ts-expect-error: plain JavaScript, because an old Node runs it too
import { nestedEnvironment } from '../../scripts/runtime-node.mjs';

/*
 * The program as people get it: built, packed, installed into an empty folder. Made once for each state of the sources
 * and kept in node_modules/.cache, because packing and installing take seconds.
 */

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');
const cache = join(root, 'node_modules', '.cache', 'crier-voice');
const SOURCES = [
  'src/cli',
  'src/process',
  'src/sound',
  'src/speech',
  'scripts/build-voice.mjs',
  'docs/reference/voice.md',
  'package.json',
  'tsconfig.json',
];

export interface InstalledVoice {
  /** The folder it was installed into. */
  readonly folder: string;
  /** What `voice` on the PATH runs. */
  readonly binary: string;
  readonly tarball: string;
}

export async function installedVoice(): Promise<InstalledVoice> {
  const folder = join(cache, await hashOfSources());
  await mkdir(cache, { recursive: true });
  if (!(await exists(folder))) {
    for (const old of await readdir(cache)) await rm(join(cache, old), { recursive: true, force: true });
    await install(folder);
  }
  const [tarball = ''] = (await readdir(join(folder, 'packed'))).filter((name) => name.endsWith('.tgz'));
  return {
    folder,
    binary: join(folder, 'installed', 'node_modules', '.bin', 'voice'),
    tarball: join(folder, 'packed', tarball),
  };
}

async function install(folder: string): Promise<void> {
  const making = await mkdtemp(`${folder}-`);
  const packed = join(making, 'packed');
  const installed = join(making, 'installed');
  const { stdout } = await run(process.execPath, [join(root, 'scripts', 'build-voice.mjs'), '--out', packed]);
  await mkdir(installed);
  await writeFile(join(installed, 'package.json'), '{"private":true}\n');
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error', '--install-links'];
  try {
    await run('npm', ['install', ...options, stdout.trim()], {
      cwd: installed,
      env: nestedEnvironment(),
      timeout: 40_000,
    });
  } catch (error) {
    console.warn(
      `no registry: the dependencies are copied from node_modules instead (${(error as Error).message.split('\n')[0]})`,
    );
    await installByHand(installed, join(packed));
  }
  await rename(making, folder);
}

/** What npm would do, from the packages that are here already. */
async function installByHand(installed: string, packed: string): Promise<void> {
  const modules = join(installed, 'node_modules');
  const copy = async (name: string, from: string): Promise<void> => {
    if (await exists(join(modules, name))) return;
    await cp(from, join(modules, name), { recursive: true });
    const { dependencies = {} } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
    for (const needed of Object.keys(dependencies)) {
      const nested = join(from, 'node_modules', needed);
      await copy(needed, (await exists(nested)) ? nested : join(root, 'node_modules', needed));
    }
  };
  await copy('crier-voice', packed);
  await mkdir(join(modules, '.bin'), { recursive: true });
  await run('ln', ['-sf', '../crier-voice/lib/cli/main.js', join(modules, '.bin', 'voice')]);
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256').update(process.version);
  for (const source of SOURCES) {
    const path = join(root, source);
    const isFolder = (await stat(path)).isDirectory();
    const files = isFolder
      ? (await readdir(path, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
      : [];
    const paths = isFolder ? files.map((file) => join(file.parentPath, file.name)).sort() : [path];
    for (const file of paths) hash.update(file).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
