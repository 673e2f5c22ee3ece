import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from '../repository/tracked-files.ts';
import type { Engine } from './engine.ts';
import { run } from './run.ts';

/** What Debian leaves out of its own slim image, besides the documentation that is no license. */
const LEFT_OUT = [
  'usr/share/man',
  'usr/share/info',
  'usr/share/locale',
  'usr/share/lintian',
  'var/cache/apt',
  'var/lib/apt/lists',
  'var/log/apt',
];
/** The npm that compiles and installs in the image; any that Node 24 comes with. */
const NPM = 'npm@11';

/** The image that the Dockerfile begins from, by its name and tag. */
export function baseImageOf(dockerfile: string): string {
  const [, name] = /^FROM (node:[^@\s]+)@/m.exec(dockerfile) ?? [];
  if (name === undefined) throw new Error('The Dockerfile begins from no image of Node');
  return name;
}

/**
 * The files of an image like Node's own for Debian, made of what the package registries have: Debian from debootstrap, and Node and npm
 * from their packages. So nothing is asked of a registry of images. Resolves with their folder.
 */
export async function makeSystem(folder: string, name: string): Promise<string> {
  const system = join(folder, 'system');
  const [mirror] = (
    await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages', 'Codename: bookworm'])
  ).split('\n');
  // As in Debian's own images: nothing waits for the disk after each file.
  mkdirSync(join(system, 'etc/dpkg/dpkg.cfg.d'), { recursive: true });
  writeFileSync(join(system, 'etc/dpkg/dpkg.cfg.d/docker-apt-speedup'), 'force-unsafe-io\n');
  const [node] = await Promise.all([
    fetchNode(folder, name),
    run('debootstrap', ['--variant=minbase', 'bookworm', system, ...(mirror ? [mirror] : [])]),
  ]);
  for (const folder of LEFT_OUT.map((path) => join(system, path)).filter(existsSync))
    for (const entry of readdirSync(folder)) rmSync(join(folder, entry), { recursive: true });
  const documents = join(system, 'usr/share/doc');
  for (const entry of readdirSync(documents, { recursive: true, withFileTypes: true }))
    if (!entry.isDirectory() && entry.name !== 'copyright') rmSync(join(entry.parentPath, entry.name), { force: true });
  // How apt and npm reach their registries from here. npm's is in its own folder, which the Dockerfile's last stage has not.
  writeFileSync(
    join(system, 'etc/apt/apt.conf.d/99machine'),
    await run('apt-config', ['dump', 'Acquire::http', 'Acquire::https']),
  );
  await addNode(node, system);
  await run('chroot', [system, 'groupadd', '--gid', '1000', 'node']);
  await run('chroot', [system, 'useradd', '--uid', '1000', '--gid', 'node', '--create-home', 'node']);
  return system;
}

/** Puts it under the image's name. */
export async function importImage(system: string, name: string, { env }: Engine): Promise<void> {
  const script = 'set -o pipefail; tar -C "$0" -c . | docker import - "$1"';
  await run('bash', ['-c', script, system, name], { env });
  rmSync(system, { recursive: true });
}

/** The packages of Node and npm, unpacked. */
async function fetchNode(folder: string, name: string): Promise<{ readonly node: string; readonly npm: string }> {
  const [version] = /\d+\.\d+\.\d+/.exec(name) ?? [];
  const packages = join(folder, 'npm');
  mkdirSync(packages);
  const node = `node-linux-${process.arch}`;
  const packed = JSON.parse(await run('npm', ['pack', '--json', `${node}@${version}`, NPM], { cwd: packages }));
  for (const { name: of, filename } of packed as { name: string; filename: string }[]) {
    const target = join(packages, of);
    mkdirSync(target);
    await run('tar', ['-xzf', join(packages, filename), '-C', target, '--strip-components=1']);
  }
  return { node: join(packages, node), npm: join(packages, 'npm') };
}

async function addNode(from: { readonly node: string; readonly npm: string }, system: string): Promise<void> {
  const local = join(system, 'usr/local');
  copyFileSync(join(from.node, 'bin/node'), join(local, 'bin/node'));
  chmodSync(join(local, 'bin/node'), 0o755);
  cpSync(join(from.node, 'include'), join(local, 'include'), { recursive: true });
  const npm = join(local, 'lib/node_modules/npm');
  cpSync(from.npm, npm, { recursive: true });
  chmodSync(join(npm, 'bin/npm-cli.js'), 0o755);
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(local, 'bin/npm'));
  const setting = async (of: string) => (await run('npm', ['config', 'get', of], { cwd: root })).trim();
  const authorities = await setting('cafile');
  writeFileSync(join(npm, 'npmrc'), `registry=${await setting('registry')}\n`);
  if (authorities !== 'null') {
    copyFileSync(authorities, join(npm, 'ca.pem'));
    appendFileSync(join(npm, 'npmrc'), 'cafile=/usr/local/lib/node_modules/npm/ca.pem\n');
  }
  await run('chown', ['-R', '0:0', local]);
}
