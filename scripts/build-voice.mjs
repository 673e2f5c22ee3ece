// Builds the npm package of the command line: `npm run -s build:voice [-- --out DIR]` writes the package to dist/voice and
// packs it; the tarball's path is the only line on stdout. It lists what the built program imports and nothing else: no
// Discord, no built-in voice, no install script.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { nestedEnvironment, root } from './runtime-node.mjs';

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist', 'voice') } } });
const out = resolve(values.out);
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
compile();
writeFileSync(join(out, 'package.json'), `${JSON.stringify(published(), undefined, 2)}\n`);
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
copyFileSync(join(root, 'docs', 'reference', 'voice.md'), join(out, 'README.md'));
console.log(pack());

/** Node strips no types below node_modules, so packages have to be JavaScript. */
function compile() {
  const config = join(out, 'tsconfig.json');
  const compilerOptions = {
    noEmit: false,
    rootDir: join(root, 'src'),
    outDir: join(out, 'lib'),
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  const files = [join(root, 'src', 'cli', 'main.ts')];
  writeFileSync(config, JSON.stringify({ extends: join(root, 'tsconfig.json'), compilerOptions, files, include: [] }));
  run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', config]);
  rmSync(config);
  chmodSync(join(out, 'lib', 'cli', 'main.js'), 0o755);
}

function published() {
  const dependencies = {};
  for (const name of importedPackages()) {
    const version = manifest.dependencies[name];
    if (version === undefined)
      throw new Error(`${name} is imported by the command line and no dependency in package.json.`);
    dependencies[name] = version;
  }
  return {
    name: 'crier-voice',
    version: manifest.version,
    description: 'The voice command: text to speech on the command line, through a speech-generation service',
    license: manifest.license,
    type: 'module',
    bin: { voice: 'lib/cli/main.js' },
    files: ['lib'],
    engines: manifest.engines,
    dependencies,
  };
}

/** Names of the packages that the built files import, statically or when a command needs them. */
function importedPackages() {
  const names = new Set();
  for (const file of readdirSync(join(out, 'lib'), { recursive: true })) {
    if (!file.endsWith('.js')) continue;
    const code = readFileSync(join(out, 'lib', file), 'utf8');
    for (const [, specifier] of code.matchAll(/(?:\bfrom|\bimport|\bimport\()\s*['"]([^'".][^'"]*)['"]/g)) {
      if (!isBuiltin(specifier))
        names.add(
          specifier
            .split('/')
            .slice(0, specifier.startsWith('@') ? 2 : 1)
            .join('/'),
        );
    }
  }
  return [...names].sort();
}

function pack() {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const stdout = run(npm, ['pack', '--json', '--loglevel=error', '--pack-destination', out], {
    cwd: out,
    env: nestedEnvironment(),
  });
  const name = readdirSync(out).find((file) => file.endsWith('.tgz'));
  if (name === undefined || !existsSync(join(out, name))) throw new Error(`npm pack made no tarball:\n${stdout}`);
  return join(out, name);
}

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { encoding: 'utf8', timeout: 120_000, ...options });
  if (done.error) throw done.error;
  if (done.status !== 0) throw new Error(`${command} ended with ${done.status}:\n${done.stdout}${done.stderr}`);
  return done.stdout;
}
