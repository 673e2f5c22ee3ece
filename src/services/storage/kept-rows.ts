import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { StoreError } from '../../errors/user-errors.ts';
import { repeat } from './repeated-work.ts';
import type { Table } from './store.ts';

/** A stored value with the time (ms since 1970) from which its retention counts. */
export interface KeptRow<Value> {
  readonly value: Value;
  readonly sinceMs: number;
}

/** Encrypted values of servers, cached in memory and written to the store in the background. */
export type KeptRows<Value> = Awaited<ReturnType<typeof openKeptRows<Value>>>;

interface KeptRowsOptions {
  readonly table: Table<string>;
  readonly seal: ReturnType<typeof createValueCipher>;
  readonly keptMs: number;
  /** True if this process owns the Discord server: only values of owned servers are read and written. */
  readonly owns: (guildId: string) => boolean;
  readonly log: Logger;
}

const RETRY_MS = 1_000;

/** Each key begins with a server's id and a space. If reading the store fails, values not read yet are missing until the bot restarts. */
export async function openKeptRows<Value>(options: KeptRowsOptions) {
  const { table, seal, keptMs, owns, log } = options;
  const rows = new Map<string, KeptRow<Value>>();
  const changed = new Set<string>();
  let writing: Promise<void> | undefined;
  let isFailing = false;

  const isOwn = (key: string) => owns(key.slice(0, key.indexOf(' ')));
  const leftMs = ({ sinceMs }: KeptRow<Value>) => sinceMs + keptMs - Date.now();

  async function writeAll(): Promise<void> {
    for (const key of changed) {
      // The key leaves `changed` before the write, so that a change during the write causes another write.
      changed.delete(key);
      const row = rows.get(key);
      try {
        if (!isOwn(key)) throw new StoreError('Another process speaks for this server now');
        if (row && leftMs(row) > 0) {
          await table.set(key, Buffer.from(seal.close(key, row)).toString('base64'), { ttlMs: leftMs(row) });
        } else {
          await table.delete(key);
        }
      } catch (error) {
        changed.add(key);
        throw error;
      }
    }
  }

  /** Resolves when every change is in the store. Rejects with a StoreError; the write is tried again later. */
  async function written(): Promise<void> {
    while (writing || changed.size > 0) {
      writing ??= writeAll().finally(() => {
        writing = undefined;
      });
      await writing;
    }
  }

  function change(key: string): void {
    changed.add(key);
    // A failed write is repeated and logged by the retries below. Until one succeeds, only they write: each attempt at a
    // locked SQLite database blocks the event loop.
    if (isFailing) return;
    written().catch(() => {
      isFailing = true;
    });
  }

  /** Deletes expired values up to the first that has not expired. Expired values after it do no harm: readers skip them. */
  function dropOld(): void {
    for (const [key, row] of rows) {
      if (leftMs(row) > 0) break;
      rows.delete(key);
    }
  }

  function remove(key: string): void {
    rows.delete(key);
    change(key);
  }

  try {
    for (const key of (await table.keys()).filter(isOwn)) {
      const sealed = await table.get(key);
      const row = sealed === undefined ? undefined : seal.open(key, Buffer.from(sealed, 'base64'));
      if (row !== undefined) rows.set(key, row as KeptRow<Value>);
      else if (sealed !== undefined) {
        log.warn('A queued text cannot be decrypted: deleting it unanswered');
        remove(key);
      }
    }
  } catch (error) {
    log.warn({ err: error }, 'Could not load unfinished texts: the next start retries');
  }
  async function retry(): Promise<void> {
    await written();
    isFailing = false;
  }

  const endRetries = repeat(RETRY_MS, retry, (error) =>
    log.warn({ err: error }, 'Could not store queued texts: a restart would lose them'),
  );

  return {
    get(key: string): KeptRow<Value> | undefined {
      const row = rows.get(key);
      return row && leftMs(row) > 0 ? row : undefined;
    },
    /** Values that have not expired: those of earlier processes by key, then those of this process by age. */
    entries: (): readonly (readonly [key: string, row: KeptRow<Value>])[] =>
      [...rows].filter(([, row]) => leftMs(row) > 0),
    set(key: string, row: KeptRow<Value>): void {
      dropOld();
      rows.set(key, row);
      change(key);
    },
    delete(key: string): void {
      if (rows.has(key)) remove(key);
    },
    /** For /forget: deletes stored values, also of servers that other processes own. Rejects with a StoreError. */
    async deleteAll(matches: (key: string) => boolean): Promise<void> {
      for (const key of rows.keys()) if (matches(key)) remove(key);
      for (const key of (await table.keys()).filter(matches)) await table.delete(key);
      await written();
    },
    written,
    close(): Promise<void> {
      endRetries();
      return written();
    },
  };
}

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts values. Each value is bound to a name and cannot be decrypted under another name. */
export function createValueCipher(secret: Uint8Array) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'unspoken texts', 32));

  return {
    close(name: string, value: unknown): Uint8Array {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(name));
      const sealed = [cipher.update(JSON.stringify(value)), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]);
    },
    /** Undefined if the value was encrypted with another key or name, or if it was changed. */
    open(name: string, sealed: Uint8Array): unknown {
      const tagAt = NONCE_BYTES + TAG_BYTES;
      if (sealed.length < tagAt) return undefined;
      const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(name))
        .setAuthTag(sealed.subarray(NONCE_BYTES, tagAt));
      try {
        const opened = Buffer.concat([decipher.update(sealed.subarray(tagAt)), decipher.final()]);
        return JSON.parse(opened.toString('utf8'));
      } catch {
        return undefined;
      }
    },
  };
}
