import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { howToInstall } from '../process/package.ts';
import { attention, blocking, type Finding, good } from './finding.ts';

interface Manifest {
  readonly engines: { readonly node: string };
  readonly dependencies: Readonly<Record<string, string>>;
}

const root = join(import.meta.dirname, '..', '..');
const readJson = (...path: string[]) => JSON.parse(readFileSync(join(root, ...path), 'utf8')) as unknown;

export function checkNode(version = process.versions.node, path = process.execPath): Finding {
  const { engines } = readJson('package.json') as Manifest;
  const [neededMajor = 0, neededMinor = 0] = engines.node.replace(/^>=/, '').split('.').map(Number);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const found = `${version} on ${process.platform} ${process.arch} (${path})`;
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return good('Node', found);
  const remedy = 'Run npm ci, which brings one, and start Crier with npm start; or install Node 24.';
  return blocking('Node', found, `Crier needs Node ${engines.node}.`, remedy);
}

export function installedVersion(name: string): string | undefined {
  const manifest = ['node_modules', name, 'package.json'];
  return existsSync(join(root, ...manifest)) ? (readJson(...manifest) as { version: string }).version : undefined;
}

function lockedVersions(): ReadonlyMap<string, string> {
  // The container image has no package-lock.json, because its packages were installed from it.
  if (!existsSync(join(root, 'package-lock.json'))) return new Map();
  const { packages } = readJson('package-lock.json') as { packages: Record<string, { version?: string }> };
  return new Map(
    Object.entries(packages).map(([path, { version }]) => [path.replace(/^node_modules\//, ''), version ?? '']),
  );
}

/** The doctor's report shows the versions of these packages; other packages appear with their own checks. */
const NAMED = ['discord.js', '@discordjs/voice', 'undici', 'libopus-wasm', 'mpg123-decoder', 'prism-media'];

export function checkPackages(): Finding {
  const names = Object.keys((readJson('package.json') as Manifest).dependencies);
  const locked = lockedVersions();
  const installed = names.map((name) => ({ name, version: installedVersion(name) }));
  const missing = installed.filter(({ version }) => version === undefined).map(({ name }) => name);
  if (missing.length > 0) {
    return blocking('packages', `missing: ${missing.join(', ')}`, 'The bot does not start.', howToInstall);
  }
  const different = installed.filter(({ name, version }) => (locked.get(name) ?? version) !== version);
  if (different.length > 0) {
    const list = different.map(({ name, version }) => `${name} ${version} instead of ${locked.get(name)}`);
    const means = 'node_modules is not what package-lock.json says: Crier was tested with other versions.';
    return attention('packages', list.join(', '), means, howToInstall);
  }
  const named = installed.filter(({ name }) => NAMED.includes(name)).map(({ name, version }) => `${name} ${version}`);
  return good('packages', `all ${installed.length} installed: ${named.join(', ')}`);
}
