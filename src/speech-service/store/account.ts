import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

interface ApiKey {
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
  /** The whole API key, `secret`, is only known when the key is made, because the store keeps only its hash. */
  const made = (secret: string) => ({ key: find(secret) as ApiKey, secret });
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
    /** Replaces the secret of the API key at once. Returns undefined if the key is missing or revoked. */
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

interface TopUp {
  id: string;
  type: 'purchase' | 'topup';
  amount: number;
  description: string;
  created_at: string;
}

type Order = Pick<Charge, 'requestId' | 'amount' | 'model' | 'voice'> & { keyId: string | null };

/** `lost`: the client got no complete answer, but an engine may have billed the text, so it stays charged. */
type Outcome = 'refunded' | 'lost';

interface Charge {
  requestId: string;
  state: 'open' | 'settled' | Outcome;
  amount: number;
  model: string;
  voice: string;
  keyName: string | null;
  createdAt: string;
}

export type Ledger = ReturnType<typeof createLedger>;

const DAY_MS = 24 * 60 * 60_000;

export const MAX_TOP_UP = 1_000_000_000_000;

/** The balance is all top-ups minus all charges that were not refunded, in whole credits, and never below zero. */
export function createLedger({ sqlite, transaction }: Database, options: { startingCredits: number; now: () => Date }) {
  const now = () => options.now().toISOString();
  const readAccount = sqlite.prepare(
    'SELECT user_id AS userId, credits_left AS creditsLeft, last_updated AS lastUpdated FROM account WHERE id = 1',
  );
  const change = sqlite.prepare(
    'UPDATE account SET credits_left = credits_left + ?, last_updated = ? WHERE id = 1 AND credits_left + ? >= 0',
  );
  const insertTopUp = sqlite.prepare(
    'INSERT INTO top_ups (id, type, amount, description, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  // After a refund, the same speech request can reserve credits again, because a fallback engine may speak its text.
  const insertCharge = sqlite.prepare(
    `INSERT INTO charges (request_id, key_id, state, amount, model, voice, created_at) VALUES (?, ?, 'open', ?, ?, ?, ?)
     ON CONFLICT (request_id) DO UPDATE SET state = 'open',
       amount = excluded.amount, model = excluded.model, voice = excluded.voice WHERE state = 'refunded'`,
  );
  const setState = sqlite.prepare(
    `UPDATE charges SET state = ? WHERE request_id = ? AND state IN ('open', ?) RETURNING amount`,
  );
  const openCharges = sqlite.prepare(`SELECT request_id, model FROM charges WHERE state = 'open'`);
  const lastTopUp = sqlite.prepare(
    'SELECT id, type, amount, description, created_at FROM top_ups ORDER BY sequence DESC LIMIT 1',
  );
  const recentCharges = sqlite.prepare(
    `SELECT c.request_id AS requestId, c.state, c.amount, c.model, c.voice, k.name AS keyName, c.created_at AS createdAt
     FROM charges c LEFT JOIN api_keys k ON k.id = c.key_id ORDER BY c.sequence DESC LIMIT ?`,
  );
  const recentUsage = sqlite.prepare(
    'SELECT day, requests, amount FROM usage WHERE day >= ? AND requests > 0 ORDER BY day DESC',
  );

  // The store's tables are STRICT: SQLite guarantees that rows have the declared types.
  const account = () =>
    readAccount.get() as unknown as { userId: string; creditsLeft: number; lastUpdated: string | null };
  const credit = (type: TopUp['type'], amount: number, description: string): void => {
    const at = now();
    change.run(amount, at, amount);
    insertTopUp.run(`txn_${randomUUID()}`, type, amount, description, at);
  };
  const close = (requestId: string, outcome: Outcome): void => {
    const closed = setState.get(outcome, requestId, 'settled');
    if (closed && outcome === 'refunded') change.run(Number(closed.amount), now(), Number(closed.amount));
  };

  transaction(() => {
    if (readAccount.get() !== undefined) return;
    sqlite
      .prepare('INSERT INTO account (id, user_id, credits_left, last_updated) VALUES (1, ?, 0, NULL)')
      .run(`user_${randomUUID()}`);
    if (options.startingCredits > 0) credit('purchase', options.startingCredits, 'Starting credits');
  });

  return {
    account,
    lastTopUp: () => (lastTopUp.get() as unknown as TopUp | undefined) ?? null,
    charges: (limit: number) => recentCharges.all(limit) as unknown as Charge[],
    /** The usage of today and the days before, newest first. Leaves out refunds, and days without usage. */
    usageByDay(days: number) {
      const first = new Date(options.now().getTime() - (days - 1) * DAY_MS).toISOString().slice(0, 10);
      return recentUsage.all(first) as unknown as { day: string; requests: number; amount: number }[];
    },
    topUp(amount: number, description: string) {
      if (!Number.isSafeInteger(amount) || amount <= 0 || amount > MAX_TOP_UP) {
        throw new RangeError(`A top-up is a whole number of credits from 1 to ${MAX_TOP_UP}.`);
      }
      return transaction(() => {
        credit('topup', amount, description);
        return account().creditsLeft;
      });
    },
    /** Takes a speech request's price off the balance; false if the balance is too low. */
    reserve: ({ requestId, keyId, amount, model, voice }: Order) =>
      transaction(() => {
        const at = now();
        if (change.run(-amount, at, -amount).changes === 0) return false;
        const { changes } = insertCharge.run(requestId, keyId, amount, model, voice, at);
        if (changes === 0) throw new Error(`There is a reservation for ${requestId} already.`);
        return true;
      }),
    /** Makes the charge of a speech request final. Returns the credits left. */
    settle(requestId: string) {
      if (setState.get('settled', requestId, 'open')) return account().creditsLeft;
      throw new Error(`There is no open reservation for ${requestId}.`);
    },
    /** Ends a charge as refunded or lost, even after `settle`, because the audio may break off after the client has its answer. */
    close: (requestId: string, outcome: Outcome) => transaction(() => close(requestId, outcome)),
    /** Ends the charges that a crashed service left open. Returns the number of each outcome. */
    closeAllOpen: (mayBeBilled: (model: string) => boolean) =>
      transaction(() => {
        const counts = { lost: 0, refunded: 0 };
        for (const { request_id: requestId, model } of openCharges.all()) {
          const outcome = mayBeBilled(String(model)) ? 'lost' : 'refunded';
          close(String(requestId), outcome);
          counts[outcome] += 1;
        }
        return counts;
      }),
  };
}
