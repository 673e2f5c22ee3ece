// Which Node runs Crier here, and how to start npm's tools for it. Used by prepare.mjs, build-opus.mjs and build-voice.mjs; plain
// JavaScript without dependencies, because an old Node on a fresh checkout has to be able to run it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The oldest Node that runs the sources as they are (package.json's `engines` says the same). */
const MINIMUM_NODE = [22, 19];
export const minimumNode = MINIMUM_NODE.join('.');

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Where prepare.mjs links the Node it installed: npm puts this folder first on the PATH of every script. */
export const runtimeLink = join(root, 'node_modules', '.bin', 'node');

/** @param {string} version as `process.versions.node` gives it */
export function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1]);
}

/** The version of the Node behind `binary`, or undefined when it does not run (another machine's, another libc's). */
export function versionOf(binary) {
  const run = spawnSync(binary, ['-p', 'process.versions.node'], { encoding: 'utf8', timeout: 20_000 });
  return run.status === 0 ? run.stdout.trim() : undefined;
}

/** The Node that `npm start` runs: the linked one where there is one, else the one running this. */
export function runtimeNode() {
  if (existsSync(runtimeLink) && isNewEnough(versionOf(runtimeLink) ?? '0.0')) return realpathSync(runtimeLink);
  return isNewEnough(process.versions.node) ? process.execPath : undefined;
}

/**
 * The folder to give node-gyp as --nodedir: the one `binary` was unpacked into, when it brought its own headers along
 * (Node's archives, its image and the npm packages do). Undefined otherwise: node-gyp then downloads them.
 */
export function headersOf(binary, version) {
  const prefix = dirname(dirname(realpathSync(binary)));
  const header = join(prefix, 'include', 'node', 'node_version.h');
  if (!existsSync(header)) return undefined;
  const text = readFileSync(header, 'utf8');
  const found = ['MAJOR', 'MINOR', 'PATCH'].map((part) => text.match(`#define NODE_${part}_VERSION (\\d+)`)?.[1]);
  return found.join('.') === version ? prefix : undefined;
}

// How npm reaches its registry from here. Scoped registries and tokens have the address in their name.
const NETWORK_SETTINGS =
  /^npm_config_(registry|proxy|http_proxy|https_proxy|noproxy|cafile|ca|strict_ssl|cache|userconfig|globalconfig|\/\/.*|@.*)$/i;

/**
 * The environment for npm and node-gyp started from an npm script. npm hands its own settings (package-lock-only, omit,
 * dry-run, the headers of another Node as nodedir …) down as npm_config_*; they are not meant for a nested run and break
 * it. Only how to reach the network stays.
 */
export function nestedEnvironment(environment = process.env) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^npm_/i.test(name) || NETWORK_SETTINGS.test(name)),
  );
}
