import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flagsOrExit } from '../../src/process/package.ts';
import { read, root } from '../repository/tracked-files.ts';
import { baseImageOf, importImage, makeSystem } from './base-image.ts';
import { type Engine, fetchEngine, fetchTools, NoEngine, startEngine } from './engine.ts';
import { expectThat, isHeardToTheEnd, refusesWithoutToken } from './trials.ts';

const USAGE = `Usage: npm run image:check

Builds the image of the Dockerfile with a Docker engine and tries it: its size, its end without a token, and a text that is heard from
a container without rights, also where it is stopped in the middle. The engine is Debian's, unpacked into a folder for temporary files,
and the base image is made of Debian's and npm's packages: no registry of images is asked, and nothing is installed but packages of apt.
It needs root on Debian 12, overlayfs and cgroups; where no engine can be started, it says why and ends with 0.`;

flagsOrExit(USAGE, { options: {} });

const MB = 1_000_000;
const MAX_MB = 300;
const IMAGE = 'crier-check';

const startedAtMs = performance.now();
function step(what: string): void {
  console.log(`${String(Math.round((performance.now() - startedAtMs) / 1_000)).padStart(4)} s  ${what}`);
}

async function build({ docker }: Engine, folder: string): Promise<void> {
  const dockerfile = read('Dockerfile');
  const from = baseImageOf(dockerfile);
  const file = join(folder, 'Dockerfile');
  // The image that was made here has another digest than the one from a registry.
  writeFileSync(file, dockerfile.replace(new RegExp(`^(FROM ${from})@sha256:[0-9a-f]{64}`, 'm'), '$1'));
  await docker('build', '--quiet', '--network', 'host', '--file', file, '--tag', IMAGE, root);
}

async function describeSize({ docker }: Engine): Promise<void> {
  const layers = await docker('history', '--format', '{{.Size}}\t{{.CreatedBy}}', IMAGE);
  for (const layer of layers.trim().split('\n')) if (!layer.startsWith('0B')) console.log(`          ${layer}`);
  const mb = Number(await docker('image', 'inspect', '--format', '{{.Size}}', IMAGE)) / MB;
  console.log(`          ${Math.round(mb)} MB in all`);
  expectThat(mb < MAX_MB, `the image takes less than ${MAX_MB} MB (${Math.round(mb)})`);
}

async function check(folder: string): Promise<void> {
  step('Debian’s packages');
  await fetchTools();
  const base = baseImageOf(read('Dockerfile'));
  step('the engine, and the files of the base image');
  const [started, made] = await Promise.allSettled([
    fetchEngine(folder).then(() => startEngine(folder)),
    makeSystem(folder, base),
  ]);
  if (started.status === 'rejected') throw started.reason;
  const engine = started.value;
  const end = (signal: NodeJS.Signals) =>
    void engine.close().then(() => {
      rmSync(folder, { recursive: true, force: true });
      process.kill(process.pid, signal);
    });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  try {
    if (made.status === 'rejected') throw made.reason;
    step('the base image');
    await importImage(made.value, base, engine);
    step('docker build');
    await build(engine, folder);
    step('the image, by its layers');
    await describeSize(engine);
    step('without a token');
    await refusesWithoutToken(engine, IMAGE);
    step('a text, from a read-only container without capabilities');
    for (const line of await isHeardToTheEnd(engine, IMAGE, folder)) console.log(`          ${line}`);
  } finally {
    await engine.close();
  }
}

const folder = mkdtempSync(join(tmpdir(), 'crier-image-'));
try {
  await check(folder);
  step('all well');
} catch (error) {
  if (error instanceof NoEngine) console.log(`Skipped: no Docker engine can be started here, since ${error.message}.`);
  else {
    console.error(`FAIL ${(error as Error).message}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
