import { existsSync, mkdirSync, renameSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { giveAwayAsRoot, lockFile, makeFolder } from '../process/files.ts';
import { commandOf } from '../process/package.ts';
import {
  installedVoices,
  readVoice,
  VOICE_FILE,
  VOICES_FOLDER,
} from '../speech-service/synthesis/neural/installed-voices.ts';
import type { CatalogModel } from './catalog.ts';
import { download, publishedChecksum, sha256Of } from './download.ts';
import { HostileArchive, unpack } from './unpack.ts';

const LOCK = '.lock';
const MB = 1e6;
/** The maximum size of a downloaded archive, as a multiple of the size in the catalog. */
const MAX_GROWTH = 2;
/** Limits the tar file to this multiple of its archive's size. Weights hardly compress: real voices at most double. */
const MAX_UNPACKED = 4;
const MIN_UNPACKED_BYTES = 64 * MB;
/** The archive, the decompressed tar file and the unpacked files need this multiple of the archive's size. */
const SPACE = 5;

interface InstallOptions {
  readonly dataDir: string;
  readonly release: string;
  readonly signal: AbortSignal;
  readonly onProgress: (doing: string) => void;
}

/** Downloads and installs a model. A failure leaves at most a partial download, which the next attempt continues. */
export async function addVoice(model: CatalogModel, options: InstallOptions): Promise<void> {
  const { dataDir, onProgress } = options;
  const voices = join(dataDir, VOICES_FOLDER);
  const folder = join(voices, model.name);
  if (existsSync(folder)) {
    throw new OperatorError(`${model.name} is installed already, in ${folder}`, {
      remedy: `${commandOf('voices', 'remove', model.name)} takes it away`,
    });
  }
  const lock = openFolder(voices, dataDir);
  const part = join(voices, `.${model.name}.tar.bz2`);
  const unfinished = join(voices, `.${model.name}.new`);
  try {
    checkSpace(voices, model, part);
    await fetchArchive(model, part, options);
    onProgress(`Unpacking ${model.name}`);
    await unpackModel(model, part, unfinished, options.signal);
    giveAwayAsRoot(unfinished, dataDir, { recursive: true });
    renameSync(unfinished, folder);
  } catch (error) {
    throw inWords(error, voices, part);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    if (existsSync(part)) giveAwayAsRoot(part, dataDir);
    lock.release();
  }
}

function openFolder(voices: string, dataDir: string) {
  const file = join(voices, LOCK);
  try {
    makeFolder(voices, 0o700);
    writeFileSync(file, '', { flag: 'a', mode: 0o600 });
    // If root installs a voice, the bot's account gets the folder first: it must read the folder even after a failure.
    for (const path of [voices, file]) giveAwayAsRoot(path, dataDir);
  } catch (error) {
    throw new OperatorError(`${voices} cannot be written (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  }
  const lock = lockFile(file);
  if (lock) return lock;
  throw new OperatorError(`another ${commandOf('voices')} is changing ${voices}`, { remedy: 'wait until it ends' });
}

function checkSpace(voices: string, { name, megabytes }: CatalogModel, part: string): void {
  const { bavail, bsize } = statfsSync(voices);
  const freeMb = Math.floor((bavail * bsize) / MB);
  const hereMb = Math.floor((statSync(part, { throwIfNoEntry: false })?.size ?? 0) / MB);
  const neededMb = megabytes * SPACE - hereMb;
  if (freeMb >= neededMb) return;
  throw new OperatorError(`${name} needs ${neededMb} MB while it is unpacked, and ${voices} has ${freeMb} MB free`, {
    remedy: 'make room there, or let DATA_DIR name a folder on a larger disk',
  });
}

async function fetchArchive(model: CatalogModel, part: string, { release, signal, onProgress }: InstallOptions) {
  const file = `${model.archive}.tar.bz2`;
  const published = await publishedChecksum(release, file, signal);
  const maxBytes = model.megabytes * MAX_GROWTH * MB;
  await download(`${release}/${file}`, part, {
    maxBytes,
    signal,
    onProgress: (received, total) => {
      const of = Math.ceil((total ?? model.megabytes * MB) / MB);
      onProgress(`Downloading ${model.name}: ${Math.floor(received / MB)} of ${of} MB`);
    },
  });
  onProgress(`Checking ${model.name}`);
  if ((await sha256Of(part, signal)) === published) return;
  rmSync(part);
  throw new OperatorError(`${file} is not the file of the release: its SHA-256 differs from checksum.txt there`, {
    remedy: 'it was deleted; run the command again',
  });
}

async function unpackModel(model: CatalogModel, part: string, folder: string, signal: AbortSignal): Promise<void> {
  const { archive, megabytes: _, ...described } = model;
  const tar = `${folder}.tar`;
  // A killed installation of the voice may have left its folder and its tar file, so both are deleted first.
  for (const path of [folder, tar]) rmSync(path, { recursive: true, force: true });
  mkdirSync(folder, { mode: 0o700 });
  const maxBytes = Math.max(MIN_UNPACKED_BYTES, statSync(part).size * MAX_UNPACKED);
  try {
    await unpack(part, folder, { tar, maxBytes, signal });
  } catch (error) {
    if (!(error instanceof HostileArchive)) throw error;
    rmSync(part);
    throw new OperatorError(`${archive}.tar.bz2 ${error.message}`, { remedy: 'nothing of it was kept', cause: error });
  }
  writeFileSync(join(folder, VOICE_FILE), `${JSON.stringify({ version: 1, ...described }, null, 2)}\n`);
  const read = readVoice(folder, model.name);
  rmSync(part);
  if ('problem' in read) {
    throw new OperatorError(`${archive}.tar.bz2 lacks a file of the voice: ${read.problem}`, {
      remedy: 'nothing of it was kept',
    });
  }
}

/** Turns disk errors into OperatorErrors. If the disk is full, the partial download is deleted to make room. */
function inWords(error: unknown, voices: string, part: string): unknown {
  if (error instanceof OperatorError || !(error instanceof Error && 'code' in error)) return error;
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') {
    rmSync(part, { force: true });
    return new OperatorError(`the disk of ${voices} is full`, { remedy: 'nothing was kept; make room', cause: error });
  }
  return 'syscall' in error
    ? new OperatorError(`${voices} cannot be written (${error.code})`, { cause: error })
    : error;
}

/** Removes an installed model, even a broken one, and all files that an interrupted installation or removal left. */
export function removeVoice(name: string, dataDir: string): void {
  const voices = join(dataDir, VOICES_FOLDER);
  const folder = join(voices, name);
  const away = join(voices, `.${name}.removed`);
  const others = ['tar.bz2', 'new', 'new.tar'].map((ending) => join(voices, `.${name}.${ending}`));
  // A name that is a path, such as `..`, is rejected, because it would delete other folders.
  if (![folder, away, ...others].some((path) => existsSync(path)) || basename(name) !== name || name.startsWith('.')) {
    const names = installedVoices(dataDir).voices.map((voice) => voice.name);
    throw new OperatorError(`${name} is not installed`, {
      remedy: names.length > 0 ? `installed are: ${names.join(', ')}` : 'no voices are installed',
    });
  }
  const lock = openFolder(voices, dataDir);
  try {
    rmSync(away, { recursive: true, force: true });
    // The voice's folder is renamed first: an interrupted deletion then leaves no voice that seems to be installed.
    if (existsSync(folder)) renameSync(folder, away);
    for (const path of [away, ...others]) rmSync(path, { recursive: true, force: true });
  } finally {
    lock.release();
  }
}
