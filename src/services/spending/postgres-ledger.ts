import { randomInt } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Cap, LedgerEntry, LimitSubject, Rate, ReservationAttempt, SpendingLedger } from './spending-ledger.ts';

interface PostgresLedgerOptions {
  /** Of a database that is prepared; stays open. */
  readonly pool: pg.Pool;
  /** Under whose lease it reserves. */
  readonly cellId: number;
  readonly log: Logger;
}

/** How often it is looked for what processes that died have left, and what this one does not know the end of. */
const TIDY_EVERY_MS = 5_000;
/** After that the server has ended a statement that was given up. */
const SETTLED_AFTER_MS = 2_000;
/** Ids are made here, so that a reservation can be undone although the answer to it was lost. */
const ID_LIMIT = 2 ** 48 - 1;

/**
 * The ledger in a database that several processes share: the same figures and limits as in SQLite, exact across processes
 * (see SPENDING in tables.ts). What is reserved belongs to the cell that did so, as long as its lease lasts.
 */
export function openPostgresLedger({ pool, cellId, log }: PostgresLedgerOptions) {
  /** When it was given up to make them. They may have been made all the same. */
  const doubtful = new Map<number, number>();

  async function row(sql: string, values: readonly unknown[]): Promise<Record<string, unknown>> {
    return (await pool.query(sql, [...values])).rows[0] ?? {};
  }

  const closeAt = async (id: number, millicredits: number): Promise<boolean> =>
    (await row('SELECT crier.spending_close($1, $2) AS closed', [id, millicredits])).closed === true;

  async function reserve<C extends Cap>(
    { guildId, userId, day, model, characters, millicredits, keptUntil }: LedgerEntry,
    caps: readonly C[],
    toFollowMillicredits = 0,
  ): Promise<ReservationAttempt<C>> {
    const id = randomInt(1, ID_LIMIT);
    // Infinity becomes null.
    const limits = JSON.stringify(caps.map((cap) => [cap.guildId, cap.userId, cap.millicredits]));
    const found = await row('SELECT cap, used FROM crier.spending_reserve($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)', [
      id,
      cellId,
      guildId,
      userId,
      day,
      model,
      characters,
      millicredits,
      toFollowMillicredits,
      keptUntil,
      limits,
    ]).catch((error: unknown) => {
      doubtful.set(id, performance.now());
      throw error;
    });
    const cap = found.cap === null ? undefined : caps[Number(found.cap)];
    return cap ? { made: false, cap, usedMillicredits: Number(found.used) } : { made: true, id };
  }

  async function tidy(): Promise<void> {
    try {
      for (const [id, sinceMs] of doubtful) {
        if (performance.now() - sinceMs < SETTLED_AFTER_MS) continue;
        await closeAt(id, 0);
        doubtful.delete(id);
      }
      const { released, lost } = await recover();
      if (released + lost > 0) log.warn({ released, lost }, 'Reserved credits of a process that ended were recovered');
    } catch (error) {
      log.warn({ err: error }, 'Reserved credits that nothing waits for could not be recovered: tried again');
    }
  }

  async function recover() {
    const { released, lost } = await row('SELECT released, lost FROM crier.spending_recover()', []);
    return { released: Number(released), lost: Number(lost) };
  }

  const counted = async (whose: string, values: readonly unknown[]) => {
    const found = await row(
      `SELECT coalesce(sum(millicredits), 0) AS millicredits, coalesce(sum(cached), 0) AS cached
       FROM crier.spending_days WHERE day BETWEEN $1 AND $2 AND ${whose}`,
      values,
    );
    return { millicredits: Number(found.millicredits), cached: Number(found.cached) };
  };

  async function ids(column: 'guild_id' | 'user_id', whose: string, values: readonly unknown[]) {
    const { rows } = await pool.query<Record<string, string>>(
      `SELECT ${column} FROM crier.spending_days WHERE ${whose} AND day BETWEEN $1 AND $2
       GROUP BY ${column} ORDER BY sum(millicredits) DESC, ${column} COLLATE "C" LIMIT $3`,
      [...values],
    );
    return rows.map((found) => String(found[column]));
  }

  /** Null stands for any. */
  const bothOf = (subject: Partial<LimitSubject>) => [subject.guildId ?? null, subject.userId ?? null];

  const ledger: SpendingLedger = {
    reserve,
    async confirm(id) {
      const { rowCount } = await pool.query(
        `UPDATE crier.spending_reservations SET sent = true
         WHERE id = $1 AND state = 'reserved' AND crier.holds_lease(cell)`,
        [id],
      );
      if (rowCount !== 1) throw new Error('These credits are reserved no longer: the lease of this process is over');
    },
    settle: closeAt,
    release: (id) => closeAt(id, 0),
    async lose(id) {
      const { rowCount } = await pool.query(
        `UPDATE crier.spending_reservations SET state = 'unknown' WHERE id = $1 AND state = 'reserved'`,
        [id],
      );
      return rowCount === 1;
    },
    async countCached({ guildId, userId, day, keptUntil }) {
      // In its turn, as all that writes there.
      await row(
        `WITH turn AS MATERIALIZED (SELECT crier.spending_turn())
         SELECT crier.spending_count($1, $2, $3, 0, 1, $4) FROM turn`,
        [guildId, userId, day, keptUntil],
      );
    },
    used: ({ guildId, userId }, from, to) => counted('guild_id = $3 AND user_id = $4', [from, to, guildId, userId]),
    async unknownOn(day) {
      const found = await row(
        `SELECT count(*) AS requests, coalesce(sum(millicredits), 0) AS millicredits
         FROM crier.spending_reservations WHERE state = 'unknown' AND day = $1`,
        [day],
      );
      return { requests: Number(found.requests), millicredits: Number(found.millicredits) };
    },
    usedInServers: (from, to) => counted("guild_id <> '' AND user_id = ''", [from, to]),
    biggestUsers: (from, to, atMost) => ids('user_id', "guild_id = '' AND user_id <> ''", [from, to, atMost]),
    biggest: (from, to, atMost) => ids('guild_id', "guild_id <> '' AND user_id = ''", [from, to, atMost]),
    async rates() {
      const { rows } = await pool.query<Rate & { readonly model: string }>(
        'SELECT model, characters, credits FROM crier.spending_rates',
      );
      return new Map(rows.map(({ model, characters, credits }) => [model, { characters, credits }]));
    },
    async keepRate(model, { characters, credits }) {
      await pool.query(
        `INSERT INTO crier.spending_rates VALUES ($1, $2, $3)
         ON CONFLICT (model) DO UPDATE SET characters = excluded.characters, credits = excluded.credits`,
        [model, characters, credits],
      );
    },
    recover,
    async prune(today) {
      await row('SELECT crier.spending_prune($1)', [today]);
    },
    async keepsLonger(subject, today) {
      const { kept } = await row(
        `SELECT EXISTS (SELECT FROM crier.spending_days WHERE ($1::text IS NULL OR guild_id = $1)
         AND ($2::text IS NULL OR user_id = $2) AND kept_until > $3) AS kept`,
        [...bothOf(subject), today],
      );
      return kept === true;
    },
    async forget(subject, today) {
      await row('SELECT crier.spending_forget($1, $2, $3)', [...bothOf(subject), today]);
    },
  };

  const timer = setInterval(() => void tidy(), TIDY_EVERY_MS).unref();
  return {
    ledger,
    /** Gives up what it may have reserved without knowing. Never rejects. */
    async close() {
      clearInterval(timer);
      await tidy();
    },
  };
}
