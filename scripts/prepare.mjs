// Runs on `npm install` and `npm ci` in a checkout (never when a packed tarball is installed).
// Crier needs Node >= 22.19. On a machine whose Node is older it installs the npm package that carries Node's own
// binary and links it as node_modules/.bin/node, which npm puts first on the PATH of every script of this project.
// With a new enough Node it does nothing. Plain JavaScript, because it is the old Node that runs it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const MINIMUM_NODE = [22, 19];
const RUNTIME_NODE_VERSION = '24.21.0';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const runtimeDir = join(root, 'node_modules', '.node-runtime');
const link = join(root, 'node_modules', '.bin', 'node');

/** @param {string} version as `process.versions.node` gives it */
function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > MINIMUM_NODE[0] || (major === MINIMUM_NODE[0] && minor >= MINIMUM_NODE[1]);
}

/** The version of the Node behind `binary`, or undefined when it does not run. */
function versionOf(binary) {
  const run = spawnSync(binary, ['-p', 'process.versions.node'], { encoding: 'utf8' });
  return run.status === 0 ? run.stdout.trim() : undefined;
}

function installRuntime() {
  const packageName = `node-${process.platform}-${process.arch}`;
  mkdirSync(runtimeDir, { recursive: true });
  writeFileSync(join(runtimeDir, 'package.json'), '{"private":true}\n');
  // The outer npm hands its own settings (package-lock-only, omit, dry-run …) down as npm_config_*; they are not meant
  // for this nested install and would break it.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const run = spawnSync(
    npm,
    [
      'install',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--prefix',
      runtimeDir,
      `${packageName}@${RUNTIME_NODE_VERSION}`,
    ],
    { env, cwd: runtimeDir, stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 },
  );
  const binary = join(runtimeDir, 'node_modules', packageName, 'bin', 'node');
  if (run.status !== 0 || !existsSync(binary)) return undefined;
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), binary), link);
  return versionOf(link);
}

// A plain `node` on the PATH of this script may already be an earlier run's link; what counts is the machine's own.
const linked = existsSync(link) ? versionOf(link) : undefined;
if (process.env.npm_config_package_lock_only === 'true' || process.env.npm_config_dry_run === 'true') {
  // Nothing was installed, so there is nothing to prepare.
} else if (!isNewEnough(process.versions.node) || (linked !== undefined && !isNewEnough(linked))) {
  const version = installRuntime();
  if (version === undefined) {
    console.error(
      `Crier needs Node >= ${MINIMUM_NODE.join('.')}; this is ${process.versions.node}, and Node ${RUNTIME_NODE_VERSION} ` +
        'could not be installed from npm. Install Node 24 (https://nodejs.org) and run npm ci again.',
    );
    process.exit(1);
  }
  console.log(
    `Node ${process.versions.node} is older than Crier needs: its npm scripts run on Node ${version} (in node_modules).`,
  );
}
