import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

/** A top-up as `GET /billing` shows it. */
interface TopUp {
  id: string;
  type: 'purchase' | 'topup';
  amount: number;
  description: string;
  created_at: string;
}

/** What a request asks for: its price, and what it is for. */
interface Order {
  requestId: string;
  keyId: string | null;
  amount: number;
  model: string;
  voice: string;
}

interface Charge {
  requestId: string;
  state: 'open' | 'settled' | 'refunded';
  /** True if the answer was lost in full or in part and the credits stay counted: an engine may have billed it. */
  isLost: boolean;
  amount: number;
  model: string;
  voice: string;
  keyName: string | null;
  createdAt: string;
}

interface Account {
  userId: string;
  creditsLeft: number;
  lastUpdated: string | null;
}

export type Ledger = ReturnType<typeof createLedger>;

export const MAX_TOP_UP = 1_000_000_000_000;

/**
 * Credits, counted in whole numbers. A request reserves its price before it is synthesized, and is settled or refunded
 * after. The balance is always top-ups − settled − open reservations, and never below zero. `startingCredits` are given
 * once, when the account is made.
 */
export function createLedger(db: Database, options: { startingCredits: number; now: () => Date }) {
  const { sqlite } = db;
  const now = () => options.now().toISOString();
  const account = sqlite.prepare(
    'SELECT user_id AS userId, credits_left AS creditsLeft, last_updated AS lastUpdated FROM account WHERE id = 1',
  );
  const change = sqlite.prepare(
    'UPDATE account SET credits_left = credits_left + ?, last_updated = ? WHERE id = 1 AND credits_left + ? >= 0',
  );
  const insertTopUp = sqlite.prepare(
    'INSERT INTO top_ups (id, type, amount, description, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  // Another engine may speak a text whose first one was down.
  const insertCharge = sqlite.prepare(
    `INSERT INTO charges (request_id, key_id, state, amount, model, voice, created_at) VALUES (?, ?, 'open', ?, ?, ?, ?)
     ON CONFLICT (request_id) DO UPDATE SET state = 'open', closed_at = NULL,
       amount = excluded.amount, model = excluded.model, voice = excluded.voice WHERE state = 'refunded'`,
  );
  const closeCharge = sqlite.prepare(
    `UPDATE charges SET state = ?, closed_at = ? WHERE request_id = ? AND state = ? RETURNING amount`,
  );
  const markLost = sqlite.prepare('UPDATE charges SET is_lost = 1 WHERE request_id = ?');
  const openCharges = sqlite.prepare(`SELECT request_id, model FROM charges WHERE state = 'open'`);
  const recentTopUps = sqlite.prepare(
    'SELECT id, type, amount, description, created_at FROM top_ups ORDER BY sequence DESC LIMIT ?',
  );
  const recentCharges = sqlite.prepare(
    `SELECT c.request_id AS requestId, c.state, c.is_lost AS isLost, c.amount, c.model, c.voice, k.name AS keyName, c.created_at AS createdAt
     FROM charges c LEFT JOIN api_keys k ON k.id = c.key_id ORDER BY c.sequence DESC LIMIT ?`,
  );

  // The tables are STRICT: their rows have the types of their columns.
  const readAccount = () => account.get() as unknown as Account;
  const topUps = (limit: number) => recentTopUps.all(limit) as unknown as TopUp[];
  const settle = (requestId: string): void => {
    if (closeCharge.get('settled', now(), requestId, 'open') === undefined) {
      throw new Error(`There is no open reservation for ${requestId}.`);
    }
  };
  const credit = (type: TopUp['type'], amount: number, description: string): void => {
    const at = now();
    change.run(amount, at, amount);
    insertTopUp.run(`txn_${randomUUID()}`, type, amount, description, at);
  };
  const refund = (requestId: string, from: 'open' | 'settled' = 'open'): boolean => {
    const at = now();
    const closed = closeCharge.get('refunded', at, requestId, from);
    if (closed === undefined) return false;
    change.run(Number(closed.amount), at, Number(closed.amount));
    return true;
  };

  db.transaction(() => {
    if (account.get() !== undefined) return;
    sqlite
      .prepare('INSERT INTO account (id, user_id, credits_left, last_updated) VALUES (1, ?, 0, NULL)')
      .run(`user_${randomUUID()}`);
    if (options.startingCredits > 0) credit('purchase', options.startingCredits, 'Starting credits');
  });

  return {
    account: readAccount,
    topUps,
    lastTopUp: (): TopUp | null => topUps(1)[0] ?? null,
    charges: (limit: number): Charge[] =>
      recentCharges.all(limit).map((row) => ({ ...(row as unknown as Charge), isLost: row.isLost === 1 })),
    topUp(amount: number, description: string): number {
      if (!Number.isSafeInteger(amount) || amount <= 0 || amount > MAX_TOP_UP) {
        throw new RangeError(`A top-up is a whole number of credits from 1 to ${MAX_TOP_UP}.`);
      }
      return db.transaction(() => {
        credit('topup', amount, description);
        return readAccount().creditsLeft;
      });
    },
    /** Takes the price off the balance; false when there is not enough. */
    reserve(request: Order): boolean {
      const { requestId, keyId, amount, model, voice } = request;
      return db.transaction(() => {
        const at = now();
        if (change.run(-amount, at, -amount).changes === 0) return false;
        const { changes } = insertCharge.run(requestId, keyId, amount, model, voice, at);
        if (changes === 0) throw new Error(`There is a reservation for ${requestId} already.`);
        return true;
      });
    },
    /** Makes the reservation final; returns the credits left. */
    settle(requestId: string): number {
      return db.transaction(() => {
        settle(requestId);
        return readAccount().creditsLeft;
      });
    },
    /** Makes the reservation final although the answer was lost. */
    settleLost(requestId: string): void {
      db.transaction(() => {
        settle(requestId);
        markLost.run(requestId);
      });
    },
    /** Notes of what was settled that its audio broke off. */
    markLost(requestId: string): void {
      markLost.run(requestId);
    },
    /** Gives an open reservation back; does nothing to one that is closed. */
    refund(requestId: string): void {
      db.transaction(() => refund(requestId));
    },
    /** Gives back what was settled, where the audio broke off after it. */
    giveBack(requestId: string): void {
      db.transaction(() => refund(requestId, 'settled'));
    },
    /** Closes the reservations of a process that died: gives them back, or keeps those of models that may have billed them. Returns their numbers. */
    closeAllOpen(mayBeBilled: (model: string) => boolean) {
      return db.transaction(() => {
        const cutOff = { settled: 0, refunded: 0 };
        for (const row of openCharges.all()) {
          const requestId = String(row.request_id);
          if (mayBeBilled(String(row.model))) {
            settle(requestId);
            markLost.run(requestId);
            cutOff.settled += 1;
          } else {
            refund(requestId);
            cutOff.refunded += 1;
          }
        }
        return cutOff;
      });
    },
  };
}
