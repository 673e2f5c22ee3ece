import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Checkout, makeCheckout } from './checkout.ts';

const platformPackage = `node-${process.platform}-${process.arch}`;

/** With an npm that notes how it was called and "installs" the Node of this test run. */
function checkoutWithNpm(): Checkout {
  const checkout = makeCheckout();
  checkout.write(
    'bin/npm',
    `#!${process.execPath}
const { mkdirSync, symlinkSync, writeFileSync } = require('node:fs');
writeFileSync(${JSON.stringify(join(checkout.folder, 'npm-call.json'))}, JSON.stringify({ args: process.argv.slice(2), env: process.env }));
mkdirSync('node_modules/${platformPackage}/bin', { recursive: true });
symlinkSync(${JSON.stringify(process.execPath)}, 'node_modules/${platformPackage}/bin/node');
`,
    { executable: true },
  );
  checkout.write('bin/package.json', '{"type":"commonjs"}');
  return checkout;
}

function npmCall({ folder }: Checkout): { args: string[]; env: Record<string, string> } | undefined {
  const file = join(folder, 'npm-call.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

const link = ({ folder }: Checkout) => join(folder, 'node_modules', '.bin', 'node');

describe('preparing a checkout', () => {
  test('installs nothing where Node is new enough', () => {
    const checkout = checkoutWithNpm();
    for (const node of ['22.19.0', '24.0.0', '26.1.0', process.versions.node]) {
      expect(checkout.run('prepare.mjs', { node })).toEqual({ status: 0, stdout: '', stderr: '' });
    }
    expect(npmCall(checkout)).toBeUndefined();
    expect(existsSync(link(checkout))).toBe(false);
  });

  test.each(['20.20.2', '22.18.0'])('puts a newer Node first on the PATH of npm scripts where it is %s', (node) => {
    const checkout = checkoutWithNpm();
    const { status, stdout } = checkout.run('prepare.mjs', { node });
    expect(status).toBe(0);
    expect(stdout).toBe(
      `Node ${node} is older than Crier needs: its npm scripts run on Node ${process.versions.node} (in node_modules).\n`,
    );
    expect(realpathSync(link(checkout))).toBe(realpathSync(process.execPath));
    // So that the checkout can be moved.
    expect(readlinkSync(link(checkout))).toBe(`../.node-runtime/node_modules/${platformPackage}/bin/node`);
    expect(npmCall(checkout)?.args[0]).toBe('ci');
    const lockFile = join(checkout.folder, 'node_modules', '.node-runtime', 'package-lock.json');
    const { packages } = JSON.parse(readFileSync(lockFile, 'utf8'));
    expect(packages[`node_modules/${platformPackage}`]).toEqual({
      version: expect.stringMatching(/^24\.\d+\.\d+$/),
      integrity: expect.stringMatching(/^sha512-[\w+/]{86}==$/),
    });
  });

  test('hands the nested npm how to reach the registry, and none of the outer settings that would break it', () => {
    const checkout = checkoutWithNpm();
    checkout.run('prepare.mjs', {
      node: '20.20.2',
      env: {
        npm_config_omit: 'dev',
        npm_config_nodedir: '/usr',
        npm_config_global: 'true',
        npm_lifecycle_event: 'prepare',
        npm_config_registry: 'https://mirror.example/',
        npm_config_https_proxy: 'http://proxy.example:3128',
        'npm_config_//mirror.example/:_authToken': 'secret',
        HOME: '/nowhere',
      },
    });
    const passed = Object.keys(npmCall(checkout)?.env ?? {}).filter((name) => /^npm_/.test(name));
    const wanted = ['//mirror.example/:_authToken', 'https_proxy', 'registry'].map((name) => `npm_config_${name}`);
    expect(passed.sort()).toEqual(wanted);
    expect(npmCall(checkout)?.env.HOME).toBe('/nowhere');
  });

  test('says to run npm ci where developers’ packages join those of a production install', () => {
    const checkout = makeCheckout();
    checkout.write('package.json', '{"type":"module","devDependencies":{"typescript":"1"}}');
    checkout.write('node_modules/zod/src/index.ts', '');
    const silent = { status: 0, stdout: '', stderr: '' };
    expect(checkout.run('prepare.mjs')).toEqual(silent);
    expect(existsSync(join(checkout.folder, 'node_modules/zod/src/index.ts'))).toBe(false);
    expect(checkout.run('prepare.mjs')).toEqual(silent);
    checkout.write('node_modules/typescript/package.json', '{}');
    expect(checkout.run('prepare.mjs')).toMatchObject({ status: 0, stderr: expect.stringContaining('run npm ci.\n') });
    // As npm ci begins.
    rmSync(join(checkout.folder, 'node_modules'), { recursive: true });
    checkout.write('node_modules/typescript/package.json', '{}');
    expect(checkout.run('prepare.mjs')).toEqual(silent);
  });

  test('says what to install when npm cannot get a runtime', () => {
    const checkout = makeCheckout();
    checkout.write('bin/npm', '#!/bin/sh\nexit 1\n', { executable: true });
    const { status, stderr } = checkout.run('prepare.mjs', { node: '20.20.2' });
    expect(status).toBe(1);
    expect(stderr).toContain('Crier needs Node >= 22.19; this is 20.20.2');
    expect(stderr).toContain('Install Node 24');
  });
});
