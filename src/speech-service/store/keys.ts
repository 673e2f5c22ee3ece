import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

export interface ApiKey {
  id: string;
  name: string;
  /** `environment`: this start got the key from SPEECH_SERVICE_KEY. `earlier`: a previous start got it there. */
  origin: 'dashboard' | 'environment' | 'earlier';
  /** The first characters of an API key: enough to tell keys apart, but no help for guessing. */
  hint: string;
  createdAt: string;
  /** When the API key was last used, precise to a minute, so that not every use writes to the store. */
  lastUsedAt: string | null;
  revokedAt: string | null;
}

interface NewKey {
  key: ApiKey;
  /** The whole API key, only known when the key is made, because the store keeps only its hash. */
  secret: string;
}

export type KeyStore = ReturnType<typeof createKeyStore>;

const LAST_USED_PRECISION_MS = 60_000;
const COLUMNS = 'id, name, origin, hint, created_at AS createdAt, last_used_at AS lastUsedAt, revoked_at AS revokedAt';

export function createKeyStore({ sqlite, transaction }: Database, options: { now: () => Date }) {
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
  const made = (secret: string): NewKey => ({ key: find(secret) as ApiKey, secret });
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
    create(name: string) {
      const secret = newSecret();
      insert.run(randomUUID(), name, 'dashboard', hashOf(secret), hintOf(secret), now());
      return made(secret);
    },
    /** The old secret of the API key stops working at once. Undefined if the key is missing or revoked. */
    rotate(id: string) {
      const secret = newSecret();
      return setSecret.run(hashOf(secret), hintOf(secret), id).changes > 0 ? made(secret) : undefined;
    },
    revoke: (id: string) => setRevoked.run(now(), id).changes > 0,
    /** Makes the API key of SPEECH_SERVICE_KEY valid, and revokes the key that a previous start got from there. */
    adopt(secret: string) {
      transaction(() => {
        revokeGiven.run(now(), hashOf(secret));
        insertGiven.run(randomUUID(), 'From the environment', hashOf(secret), hintOf(secret), now());
      });
    },
    find,
    touch({ id, lastUsedAt }: ApiKey) {
      const at = options.now();
      if (lastUsedAt !== null && at.getTime() - Date.parse(lastUsedAt) < LAST_USED_PRECISION_MS) return;
      setUsed.run(at.toISOString(), id);
    },
  };
}

/** An API key has 256 random bits, too many to guess, so a plain hash is safe to store. */
const newSecret = (): string => `crier_sk_${randomBytes(32).toString('base64url')}`;

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** The hint shows the first characters of an API key: up to a quarter, because configured keys may be short. */
const hintOf = (secret: string): string => `${secret.slice(0, Math.min(13, Math.floor(secret.length / 4)))}…`;
