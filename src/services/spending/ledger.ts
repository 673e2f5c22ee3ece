import type { Row, Sql, Statement, Steps } from '../storage/sql.ts';

/** The subject whose usage is counted. An empty id stands for all servers or all persons. */
export interface LimitSubject {
  readonly guildId: string;
  readonly userId: string;
}

/** Millicredits per credit: the ledger counts in thousandths of a credit. */
export const MILLI = 1000;

/** A daily spending limit of a member, of a server, or of all texts together. */
export interface Cap extends LimitSubject {
  readonly credits: number;
}

interface Entry extends LimitSubject {
  readonly day: string;
  readonly keptUntil: string;
}

export interface Rate {
  readonly characters: number;
  readonly credits: number;
}

export interface Use<C extends Cap = Cap> {
  readonly cap: C;
  readonly usedMillicredits: number;
}

export interface Counted {
  readonly millicredits: number;
  readonly cached: number;
}

/** Matches the usage on day $1 of everyone, of server $2, of person $3 everywhere, and of person $3 in server $2. */
const SUBJECTS = "day = $1 AND guild_id IN ('', $2) AND user_id IN ('', $3)";

/** Spent and reserved credits by day and subject. Transactions run one at a time, so limits are exact. */
export function createLedger(sql: Sql) {
  const days = `${sql.schema}spending_days`;
  const reservations = `${sql.schema}spending_reservations`;
  const rates = `${sql.schema}spending_rates`;
  const abandoned = `state = 'reserved' AND NOT ${sql.isHolding('holder')}`;

  const inOneStep = (...statement: Statement) =>
    sql.transaction(function* (): Steps<readonly Row[]> {
      return yield statement;
    });

  function count({ guildId, userId, day, keptUntil }: Entry, millicredits: number, cached: number): Statement {
    const places = guildId === '' ? [''] : ['', guildId];
    const subjects = places.flatMap((place) => [
      [place, ''],
      [place, userId],
    ]);
    const rows = subjects.map((_, index) => `($${2 * index + 5}, $${2 * index + 6}, $1, $2, $3, $4)`);
    return [
      `INSERT INTO ${days} AS known (guild_id, user_id, day, millicredits, cached, kept_until) VALUES ${rows.join(', ')}
       ON CONFLICT (guild_id, user_id, day) DO UPDATE
       SET millicredits = known.millicredits + excluded.millicredits, cached = known.cached + excluded.cached`,
      day,
      millicredits,
      cached,
      keptUntil,
      ...subjects.flat(),
    ];
  }

  function* uses<C extends Cap>(day: string, { guildId, userId }: LimitSubject, caps: readonly C[]): Steps<Use<C>[]> {
    const rows = yield [`SELECT guild_id, user_id, millicredits FROM ${days} WHERE ${SUBJECTS}`, day, guildId, userId];
    return caps.map((cap) => {
      const row = rows.find((one) => one.guild_id === cap.guildId && one.user_id === cap.userId);
      return { cap, usedMillicredits: Number(row?.millicredits ?? 0) };
    });
  }

  function* close(id: number, millicredits: number): Steps<void> {
    const [row] = yield [
      `DELETE FROM ${reservations} WHERE id = $1 RETURNING day, guild_id, user_id, millicredits`,
      id,
    ];
    if (!row) return;
    yield [
      `UPDATE ${days} SET millicredits = millicredits + $4 WHERE ${SUBJECTS}`,
      String(row.day),
      String(row.guild_id),
      String(row.user_id),
      millicredits - Number(row.millicredits),
    ];
  }

  const counted = async (whose: string, ...values: readonly string[]): Promise<Counted> => {
    const [row] = await sql.query(
      `SELECT coalesce(sum(millicredits), 0) AS millicredits, coalesce(sum(cached), 0) AS cached
       FROM ${days} WHERE day BETWEEN $1 AND $2 AND ${whose}`,
      ...values,
    );
    return { millicredits: Number(row?.millicredits), cached: Number(row?.cached) };
  };

  const isOf = ({ guildId, userId }: LimitSubject): readonly [column: string, id: string] =>
    userId === '' ? ['guild_id', guildId] : ['user_id', userId];

  return {
    /**
     * Reserves credits if no limit forbids it. The caller chooses the reservation's id, to be able to undo the reservation even if
     * the database's answer is lost. Resolves with the usage of each limit before the reservation.
     */
    reserve: <C extends Cap>(
      id: number,
      entry: Entry & { readonly millicredits: number },
      caps: readonly C[],
      toFollowMillicredits = 0,
    ) =>
      sql.transaction(function* (): Steps<{ readonly isReserved: boolean; readonly used: readonly Use<C>[] }> {
        const { guildId, userId, day, millicredits } = entry;
        const used = yield* uses(day, entry, caps);
        if (used.some((use) => !fits(use, millicredits + toFollowMillicredits))) return { isReserved: false, used };
        const made = yield [
          `INSERT INTO ${reservations} (id, holder, day, guild_id, user_id, millicredits, state, sent)
           SELECT $1, $2, $3, $4, $5, $6, 'reserved', false WHERE ${sql.isHolding('$2')} RETURNING id`,
          id,
          sql.holder,
          day,
          guildId,
          userId,
          millicredits,
        ];
        if (made.length === 0) throw new Error('The lease of this process is over');
        yield count(entry, millicredits, 0);
        return { isReserved: true, used };
      }),
    /** Rejects if the process no longer holds the reservation: then the request must not be sent. */
    async confirm(id: number): Promise<void> {
      const rows = await inOneStep(
        `UPDATE ${reservations} SET sent = true
         WHERE id = $1 AND state = 'reserved' AND ${sql.isHolding('holder')} RETURNING id`,
        id,
      );
      if (rows.length === 0) throw new Error('These credits are reserved no longer: the lease of this process is over');
    },
    /** Counts the real cost instead of the reserved credits, unless it is already counted. */
    settle: (id: number, millicredits: number) => sql.transaction(() => close(id, millicredits)),
    /** Keeps reserved credits counted although the request's real cost is unknown. A later bill still corrects them. */
    lose: (id: number) =>
      inOneStep(`UPDATE ${reservations} SET state = 'unknown' WHERE id = $1 AND state = 'reserved'`, id),
    countCached: (entry: Entry) => inOneStep(...count(entry, 0, 1)),
    uses: <C extends Cap>(day: string, subject: LimitSubject, caps: readonly C[]) =>
      sql.transaction(() => uses(day, subject, caps)),
    used: ({ guildId, userId }: LimitSubject, from: string, to: string) =>
      counted('guild_id = $3 AND user_id = $4', from, to, guildId, userId),
    usedInServers: (from: string, to: string) => counted("guild_id <> '' AND user_id = ''", from, to),
    async unknownOn(day: string) {
      const [row] = await sql.query(
        `SELECT count(*) AS requests, coalesce(sum(millicredits), 0) AS millicredits
         FROM ${reservations} WHERE state = 'unknown' AND day = $1`,
        day,
      );
      return { requests: Number(row?.requests), millicredits: Number(row?.millicredits) };
    },
    async biggest(column: 'guild_id' | 'user_id', from: string, to: string, atMost: number) {
      const other = column === 'guild_id' ? 'user_id' : 'guild_id';
      const rows = await sql.query(
        `SELECT ${column} AS id FROM ${days} WHERE ${column} <> '' AND ${other} = '' AND day BETWEEN $1 AND $2
         GROUP BY ${column} ORDER BY sum(millicredits) DESC, ${column} LIMIT $3`,
        from,
        to,
        atMost,
      );
      return rows.map(({ id }) => String(id));
    },
    /** Credits per character by model. */
    async prices(): Promise<ReadonlyMap<string, number>> {
      const rows = await sql.query(`SELECT model, credits / characters AS price FROM ${rates}`);
      return new Map(rows.map(({ model, price }) => [String(model), Number(price)]));
    },
    async keepRate(model: string, { characters, credits }: Rate): Promise<void> {
      await sql.query(
        `INSERT INTO ${rates} (model, characters, credits) VALUES ($1, $2, $3)
         ON CONFLICT (model) DO UPDATE SET characters = excluded.characters, credits = excluded.credits`,
        model,
        characters,
        credits,
      );
    },
    /** Closes the reservations of ended processes: releases unsent requests, and keeps sent requests counted. */
    async recover(): Promise<{ readonly released: number; readonly lost: number }> {
      const found = await sql.query(`SELECT id FROM ${reservations} WHERE ${abandoned} LIMIT 1`);
      if (found.length === 0) return { released: 0, lost: 0 };
      return sql.transaction(function* () {
        const unsent = yield [`SELECT id FROM ${reservations} WHERE ${abandoned} AND NOT sent`];
        for (const { id } of unsent) yield* close(Number(id), 0);
        const lost = yield [`UPDATE ${reservations} SET state = 'unknown' WHERE ${abandoned} RETURNING id`];
        return { released: unsent.length, lost: lost.length };
      });
    },
    /** Deletes expired usage and, after its day, each reservation whose cost is unknown. Until then, a bill can still correct the cost. */
    prune: (today: string) =>
      sql.transaction(function* () {
        yield [`DELETE FROM ${days} WHERE kept_until < $1`, today];
        yield [`DELETE FROM ${reservations} WHERE state = 'unknown' AND day < $1`, today];
      }),
    /** True if some usage of a server or person stays stored after today is over. */
    async keepsLonger(subject: LimitSubject, today: string): Promise<boolean> {
      const [column, id] = isOf(subject);
      const rows = await sql.query(
        `SELECT day FROM ${days} WHERE ${column} = $1 AND kept_until > $2 LIMIT 1`,
        id,
        today,
      );
      return rows.length > 0;
    },
    /**
     * Deletes the usage of earlier days. Today's usage stays until tomorrow, because limits count it. Reservations with unknown cost
     * are deleted: their credits stay counted as usage. Reservations of running requests stay, because their bills are still to come.
     */
    forget(subject: LimitSubject, today: string): Promise<void> {
      const [column, id] = isOf(subject);
      return sql.transaction(function* () {
        yield [`DELETE FROM ${days} WHERE ${column} = $1 AND day < $2`, id, today];
        yield [`UPDATE ${days} SET kept_until = $2 WHERE ${column} = $1`, id, today];
        yield [`DELETE FROM ${reservations} WHERE ${column} = $1 AND state = 'unknown'`, id];
      });
    },
  };
}

export const fits = ({ cap, usedMillicredits }: Use, millicredits: number): boolean =>
  usedMillicredits + millicredits <= cap.credits * MILLI;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The day of the spending limits (UTC), and when the next day begins, in milliseconds since 1970. */
export function dayAt(atMs: number) {
  const day = new Date(atMs).toISOString().slice(0, 10);
  return { day, firstOfMonth: `${day.slice(0, 7)}-01`, renewsAtMs: Math.floor(atMs / DAY_MS) * DAY_MS + DAY_MS };
}

/** Returns a function that returns true at its first call of each day (UTC). */
export function onceADay(): () => boolean {
  let last = '';
  return () => {
    const { day } = dayAt(Date.now());
    const isFirst = day !== last;
    last = day;
    return isFirst;
  };
}

/** The last day of the next month (UTC): usage is stored until then, as /privacy and docs/explain/privacy.md say. */
export function endOfNextMonth(atMs: number): string {
  const at = new Date(atMs);
  return dayAt(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 2, 0)).day;
}
