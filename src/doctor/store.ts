import { accessSync, constants, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { attention, blocking, type Finding, good, reason } from './finding.ts';

/** Writes and reads a database of its own in `folder`, which it leaves as it was. */
function trySqlite(folder: string): string {
  const scratch = mkdtempSync(join(folder, '.doctor-'));
  try {
    const database = new DatabaseSync(join(scratch, 'probe.sqlite'));
    try {
      database.exec('PRAGMA journal_mode = WAL; CREATE TABLE probe (value TEXT); INSERT INTO probe VALUES (1);');
      return String(database.prepare('SELECT sqlite_version() AS version FROM probe').get()?.version);
    } finally {
      database.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Entries of the folder, and itself, that others on this machine may read. Windows has no such bits. */
function openToOthers(folder: string): string[] {
  if (process.platform === 'win32') return [];
  const readable = (path: string) => (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077;
  // Nobody gets past a closed folder.
  if (readable(folder) === 0) return [];
  return ['.', ...readdirSync(folder)].filter((name) => readable(join(folder, name)) !== 0);
}

/** DATA_DIR: whether what the bot keeps can be kept there, and only by it. Creates nothing that stays. */
export function checkStore(dataDir: string): Finding {
  const folder = resolve(dataDir);
  try {
    if (!existsSync(folder)) {
      let parent = dirname(folder);
      while (!existsSync(parent)) parent = dirname(parent);
      accessSync(parent, constants.W_OK | constants.X_OK);
      if (!statSync(parent).isDirectory()) throw new Error(`${parent} is not a folder`);
      return good('store', `${folder} will be created (SQLite ${trySqlite(tmpdir())})`);
    }
    const version = trySqlite(folder);
    const open = openToOthers(folder);
    if (open.length === 0) return good('store', `${folder} (SQLite ${version})`);
    return attention('store', {
      found: `${folder} (SQLite ${version}), readable by others: ${open.join(', ')}`,
      means: 'Other accounts of this machine can read the settings and the key of the local voice.',
      remedy: `chmod -R go= '${folder}'`,
    });
  } catch (error) {
    return blocking('store', {
      found: `${folder} cannot be used: ${reason(error)}`,
      means: 'The bot has nowhere to keep its settings, and does not start.',
      remedy: 'Let DATA_DIR name a folder that this account may write to.',
    });
  }
}
