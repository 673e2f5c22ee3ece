import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unknownAuthority } from '../network/connection-errors.ts';
import { howToInstall } from '../process/package.ts';

export type Finding = Readonly<ReturnType<typeof good>>;

/** 'attention': the checked thing works, but not as well as it could. 'blocking': the bot cannot run. */
const reporting =
  (verdict: 'good' | 'attention' | 'blocking') =>
  (subject: string, found: string, means?: string, remedy?: string) => ({ subject, verdict, found, means, remedy });

export const good = reporting('good');
export const attention = reporting('attention');
export const blocking = reporting('blocking');

/** Returns only the first line of an error's message, because the others are stacks and lists of modules. */
export function reason(error: unknown): string {
  // An error of `fetch` says only that it failed; its `cause` has the reason. If several addresses were tried, the
  // cause has a code instead of a message.
  const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : undefined;
  const authority = unknownAuthority(cause ?? error);
  if (authority !== undefined) return authority;
  if (cause !== undefined) {
    const { message, code } = cause as NodeJS.ErrnoException;
    return message || code || (error as TypeError).message;
  }
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] || 'unknown error';
}

export const canRun = (findings: readonly Finding[]): boolean =>
  findings.every(({ verdict }) => verdict !== 'blocking');

const MARKS = { good: '✔', attention: '!', blocking: '✘' } as const;

export function describeFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const indent = ' '.repeat(width + 4);
  const lines = findings.flatMap(({ subject, verdict, found, means, remedy }) => [
    `${MARKS[verdict]} ${subject.padEnd(width)}  ${found.replaceAll('\n', `\n${indent}  `)}`,
    ...[means, remedy].filter((one) => one !== undefined).map((one) => `${indent}→ ${one}`),
  ]);
  const problems = findings.filter(({ verdict }) => verdict === 'blocking').length;
  const count = problems === 1 ? 'one problem' : `${problems} problems`;
  const conclusion = problems === 0 ? 'Crier can run here.' : `Crier cannot run yet: ${count} (✘).`;
  return `${lines.join('\n')}\n\n${conclusion}\n`;
}

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
  // The container image lacks package-lock.json, but the build of the image installed exactly the locked versions.
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
