import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

export interface ApiKey {
  id: string;
  name: string;
  /** `environment`: the key that SPEECH_SERVICE_KEY gave at this start, and would bring back at the next one; `earlier`: at an earlier one. */
  origin: 'dashboard' | 'environment' | 'earlier';
  /** The first characters, enough to tell keys apart and no help in guessing one. */
  hint: string;
  createdAt: string;
  /** With a precision of a minute: a use is no write. */
  lastUsedAt: string | null;
  revokedAt: string | null;
}

interface NewKey {
  key: ApiKey;
  /** Shown this once: only its hash is kept. */
  secret: string;
}

export interface KeyStore {
  list(): ApiKey[];
  create(name: string): NewKey;
  /** Replaces the secret: the old one stops working at once. */
  rotate(id: string): NewKey | undefined;
  revoke(id: string): boolean;
  /** Makes the key of the configuration valid, in place of the one that was given that way before. */
  adopt(secret: string): void;
  find(secret: string): ApiKey | undefined;
  /** Notes that a key, as it was found, was used. */
  touch(key: ApiKey): void;
}

const LAST_USED_PRECISION_MS = 60_000;
const COLUMNS = 'id, name, origin, hint, created_at AS createdAt, last_used_at AS lastUsedAt, revoked_at AS revokedAt';

export function createKeyStore({ sqlite, transaction }: Database, options: { now: () => Date }): KeyStore {
  const byHash = sqlite.prepare(`SELECT ${COLUMNS} FROM api_keys WHERE hash = ? AND revoked_at IS NULL`);
  const all = sqlite.prepare(`SELECT ${COLUMNS} FROM api_keys ORDER BY created_at, rowid`);
  const insert = sqlite.prepare(
    'INSERT INTO api_keys (id, name, origin, hash, hint, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const setSecret = sqlite.prepare(
    `UPDATE api_keys SET origin = 'dashboard', hash = ?, hint = ? WHERE id = ? AND revoked_at IS NULL`,
  );
  const setRevoked = sqlite.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  const setUsed = sqlite.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?');
  const now = () => options.now().toISOString();
  const find = (secret: string) => byHash.get(hashOf(secret)) as unknown as ApiKey | undefined;
  const made = (secret: string): NewKey => {
    const key = find(secret);
    if (key === undefined) throw new Error('A key that was just written is missing from the store.');
    return { key, secret };
  };
  const revokeGiven = sqlite.prepare(
    `UPDATE api_keys SET revoked_at = ? WHERE origin <> 'dashboard' AND hash <> ? AND revoked_at IS NULL`,
  );
  const insertGiven = sqlite.prepare(
    `INSERT INTO api_keys (id, name, origin, hash, hint, created_at) VALUES (?, ?, 'environment', ?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET origin = 'environment', revoked_at = NULL`,
  );
  sqlite.exec(`UPDATE api_keys SET origin = 'earlier' WHERE origin = 'environment'`);

  return {
    list: () => all.all() as unknown as ApiKey[],
    create(name) {
      const secret = newSecret();
      insert.run(randomUUID(), name, 'dashboard', hashOf(secret), hintOf(secret), now());
      return made(secret);
    },
    rotate(id) {
      const secret = newSecret();
      return setSecret.run(hashOf(secret), hintOf(secret), id).changes > 0 ? made(secret) : undefined;
    },
    revoke: (id) => setRevoked.run(now(), id).changes > 0,
    adopt(secret) {
      transaction(() => {
        revokeGiven.run(now(), hashOf(secret));
        insertGiven.run(randomUUID(), 'From the environment', hashOf(secret), hintOf(secret), now());
      });
    },
    find,
    touch({ id, lastUsedAt }) {
      const at = options.now();
      if (lastUsedAt !== null && at.getTime() - Date.parse(lastUsedAt) < LAST_USED_PRECISION_MS) return;
      setUsed.run(at.toISOString(), id);
    },
  };
}

/** 256 random bits, so that a plain hash cannot be searched. */
const newSecret = (): string => `crier_sk_${randomBytes(32).toString('base64url')}`;

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** A short secret from the configuration shows less of itself. */
const hintOf = (secret: string): string => `${secret.slice(0, Math.min(13, Math.floor(secret.length / 4)))}…`;
