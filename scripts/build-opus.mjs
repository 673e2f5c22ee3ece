// `npm run build:opus`: compiles the optional native Opus encoder (@discordjs/opus) for the Node that runs Crier.
// Without it Crier encodes with libopus-wasm: the same sound for about a fifth more CPU (the bench, row 8).
// `npm ci` does not build it, because it would be built for the Node of the machine, which may not be the one that runs
// Crier. Does nothing when it already loads, unless given --force. Exit 0: it is built and has encoded a frame.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { headersOf, minimumNode, nestedEnvironment, root, runtimeNode, versionOf } from './runtime-node.mjs';
import { OPUS_SOURCES } from './slim.mjs';

const BUILD_TIMEOUT_MS = 600_000;

const require = createRequire(join(root, 'package.json'));

/** Encodes one second of a tone at 24 kHz mono in 20 ms frames and decodes it again. Throws when anything is off. */
function encodeOneSecond() {
  const { OpusEncoder } = require('@discordjs/opus');
  const codec = new OpusEncoder(24_000, 1);
  const frame = new Int16Array(480);
  let encodeMs = 0;
  let energy = 0;
  for (let start = 0; start < 24_000; start += frame.length) {
    for (let i = 0; i < frame.length; i += 1) frame[i] = 8000 * Math.sin((2 * Math.PI * 440 * (start + i)) / 24_000);
    const startedAtMs = performance.now();
    const packet = codec.encode(Buffer.from(frame.buffer));
    encodeMs += performance.now() - startedAtMs;
    const pcm = codec.decode(packet);
    for (let at = 0; at < pcm.length; at += 2) energy += (pcm.readInt16LE(at) / 32_768) ** 2;
  }
  // A tone of this height has an energy of 715 over the second; a broken codec gives silence or noise.
  if (energy < 500 || energy > 900) throw new Error(`the decoded tone has an energy of ${energy.toFixed(0)}, not 715`);
  return `encodes at ${Math.round((encodeMs / 50) * 1000)} µs a frame`;
}

/** Runs encodeOneSecond in a process of its own under `node`: its output, or undefined when it fails. */
function proveUnder(node, showErrors) {
  const run = spawnSync(node, [fileURLToPath(import.meta.url), '--prove'], { encoding: 'utf8', timeout: 60_000 });
  if (run.status === 0) return run.stdout.trim();
  if (showErrors) console.error(run.stderr.trim() || `ended with ${run.signal ?? run.status}`);
  return undefined;
}

