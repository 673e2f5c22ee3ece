import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A clip as it was kept. */
export interface KeptClip {
  readonly bytes: Uint8Array;
  readonly expiresAtMs: number | undefined;
}

/** Clips in a SQLite file, up to so many bytes. Its calls block, and none of them takes longer the more is kept. */
export interface ClipFile {
  get(key: string): KeptClip | undefined;
  set(key: string, bytes: Uint8Array, expiresAtMs: number | undefined): void;
  delete(key: string): void;
  /** Gives up some of what has expired; true while there is more. */
  dropExpired(): boolean;
  clear(): void;
  close(): void;
  /** Closes what may be damaged. */
  abandon(): void;
}

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
/** Without it every clip is read to its end to learn when it expires: what is stored behind a sound is read after it. */
const EXPIRY_INDEX = 'CREATE INDEX IF NOT EXISTS clips_by_expiry ON clips (expires_at)';

/** What is asked of the table, also while others wait for an answer. */
export const CLIP_SQL = {
  select: 'SELECT bytes, used_at, expires_at FROM clips WHERE key = ?',
  use: 'UPDATE clips SET used_at = ? WHERE key = ?',
  insert: 'INSERT INTO clips (key, bytes, used_at, expires_at) VALUES (?, ?, ?, ?)',
  remove: 'DELETE FROM clips WHERE key = ? RETURNING length(bytes) AS length',
  nextExpired: 'SELECT key FROM clips WHERE expires_at <= ? ORDER BY expires_at LIMIT 1',
  leastUsed: 'SELECT key FROM clips ORDER BY used_at LIMIT 1',
} as const;

/** Times of use are exact to this much: most reads then write nothing. */
const USE_STEP_MS = 60_000;
/** What has expired is given up so many clips at a time: others wait for their answers meanwhile. */
const EXPIRED_A_TIME = 50;
/** Of the file's own pages, besides the bytes of an entry. */
const ENTRY_BYTES = 200;
/** Of those without content, so many stay for what comes next: the file is not made smaller to grow again at once. */
const SPARE_PAGES = 256;
/** So many of them go back to the disk at a time, 1 MiB: each may first have to be filled with another. */
const PAGES_A_TIME = 256;

/** Throws SQLite's error where the file is damaged; a file of another version is started anew. */
export function openClipFile(path: string, maxBytes: number): ClipFile {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA busy_timeout = 2000; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL');
    database.exec(`PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = ${4 * 1024 * 1024}`);
    // Made anew it has the rights that the process gives to new files.
    chmodSync(path, 0o600);
    const version = Number(database.prepare('PRAGMA user_version').get()?.user_version ?? 0);
    if (version !== SCHEMA_VERSION) database.exec(`DROP TABLE IF EXISTS clips; ${SCHEMA}`);
    database.exec(EXPIRY_INDEX);
    return over(database, maxBytes);
  } catch (error) {
    database.close();
    throw error;
  }
}

function over(database: DatabaseSync, maxBytes: number): ClipFile {
  const select = database.prepare(CLIP_SQL.select);
  const use = database.prepare(CLIP_SQL.use);
  const insert = database.prepare(CLIP_SQL.insert);
  const remove = database.prepare(CLIP_SQL.remove);
  const nextExpired = database.prepare(CLIP_SQL.nextExpired);
  const leastUsed = database.prepare(CLIP_SQL.leastUsed);
  const sparePages = database.prepare('PRAGMA freelist_count');
  // Once, before anybody asks for anything.
  database.prepare('DELETE FROM clips WHERE expires_at <= ?').run(Date.now());
  const sum = database.prepare(`SELECT coalesce(sum(length(bytes) + ${ENTRY_BYTES}), 0) AS total FROM clips`);
  /** Counted from then on. */
  let bytesKept = Number(sum.get()?.total);
  atOnce(() => makeRoom(0));
  database.exec('PRAGMA incremental_vacuum');

  /** In one transaction: the disk is written to once, and what is counted is what is kept. */
  function atOnce(work: () => void): void {
    const before = bytesKept;
    database.exec('BEGIN IMMEDIATE');
    try {
      work();
      database.exec('COMMIT');
    } catch (error) {
      bytesKept = before;
      // A full disk has ended it already.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  function drop(key: string): void {
    const length = remove.get(key)?.length;
    if (length !== undefined) bytesKept -= Number(length) + ENTRY_BYTES;
  }

  /** Gives up what expired, then what was used the longest ago, and no more than has to go. */
  function makeRoom(bytes: number): void {
    while (bytesKept + bytes > maxBytes) {
      const victim = nextExpired.get(Date.now()) ?? leastUsed.get();
      if (!victim) return;
      drop(String(victim.key));
    }
  }

  /** Gives the disk back what is free above the spare pages, bit by bit. */
  function shrink(): void {
    const surplus = Number(sparePages.get()?.freelist_count) - SPARE_PAGES;
    if (surplus > 0) database.exec(`PRAGMA incremental_vacuum(${Math.min(surplus, PAGES_A_TIME)})`);
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
      const size = bytes.length + ENTRY_BYTES;
      atOnce(() => {
        drop(key);
        if (size > maxBytes) return;
        makeRoom(size);
        insert.run(key, bytes, Date.now(), expiresAtMs ?? null);
        bytesKept += size;
      });
      shrink();
    },
    delete: (key) => drop(key),
    dropExpired() {
      let dropped = 0;
      atOnce(() => {
        for (; dropped < EXPIRED_A_TIME; dropped += 1) {
          const expired = nextExpired.get(Date.now());
          if (!expired) return;
          drop(String(expired.key));
        }
      });
      shrink();
      return dropped === EXPIRED_A_TIME;
    },
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
