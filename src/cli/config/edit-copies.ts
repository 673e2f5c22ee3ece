import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { note, warn } from '../terminal/terminal.ts';
import { isRunning } from './file-lock.ts';
import { configFolder, shownPath } from './paths.ts';

/*
 * `voice config edit` works on a copy of the file, keys included, in a folder of its own beside it. The copy is kept where
 * its changes cannot be taken.
 */

export interface EditCopy {
  readonly folder: string;
  readonly file: string;
  /** Whether it is in an editor now. */
  readonly isOpen: boolean;
}

const copyIn = (folder: string, isOpen: boolean): EditCopy => ({ folder, file: join(folder, 'voice.toml'), isOpen });
/** Holds the process id of the edit, until that has ended. */
const openMark = (folder: string): string => join(folder, 'open');
/** Holds the digest of the file as it was when the edit began. */
const baseMark = (folder: string): string => join(folder, 'base');
const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A new copy of a file that holds `text`. */
export async function makeCopy(text: string): Promise<EditCopy> {
  const folder = await mkdtemp(join(configFolder(), '.edit-'));
  await writeFile(baseMark(folder), digest(text), { mode: 0o600 });
  const copy = await openAgain(copyIn(folder, false));
  await writeFile(copy.file, text, { mode: 0o600 });
  return copy;
}

/** What the file held when its edit began stays noted. */
export async function openAgain({ folder }: EditCopy): Promise<EditCopy> {
  await writeFile(openMark(folder), String(process.pid), { mode: 0o600 });
  return copyIn(folder, true);
}

export const keepCopy = ({ folder }: EditCopy): Promise<void> => rm(openMark(folder), { force: true });
export const removeCopy = ({ folder }: EditCopy): Promise<void> => rm(folder, { recursive: true, force: true });

/** Whether the file held this text when the edit began; of a copy that an earlier version kept, nobody knows. */
export async function isBasedOn({ folder }: EditCopy, text: string): Promise<boolean> {
  return (await contentOf(baseMark(folder))) === digest(text);
}

/** All copies, the newest first. */
export async function editCopies(): Promise<EditCopy[]> {
  const names = await readdir(configFolder()).catch(() => []);
  const folders = names.filter((name) => /^\.edit-\w{6}$/.test(name)).map((name) => join(configFolder(), name));
  const found = await Promise.all(
    folders.map(async (folder) => {
      const pid = Number(await contentOf(openMark(folder)));
      const { mtimeMs = 0 } = (await stat(folder).catch(() => undefined)) ?? {};
      return { copy: copyIn(folder, pid > 0 && isRunning(pid)), mtimeMs };
    }),
  );
  return found.sort((one, other) => other.mtimeMs - one.mtimeMs).map(({ copy }) => copy);
}

/** A key that is removed from the file is to be nowhere else either. */
export async function removeKeptKeys(): Promise<void> {
  for (const copy of await editCopies()) {
    const shown = shownPath(copy.file);
    if (copy.isOpen) warn(`voice config edit is open: ${shown} may hold the key until it ends.`);
    else {
      await removeCopy(copy);
      note(`Removed ${shown}, kept by an earlier voice config edit: it may have held the key.`);
    }
  }
}

function contentOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch(() => undefined);
}