/** The build tools this machine lacks, by their names in a package manager. */
function missingTools() {
  if (process.platform === 'win32') return []; // node-gyp looks for Visual Studio itself and explains well
  const runs = (command) => spawnSync(command, ['--version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
  const compilers = process.env.CXX ? [process.env.CXX] : ['c++', 'g++', 'clang++'];
  return [
    compilers.some(runs) ? undefined : 'g++',
    runs('make') || runs('gmake') ? undefined : 'make',
    [process.env.PYTHON ?? 'python3', 'python'].some(runs) ? undefined : 'python3',
  ].filter((tool) => tool !== undefined);
}

/** npm brings the node-gyp that compiles add-ons; where it is depends on how npm was installed. */
function nodeGyp(node) {
  const npmFolders = [
    process.env.npm_execpath && dirname(dirname(realpathSync(process.env.npm_execpath))),
    ...(process.env.PATH ?? '')
      .split(delimiter)
      .map((folder) => join(folder, 'npm'))
      .filter((npm) => existsSync(npm))
      .map((npm) => dirname(dirname(realpathSync(npm)))),
    join(dirname(dirname(node)), 'lib', 'node_modules', 'npm'),
  ].filter((folder) => typeof folder === 'string');
  const candidates = [
    process.env.npm_config_node_gyp,
    ...npmFolders.map((folder) => join(folder, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js')),
  ];
  return candidates.find((file) => file !== undefined && existsSync(file));
}

/**
 * A copy of the package's sources to compile in, and the headers beside it: make takes no blanks or brackets in a path, and
 * this checkout may lie below a folder with some.
 */
function workshop(packageDir, headers) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'crier-opus-'));
  const sources = join(folder, 'node_modules', '@discordjs', 'opus');
  const left = ['build', 'prebuild', 'node_modules'].map((name) => join(packageDir, name));
  cpSync(packageDir, sources, { recursive: true, filter: (path) => !left.includes(path) });
  if (existsSync(join(sources, OPUS_SOURCES))) spawnSync('tar', ['-xzf', OPUS_SOURCES], { cwd: sources });
  const addOnApi = dirname(createRequire(join(packageDir, 'package.json')).resolve('node-addon-api/package.json'));
  cpSync(addOnApi, join(folder, 'node_modules', 'node-addon-api'), { recursive: true });
  if (headers !== undefined) symlinkSync(headers, join(folder, 'headers'), 'junction');
  return { folder, sources, headers: headers === undefined ? undefined : join(folder, 'headers') };
}

function build(node, version, packageDir) {
  const gyp = nodeGyp(node);
  const { folder, sources, headers } = workshop(packageDir, headersOf(node, version));
  const env = {
    ...nestedEnvironment(),
    // gyp starts `node` by name to find node-addon-api.
    PATH: [dirname(node), process.env.PATH].join(delimiter),
    ...(gyp === undefined ? {} : { npm_config_node_gyp: gyp }),
    JOBS: 'max',
  };
  const preGyp = createRequire(join(packageDir, 'package.json')).resolve('@discordjs/node-pre-gyp/bin/node-pre-gyp');
  const args = [preGyp, 'install', '--build-from-source', ...(headers === undefined ? [] : [`--nodedir=${headers}`])];
  console.log(
    `Compiling @discordjs/opus for Node ${version} (about half a minute), headers ${headers === undefined ? 'downloaded' : 'of that Node'} …`,
  );
  try {
    const run = spawnSync(node, args, { cwd: sources, env, encoding: 'utf8', timeout: BUILD_TIMEOUT_MS });
    if (run.status === 0) {
      cpSync(join(sources, 'prebuild'), join(packageDir, 'prebuild'), { recursive: true });
      return true;
    }
    console.error(`${run.stdout}\n${run.stderr}`.trim().split('\n').slice(-40).join('\n'));
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fail(message) {
  console.error(`${message}\nCrier runs without it: libopus-wasm encodes then.`);
  return 1;
}

function main(force) {
  const node = runtimeNode();
  if (node === undefined) return fail(`Crier needs Node >= ${minimumNode}: run npm ci first.`);
  const version = versionOf(node);
  const packageDir = join(root, 'node_modules', '@discordjs', 'opus');
  if (!existsSync(join(packageDir, 'package.json'))) {
    return fail('@discordjs/opus is not installed: it is an optional dependency, run npm ci without --omit=optional.');
  }
  const already = force ? undefined : proveUnder(node, false);
  if (already !== undefined) {
    console.log(`@discordjs/opus is already built for Node ${version}: ${already}.`);
    return 0;
  }
  const missing = missingTools();
  if (missing.length > 0) {
    return fail(
      `Compiling @discordjs/opus needs ${missing.join(', ')}, not found here.\n` +
        'Debian and Ubuntu: apt-get install python3 make g++. macOS: xcode-select --install.',
    );
  }
  if (!build(node, version, packageDir)) return fail('@discordjs/opus could not be compiled (above: why).');
  const proof = proveUnder(node, true);
  if (proof === undefined) return fail('@discordjs/opus was compiled, but does not work (above: why).');
  console.log(`@discordjs/opus is built for Node ${version}: ${proof}.`);
  return 0;
}

if (process.argv.includes('--prove')) console.log(encodeOneSecond());
else process.exitCode = main(process.argv.includes('--force'));
