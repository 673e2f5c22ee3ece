import type { Row, Sql, Statement, Steps } from '../storage/sql.ts';

/**
 * The subject of a count: everyone everywhere (both empty), a server (no user), a person everywhere (no server), or a
 * person in a server.
 */
export interface LimitSubject {
  readonly guildId: string;
  readonly userId: string;
}

/** The most that a subject may have used on the day after a reservation. */
export interface Cap extends LimitSubject {
  readonly millicredits: number;
}

interface Entry extends LimitSubject {
  readonly day: string;
  /** The day after which its figures are deleted. */
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

/** A person in all places, or a server. */
export type Subject = { readonly userId: string } | { readonly guildId: string };

/** The rows of one person's use in one place, in a day: $1, $2 and $3 are the day, the server and the person. */
const SUBJECTS = "day = $1 AND guild_id IN ('', $2) AND user_id IN ('', $3)";

/**
 * The spending by day and subject. An amount is counted from the moment it is reserved; a bill corrects it. One
 * transaction at a time makes limits exact: between the check and the reservation, no other request reserves.
 */
export function createLedger(sql: Sql) {
  const days = `${sql.schema}spending_days`;
  const reservations = `${sql.schema}spending_reservations`;
  const rates = `${sql.schema}spending_rates`;
  /** Reservations of processes that ended, or whose lease is over. */
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

  /** The uses under all caps that hold for one person in one place. */
  function* uses<C extends Cap>(day: string, { guildId, userId }: LimitSubject, caps: readonly C[]): Steps<Use<C>[]> {
    const rows = yield [`SELECT guild_id, user_id, millicredits FROM ${days} WHERE ${SUBJECTS}`, day, guildId, userId];
    return caps.map((cap) => {
      const row = rows.find((one) => one.guild_id === cap.guildId && one.user_id === cap.userId);
      return { cap, usedMillicredits: Number(row?.millicredits ?? 0) };
    });
  }

  function* reserve<C extends Cap>(
    id: number,
    entry: Entry & { readonly millicredits: number },
    caps: readonly C[],
    toFollowMillicredits: number,
  ): Steps<readonly Use<C>[] | undefined> {
    const { guildId, userId, day, millicredits } = entry;
    const used = yield* uses(day, entry, caps);
    if (used.some((use) => !fits(use, millicredits + toFollowMillicredits))) return used;
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
    return undefined;
  }

  /** Counts this amount for a reservation instead of the reserved one, and closes it; false where it is closed already. */
  function* close(id: number, millicredits: number): Steps<boolean> {
    const [row] = yield [
      `DELETE FROM ${reservations} WHERE id = $1 RETURNING day, guild_id, user_id, millicredits`,
      id,
    ];
    if (!row) return false;
    yield [
      `UPDATE ${days} SET millicredits = millicredits + $4 WHERE ${SUBJECTS}`,
      String(row.day),
      String(row.guild_id),
      String(row.user_id),
      millicredits - Number(row.millicredits),
    ];
    return true;
  }

  const counted = async (whose: string, ...values: readonly string[]): Promise<Counted> => {
    const [row] = await sql.query(
      `SELECT coalesce(sum(millicredits), 0) AS millicredits, coalesce(sum(cached), 0) AS cached
       FROM ${days} WHERE day BETWEEN $1 AND $2 AND ${whose}`,
      ...values,
    );
    return { millicredits: Number(row?.millicredits), cached: Number(row?.cached) };
  };

  const isOf = (subject: Subject): readonly [column: string, id: string] =>
    'userId' in subject ? ['user_id', subject.userId] : ['guild_id', subject.guildId];

  return {
    /**
     * Counts the entry for all its subjects, unless that, with the amount to follow, would pass one of their caps: then it resolves
     * with the uses. The amount to follow is not counted yet. The caller makes the id, so that a reservation can be undone
     * although the answer to it was lost.
     */
    reserve: <C extends Cap>(
      id: number,
      entry: Entry & { readonly millicredits: number },
      caps: readonly C[],
      toFollowMillicredits = 0,
    ): Promise<readonly Use<C>[] | undefined> => sql.transaction(() => reserve(id, entry, caps, toFollowMillicredits)),
    /**
     * Before each attempt to send the request, which counts as sent from then on. Rejects if the reservation is no longer
     * this process's: it must not be sent.
     */
    async confirm(id: number): Promise<void> {
      const rows = await inOneStep(
        `UPDATE ${reservations} SET sent = true
         WHERE id = $1 AND state = 'reserved' AND ${sql.isHolding('holder')} RETURNING id`,
        id,
      );
      if (rows.length === 0) throw new Error('These credits are reserved no longer: the lease of this process is over');
    },
    /** Counts its cost, which may be 0, instead of the reserved credits; false if the reservation is closed already. */
    settle: (id: number, millicredits: number) => sql.transaction(() => close(id, millicredits)),
    /** Leaves it counted although its cost is unknown. A bill that turns up later still corrects it. */
    async lose(id: number): Promise<boolean> {
      const rows = await inOneStep(
        `UPDATE ${reservations} SET state = 'unknown' WHERE id = $1 AND state = 'reserved' RETURNING id`,
        id,
      );
      return rows.length > 0;
    },
    countCached: (entry: Entry) => inOneStep(...count(entry, 0, 1)),
    uses: <C extends Cap>(day: string, subject: LimitSubject, caps: readonly C[]) =>
      sql.transaction(() => uses(day, subject, caps)),
    /** From one day to another, both included. */
    used: ({ guildId, userId }: LimitSubject, from: string, to: string) =>
      counted('guild_id = $3 AND user_id = $4', from, to, guildId, userId),
    usedInServers: (from: string, to: string) => counted("guild_id <> '' AND user_id = ''", from, to),
    /** The requests of a day whose cost is not known, with the credits that are counted for them. */
    async unknownOn(day: string) {
      const [row] = await sql.query(
        `SELECT count(*) AS requests, coalesce(sum(millicredits), 0) AS millicredits
         FROM ${reservations} WHERE state = 'unknown' AND day = $1`,
        day,
      );
      return { requests: Number(row?.requests), millicredits: Number(row?.millicredits) };
    },
    /** The subjects that used most from one day to another, the biggest first. */
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
    async rates(): Promise<ReadonlyMap<string, Rate>> {
      const rows = await sql.query(`SELECT model, characters, credits FROM ${rates}`);
      return new Map(
        rows.map(({ model, characters, credits }) => [
          String(model),
          { characters: Number(characters), credits: Number(credits) },
        ]),
      );
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
    /**
     * After processes that ended: what they had not sent counts nothing, all else becomes lost. Returns how many there were.
     */
    async recover(): Promise<{ readonly released: number; readonly lost: number }> {
      // Mostly there is nothing, and then the query returns at once.
      const found = await sql.query(`SELECT id FROM ${reservations} WHERE ${abandoned} LIMIT 1`);
      if (found.length === 0) return { released: 0, lost: 0 };
      return sql.transaction(function* () {
        const unsent = yield [`SELECT id FROM ${reservations} WHERE ${abandoned} AND NOT sent`];
        for (const { id } of unsent) yield* close(Number(id), 0);
        const lost = yield [`UPDATE ${reservations} SET state = 'unknown' WHERE ${abandoned} RETURNING id`];
        return { released: unsent.length, lost: lost.length };
      });
    },
    /** Deletes outdated figures. Lost ones have a day to be found again in. */
    prune: (today: string) =>
      sql.transaction(function* () {
        yield [`DELETE FROM ${days} WHERE kept_until < $1`, today];
        yield [`DELETE FROM ${reservations} WHERE state = 'unknown' AND day < $1`, today];
      }),
    /** Whether any figures are kept longer than today. */
    async keepsLonger(subject: Subject, today: string): Promise<boolean> {
      const [column, id] = isOf(subject);
      const rows = await sql.query(
        `SELECT day FROM ${days} WHERE ${column} = $1 AND kept_until > $2 LIMIT 1`,
        id,
        today,
      );
      return rows.length > 0;
    },
    /**
     * Deletes the figures; those of today only tomorrow, or forgetting would undo limits. A reservation goes at once, but for
     * that of a request under way, which ends with it.
     */
    forget(subject: Subject, today: string): Promise<void> {
      const [column, id] = isOf(subject);
      return sql.transaction(function* () {
        yield [`DELETE FROM ${days} WHERE ${column} = $1 AND day < $2`, id, today];
        yield [`UPDATE ${days} SET kept_until = $2 WHERE ${column} = $1`, id, today];
        yield [`DELETE FROM ${reservations} WHERE ${column} = $1 AND state = 'unknown'`, id];
      });
    },
  };
}

/** True if this much more can be used below a limit. */
export const fits = ({ cap, usedMillicredits }: Use, millicredits: number): boolean =>
  usedMillicredits + millicredits <= cap.millicredits;

/** Days and months of UTC, as they are counted: '2026-11-21' and all days that begin with '2026-11'. */
interface Day {
  readonly day: string;
  readonly firstOfMonth: string;
  /** When the next day begins, in milliseconds since 1970. */
  readonly renewsAtMs: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export function dayAt(atMs: number): Day {
  const day = new Date(atMs).toISOString().slice(0, 10);
  return { day, firstOfMonth: `${day.slice(0, 7)}-01`, renewsAtMs: Math.floor(atMs / DAY_MS) * DAY_MS + DAY_MS };
}

/** The last day of the month after this one: until then a day's figures are shown. */
export function endOfNextMonth(atMs: number): string {
  const at = new Date(atMs);
  return dayAt(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 2, 0)).day;
}
