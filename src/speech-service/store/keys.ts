import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

export interface ApiKey {
  id: string;
  name: string;
  /** `environment`: the key that SPEECH_SERVICE_KEY gave at this start; it would come back at the next one. */
  origin: 'dashboard' | 'environment';
  /** The first characters, enough to tell keys apart and no help in guessing one. */
  hint: string;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export type KeyStore = ReturnType<typeof createKeyStore>;

const LAST_USED_PRECISION_MS = 60_000;

/** Only a hash of each key is kept: a secret is shown at creation and never again. */
export function createKeyStore(db: Database, options: { now: () => Date }) {
  const { sqlite } = db;
  const columns =
    'id, name, origin, hint, created_at AS createdAt, last_used_at AS lastUsedAt, revoked_at AS revokedAt';
  const byHash = sqlite.prepare(`SELECT ${columns} FROM api_keys WHERE hash = ? AND revoked_at IS NULL`);
  const byId = sqlite.prepare(`SELECT ${columns} FROM api_keys WHERE id = ?`);
  const all = sqlite.prepare(`SELECT ${columns} FROM api_keys ORDER BY created_at, rowid`);
  const insert = sqlite.prepare(
    'INSERT INTO api_keys (id, name, origin, hash, hint, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const setSecret = sqlite.prepare(
    'UPDATE api_keys SET origin = ?, hash = ?, hint = ? WHERE id = ? AND revoked_at IS NULL',
  );
  const setGiven = sqlite.prepare(`UPDATE api_keys SET origin = 'environment', revoked_at = NULL WHERE id = ?`);
  const revokeGivenBefore = sqlite.prepare(
    `UPDATE api_keys SET revoked_at = ? WHERE origin = 'environment' AND id <> ? AND revoked_at IS NULL`,
  );
  const setRevoked = sqlite.prepare('UPDATE api_keys SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL');
  const setUsed = sqlite.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?');
  const now = () => options.now().toISOString();
  /** The key adopted since the start. Earlier keys from the environment count as keys of the dashboard. */
  let givenId: string | undefined;
  /** By key: the latest use, which the store learns with a precision of a minute. */
  const usedAt = new Map<string, string>();
  const toApiKey = (row: unknown): ApiKey => {
    const key = row as ApiKey;
    return { ...key, origin: key.id === givenId ? key.origin : 'dashboard' };
  };
  const get = (id: string): ApiKey | undefined => byId.all(id).map(toApiKey)[0];
  /** The key this secret belongs to, unless revoked. */
  const find = (secret: string): ApiKey | undefined => byHash.all(hashOf(secret)).map(toApiKey)[0];

  return {
    list: (): ApiKey[] =>
      all.all().map((row) => {
        const key = toApiKey(row);
        return { ...key, lastUsedAt: usedAt.get(key.id) ?? key.lastUsedAt };
      }),
    /** Returns the secret, this once. */
    create(name: string): { key: ApiKey; secret: string } {
      const id = randomUUID();
      const secret = newSecret();
      insert.run(id, name, 'dashboard', hashOf(secret), hintOf(secret), now());
      return { key: required(get(id)), secret };
    },
    /** Replaces the secret: the old one stops working at once. A key from the environment no longer replaces it. */
    rotate(id: string): { key: ApiKey; secret: string } | undefined {
      const secret = newSecret();
      if (setSecret.run('dashboard', hashOf(secret), hintOf(secret), id).changes === 0) return undefined;
      return { key: required(get(id)), secret };
    },
    revoke: (id: string) => setRevoked.run(now(), id).changes > 0,
    /** Makes a key from the configuration valid, in place of the one given that way before. */
    adopt(secret: string): void {
      db.transaction(() => {
        sqlite
          .prepare(`DELETE FROM api_keys WHERE hash = ? AND revoked_at IS NOT NULL AND NOT EXISTS
                    (SELECT 1 FROM charges WHERE key_id = api_keys.id)`)
          .run(hashOf(secret));
        const existing = sqlite.prepare('SELECT id FROM api_keys WHERE hash = ?').get(hashOf(secret));
        if (existing !== undefined) {
          setGiven.run(String(existing.id));
          revokeGivenBefore.run(now(), String(existing.id));
          return;
        }
        const given = sqlite
          .prepare(`SELECT id FROM api_keys WHERE origin = 'environment' AND revoked_at IS NULL`)
          .get();
        if (given !== undefined) {
          setSecret.run('environment', hashOf(secret), hintOf(secret), String(given.id));
          revokeGivenBefore.run(now(), String(given.id));
        } else {
          insert.run(randomUUID(), 'From the environment', 'environment', hashOf(secret), hintOf(secret), now());
        }
      });
      givenId = required(find(secret)).id;
    },
    find,
    /** Notes that a key, as it was found, was used: without a write for each request. */
    touch(key: ApiKey): void {
      const at = options.now();
      usedAt.set(key.id, at.toISOString());
      if (key.lastUsedAt !== null && at.getTime() - Date.parse(key.lastUsedAt) < LAST_USED_PRECISION_MS) return;
      setUsed.run(at.toISOString(), key.id);
    },
  };
}

/** 256 random bits, so that a plain hash cannot be searched. */
function newSecret(): string {
  return `crier_sk_${randomBytes(32).toString('base64url')}`;
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** A short secret from the configuration shows less of itself. */
function hintOf(secret: string): string {
  return `${secret.slice(0, Math.min(13, Math.floor(secret.length / 4)))}…`;
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('A key that was just written is missing from the store.');
  return value;
}
