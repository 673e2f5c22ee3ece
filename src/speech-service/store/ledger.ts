import { randomUUID } from 'node:crypto';
import type { Database } from './database.ts';

/** As `GET /billing` shows it. */
interface TopUp {
  id: string;
  type: 'purchase' | 'topup';
  amount: number;
  description: string;
  created_at: string;
}

interface Charge {
  requestId: string;
  state: 'open' | 'settled' | 'refunded';
  amount: number;
  model: string;
  voice: string;
  /** Null when the dashboard spoke. */
  keyName: string | null;
  createdAt: string;
}

interface Account {
  userId: string;
  creditsLeft: number;
  lastUpdated: string | null;
}

/**
 * Credits, counted in whole numbers. A request reserves its price before it is synthesised and settles it after, or has
 * it refunded; the balance is at every moment top-ups − settled − open reservations, and never below zero.
 */
export interface Ledger {
  account(): Account;
  lastTopUp(): TopUp | null;
  topUps(limit: number): TopUp[];
  charges(limit: number): Charge[];
  topUp(amount: number, description: string): number;
  /** Takes the price off the balance; false when there is not enough. */
  reserve(request: { requestId: string; keyId: string | null; amount: number; model: string; voice: string }): boolean;
  /** Makes the reservation final; returns the credits left. */
  settle(requestId: string): number;
  /** Gives an open reservation back; does nothing to one that is closed. */
  refund(requestId: string): void;
  /** Refunds the reservations of a process that died; returns their number. */
  refundAllOpen(): number;
}

export const MAX_TOP_UP = 1_000_000_000_000;

/** `startingCredits` are given once, when the account is made. */
export function createLedger(db: Database, options: { startingCredits: number; now: () => Date }): Ledger {
  const { sqlite } = db;
  const now = () => options.now().toISOString();
  const account = sqlite.prepare('SELECT user_id, credits_left, last_updated FROM account WHERE id = 1');
  const change = sqlite.prepare(
    'UPDATE account SET credits_left = credits_left + ?, last_updated = ? WHERE id = 1 AND credits_left + ? >= 0',
  );
  const insertTopUp = sqlite.prepare(
    'INSERT INTO top_ups (id, type, amount, description, created_at) VALUES (?, ?, ?, ?, ?)',
  );
  const insertCharge = sqlite.prepare(
    `INSERT INTO charges (request_id, key_id, state, amount, model, voice, created_at) VALUES (?, ?, 'open', ?, ?, ?, ?)`,
  );
  const closeCharge = sqlite.prepare(
    `UPDATE charges SET state = ?, closed_at = ? WHERE request_id = ? AND state = 'open' RETURNING amount`,
  );
  const openCharges = sqlite.prepare(`SELECT request_id FROM charges WHERE state = 'open'`);
  const recentTopUps = sqlite.prepare(
    'SELECT id, type, amount, description, created_at FROM top_ups ORDER BY sequence DESC LIMIT ?',
  );
  const recentCharges = sqlite.prepare(
    `SELECT c.request_id, c.state, c.amount, c.model, c.voice, c.created_at, k.name AS key_name
     FROM charges c LEFT JOIN api_keys k ON k.id = c.key_id ORDER BY c.sequence DESC LIMIT ?`,
  );

  const readAccount = (): Account => {
    const row = account.get();
    return {
      userId: String(row?.user_id),
      creditsLeft: Number(row?.credits_left),
      lastUpdated: row?.last_updated == null ? null : String(row.last_updated),
    };
  };
  const topUps = (limit: number): TopUp[] =>
    recentTopUps.all(limit).map((row) => ({
      id: String(row.id),
      type: row.type === 'purchase' ? 'purchase' : 'topup',
      amount: Number(row.amount),
      description: String(row.description),
      created_at: String(row.created_at),
    }));
  const credit = (type: TopUp['type'], amount: number, description: string): void => {
    const at = now();
    change.run(amount, at, amount);
    insertTopUp.run(`txn_${randomUUID()}`, type, amount, description, at);
  };
  const refund = (requestId: string): boolean => {
    const at = now();
    const closed = closeCharge.get('refunded', at, requestId);
    if (closed === undefined) return false;
    change.run(Number(closed.amount), at, Number(closed.amount));
    return true;
  };

  db.transaction(() => {
    if (account.get() !== undefined) return;
    sqlite
      .prepare('INSERT INTO account (id, user_id, credits_left, last_updated) VALUES (1, ?, 0, NULL)')
      .run(`user_${randomUUID()}`);
    if (options.startingCredits > 0) credit('purchase', options.startingCredits, 'Starting credits of the local voice');
  });

  return {
    account: readAccount,
    topUps,
    lastTopUp: () => topUps(1)[0] ?? null,
    charges: (limit) =>
      recentCharges.all(limit).map((row) => ({
        requestId: String(row.request_id),
        state: row.state === 'open' || row.state === 'refunded' ? row.state : 'settled',
        amount: Number(row.amount),
        model: String(row.model),
        voice: String(row.voice),
        keyName: row.key_name == null ? null : String(row.key_name),
        createdAt: String(row.created_at),
      })),
    topUp(amount, description) {
      if (!Number.isSafeInteger(amount) || amount <= 0 || amount > MAX_TOP_UP) {
        throw new RangeError(`A top-up is a whole number of credits from 1 to ${MAX_TOP_UP}.`);
      }
      return db.transaction(() => {
        credit('topup', amount, description);
        return readAccount().creditsLeft;
      });
    },
    reserve({ requestId, keyId, amount, model, voice }) {
      return db.transaction(() => {
        const at = now();
        if (change.run(-amount, at, -amount).changes === 0) return false;
        insertCharge.run(requestId, keyId, amount, model, voice, at);
        return true;
      });
    },
    settle(requestId) {
      return db.transaction(() => {
        if (closeCharge.get('settled', now(), requestId) === undefined) {
          throw new Error(`There is no open reservation for ${requestId}.`);
        }
        return readAccount().creditsLeft;
      });
    },
    refund(requestId) {
      db.transaction(() => refund(requestId));
    },
    refundAllOpen() {
      return db.transaction(() => openCharges.all().filter((row) => refund(String(row.request_id))).length);
    },
  };
}
