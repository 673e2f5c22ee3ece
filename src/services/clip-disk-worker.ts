import { chmodSync, rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';

// Runs in a thread of its own; clip-disk.ts starts it and talks to it.

export type ToClipDisk =
  | { readonly id: number; readonly op: 'get'; readonly key: string }
  | {
      readonly id: number;
      readonly op: 'set';
      readonly key: string;
      readonly bytes: Uint8Array;
      readonly expiresAtMs: number | undefined;
    }
  | { readonly id: number; readonly op: 'delete'; readonly key: string }
  | { readonly id: number; readonly op: 'clear' }
  | { readonly id: number; readonly op: 'close' };

export interface KeptClip {
  readonly bytes: Uint8Array;
  readonly expiresAtMs: number | undefined;
}

export type FromClipDisk =
  | { readonly id: number; readonly ok: true; readonly kept?: KeptClip | undefined }
  | { readonly id: number; readonly ok: false; readonly message: string }
  /** The file was damaged: everything in it was given up. */
  | { readonly id?: never; readonly lost: string };

const SCHEMA_VERSION = 1;
const SCHEMA = `
  CREATE TABLE clips (
    key TEXT PRIMARY KEY,
    bytes BLOB NOT NULL,
    used_at INTEGER NOT NULL,
    expires_at INTEGER
  ) STRICT;
  CREATE INDEX clips_by_use ON clips (used_at);
  PRAGMA user_version = ${SCHEMA_VERSION};
`;
/** SQLite's result codes; https://www.sqlite.org/rescode.html */
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;
/** Times of use are exact to this much: most reads then write nothing. */
const USE_STEP_MS = 60_000;
/** Of the file's own pages, besides the bytes of an entry. */
const ENTRY_BYTES = 200;

const { path, maxBytes } = workerData as { readonly path: string; readonly maxBytes: number };
const port = parentPort;
if (!port) throw new Error('This program is a thread of another one');

let disk: Disk | undefined;
disk = openOrStartAnew();

port.on('message', (message: ToClipDisk) => {
  let answer: FromClipDisk;
  try {
    answer = { id: message.id, ok: true, ...handle(disk ?? open(), message) };
  } catch (error) {
    answer = { id: message.id, ok: false, message: error instanceof Error ? error.message : String(error) };
    if (isDamage(error)) disk = startAnew(answer.message);
  }
  port.postMessage(answer, 'kept' in answer && answer.kept ? [answer.kept.bytes.buffer as ArrayBuffer] : []);
  if (message.op === 'close') port.close();
});

function handle(disk: Disk, message: ToClipDisk): { kept?: KeptClip | undefined } {
  switch (message.op) {
    case 'get':
      return { kept: disk.get(message.key) };
    case 'set':
      disk.set(message.key, message.bytes, message.expiresAtMs);
      return {};
    case 'delete':
      disk.delete(message.key);
      return {};
    case 'clear':
      disk.clear();
      return {};
    case 'close':
      disk.close();
      return {};
  }
}

function openOrStartAnew(): Disk {
  try {
    return open();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return startAnew((error as Error).message);
  }
}

/** It is a cache: what is lost is made again when it is wanted. */
function startAnew(why: string): Disk {
  disk?.abandon();
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  port?.postMessage({ lost: why } satisfies FromClipDisk);
  return open();
}

function isDamage(error: unknown): boolean {
  // The low byte is the kind, the rest says more about it.
  const code = Number((error as { errcode?: unknown } | null)?.errcode ?? 0) & 0xff;
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

interface Disk {
  get(key: string): KeptClip | undefined;
  set(key: string, bytes: Uint8Array, expiresAtMs: number | undefined): void;
  delete(key: string): void;
  clear(): void;
  close(): void;
  /** Closes what may be damaged. */
  abandon(): void;
}

function open(): Disk {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 2000; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL');
    database.exec(`PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${4 * 1024 * 1024}`);
    // Made anew it has the rights that the process gives to new files.
    chmodSync(path, 0o600);
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
    if (version !== SCHEMA_VERSION) database.exec(`DROP TABLE IF EXISTS clips; ${SCHEMA}`);
    return over(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function over(database: DatabaseSync): Disk {
  const select = database.prepare('SELECT bytes, used_at, expires_at FROM clips WHERE key = ?');
  const use = database.prepare('UPDATE clips SET used_at = ? WHERE key = ?');
  const upsert = database.prepare('INSERT OR REPLACE INTO clips (key, bytes, used_at, expires_at) VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM clips WHERE key = ? RETURNING length(bytes) AS length');
  const expired = database.prepare('DELETE FROM clips WHERE expires_at < ?');
  const oldest = database.prepare('SELECT key FROM clips ORDER BY used_at LIMIT 1');
  const sum = database.prepare(`SELECT coalesce(sum(length(bytes) + ${ENTRY_BYTES}), 0) AS total FROM clips`);
  const total = () => Number(sum.get()?.total);
  expired.run(Date.now());
  let bytesKept = total();
  makeRoom(0);

  function drop(statement: StatementSync, key: string): void {
    const length = statement.get(key)?.length;
    if (length !== undefined) bytesKept -= Number(length) + ENTRY_BYTES;
  }

  /** Gives up what expired, then what was used the longest ago; the file gives the room back to the disk. */
  function makeRoom(bytes: number): void {
    if (bytesKept + bytes <= maxBytes) return;
    expired.run(Date.now());
    bytesKept = total();
    while (bytesKept + bytes > maxBytes) {
      const key = oldest.get()?.key;
      if (key === undefined) break;
      drop(remove, String(key));
    }
    database.exec('PRAGMA incremental_vacuum');
  }

  return {
    get(key) {
      const row = select.get(key);
      if (!row) return undefined;
      const now = Date.now();
      if (row.expires_at !== null && Number(row.expires_at) <= now) return undefined;
      if (now - Number(row.used_at) > USE_STEP_MS) use.run(now, key);
      return {
        bytes: row.bytes as Uint8Array,
        expiresAtMs: row.expires_at === null ? undefined : Number(row.expires_at),
      };
    },
    set(key, bytes, expiresAtMs) {
      drop(remove, key);
      const size = bytes.length + ENTRY_BYTES;
      if (size > maxBytes) return;
      makeRoom(size);
      upsert.run(key, bytes, Date.now(), expiresAtMs ?? null);
      bytesKept += size;
    },
    delete: (key) => drop(remove, key),
    clear() {
      database.exec('DELETE FROM clips');
      bytesKept = 0;
    },
    close: () => database.close(),
    abandon() {
      try {
        database.close();
      } catch {
        // It is being thrown away.
      }
    },
  };
}
