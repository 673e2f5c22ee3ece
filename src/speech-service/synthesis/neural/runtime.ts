import { createReadStream, createWriteStream, existsSync, readdirSync, statSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { giveAwayAsRoot } from '../../../process/files.ts';
import type { InstalledVoice } from './installed-voices.ts';

/* Only the process of a neural voice loads sherpa-onnx (Apache-2.0), which contains eSpeak NG (GPL-3.0-or-later). */

const PACKAGE = 'sherpa-onnx-node';
const require = createRequire(import.meta.url);

/** The methods that Crier uses of OfflineTts (k2-fsa/sherpa-onnx: scripts/node-addon-api/lib/non-streaming-tts.js). */
export interface Model {
  readonly sampleRate: number;
  /** Calls `onProgress` after each sentence, and stops speaking if it returns false. */
  generateAsync(request: {
    readonly text: string;
    readonly sid: number;
    readonly speed: number;
    readonly onProgress: (progress: { readonly samples: Float32Array }) => boolean;
  }): Promise<unknown>;
}

interface Runtime {
  readonly OfflineTts: { createAsync(config: object): Promise<Model> };
}

function findPackages(): { readonly shared: string; readonly native: string } | undefined {
  try {
    const shared = dirname(require.resolve(`${PACKAGE}/package.json`));
    const system = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
    const native = join(dirname(shared), `sherpa-onnx-${system}`);
    return existsSync(native) ? { shared, native } : undefined;
  } catch {
    return undefined;
  }
}

export const runtimeProblem = (): string | undefined =>
  findPackages() === undefined
    ? `Neural voices need the optional package ${PACKAGE}, which is not installed for ${process.platform} ${process.arch}.`
    : undefined;

/** Rejects if the runtime is not installed. Unpacks it beside the voices if a production install has packed it. */
export async function loadModel(
  { kind, files, folder }: Pick<InstalledVoice, 'kind' | 'files' | 'folder'>,
  numThreads: number,
): Promise<Model> {
  const packages = findPackages();
  if (packages === undefined) throw new Error(runtimeProblem());
  const { lexicon, ruleFsts, ...rest } = files;
  const { OfflineTts } = require(await unpacked(packages, dirname(folder))) as Runtime;
  return OfflineTts.createAsync({
    model: { [kind]: { ...rest, lexicon: lexicon?.join(',') }, numThreads, provider: 'cpu' },
    ruleFsts: ruleFsts?.join(','),
    maxNumSentences: 1,
  });
}

/** A voice's process is killed if unpacking takes 50 s, so a copy of the runtime unfinished for this long is from a killed one. */
const KILLED_AFTER_MS = 2 * 60_000;

/** The folder of the runtime's package, or of its unpacked copy if scripts/slim.mjs packed the libraries. */
async function unpacked({ shared, native }: { readonly shared: string; readonly native: string }, into: string) {
  if (!readdirSync(native).some((file) => file.endsWith('.zst'))) return shared;
  const { version } = require(`${PACKAGE}/package.json`) as { version: string };
  const folder = join(into, `.runtime-${version}`);
  await mkdir(into, { recursive: true });
  for (const name of await readdir(into)) {
    const path = join(into, name);
    const isOlder = name.startsWith('.runtime-') && path !== folder;
    const isUnfinished = name.startsWith('.unpacking-');
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
    if (isOlder || (isUnfinished && ageMs > KILLED_AFTER_MS)) await rm(path, { recursive: true, force: true });
  }
  if (existsSync(folder)) return join(folder, PACKAGE);
  const unfinished = await mkdtemp(join(into, '.unpacking-'));
  try {
    await cp(shared, join(unfinished, PACKAGE), { recursive: true });
    const libraries = join(unfinished, native.slice(dirname(native).length + 1));
    await mkdir(libraries);
    for (const file of await readdir(native)) {
      const from = join(native, file);
      if (!file.endsWith('.zst')) await copyFile(from, join(libraries, file));
      else
        await pipeline(
          createReadStream(from),
          createZstdDecompress(),
          createWriteStream(join(libraries, file.slice(0, -4))),
        );
    }
    // If root unpacks the runtime, the copy is given to the owner of DATA_DIR, the parent folder of `into`.
    giveAwayAsRoot(unfinished, dirname(into), { recursive: true });
    // Another process may have unpacked the same package meanwhile: its copy is just as good.
    await rename(unfinished, folder).catch((error: Error) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return join(folder, PACKAGE);
}
