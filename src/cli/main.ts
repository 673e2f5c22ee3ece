#!/usr/bin/env node
import { readFileSync } from 'node:fs';

/*
 * Node's version is checked before the program's modules are imported: an old Node would fail there with a stack trace.
 */

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  engines: { node: string };
};
const [neededMajor = 0, neededMinor = 0] = engines.node.replace(/^>=/, '').split('.').map(Number);
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) await import('./start.ts');
else {
  const needed = engines.node.replace(/^>=/, '');
  process.stderr.write(
    `error: voice needs Node ${needed} or newer; this is ${process.versions.node}. In a checkout of Crier, npm run -s voice -- runs on the Node that npm ci brought.\n`,
  );
  process.exitCode = 1;
}
