import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { openDatabase } from '../storage/database.ts';

/**
 * Whose use is counted: of everybody everywhere (both empty), of a server (no user), of a person everywhere (no server),
 * or of a person in a server.
 */
export interface LimitSubject {
  readonly guildId: string;
  readonly userId: string;
}

/** The most that a subject may have used on the day after a reservation, in thousandths of credits. */
export interface Cap extends LimitSubject {
  readonly millicredits: number;
}

export interface LedgerEntry extends LimitSubject {
  readonly day: string;
  readonly model: string;
  readonly characters: number;
  readonly millicredits: number;
  /** The day after which its figures are deleted. */
  readonly keptUntil: string;
}

/** A model's price: what these characters cost. */
export interface Rate {
  readonly characters: number;
  readonly credits: number;
}

export type ReservationAttempt<C extends Cap = Cap> =
  | { readonly made: true; readonly id: number }
  | { readonly made: false; readonly cap: C; readonly usedMillicredits: number };

export interface Counted {
  readonly millicredits: number;
  readonly cached: number;
}

type Person = { readonly userId: string };
type Server = { readonly guildId: string };

/** The ledger in the bot's database file, over a connection of its own. */
export function openSqliteLedger(path: string): { readonly ledger: SpendingLedger; close(): void } {
  const database = openDatabase(path);
  return { ledger: createSqliteLedger(database), close: () => database.close() };
}

/**
 * What was spent, by day and subject, in the bot's database (see MIGRATIONS). An amount is counted from the moment it is
 * reserved; a bill corrects it. Each method is one transaction, so that it happens wholly or not at all, and one after
 * the other.
 */
export function createSqliteLedger(database: DatabaseSync) {
  const sums = (whose: string) =>
    database.prepare(
      `SELECT coalesce(sum(millicredits), 0) AS millicredits, coalesce(sum(cached), 0) AS cached
       FROM spending_days WHERE ${whose} AND day BETWEEN ? AND ?`,
    );
  const sql = {
    usedOn: database.prepare('SELECT millicredits FROM spending_days WHERE guild_id = ? AND user_id = ? AND day = ?'),
    usedBetween: sums('guild_id = ? AND user_id = ?'),
    usedInServers: sums("guild_id <> '' AND user_id = ''"),
    biggest: database.prepare(
      `SELECT guild_id FROM spending_days WHERE guild_id <> '' AND user_id = '' AND day BETWEEN ? AND ?
       GROUP BY guild_id ORDER BY sum(millicredits) DESC, guild_id LIMIT ?`,
    ),
    biggestUsers: database.prepare(
      `SELECT user_id FROM spending_days WHERE guild_id = '' AND user_id <> ''
       AND day BETWEEN ? AND ? GROUP BY user_id ORDER BY sum(millicredits) DESC, user_id LIMIT ?`,
    ),
    count: database.prepare(
      `INSERT INTO spending_days (guild_id, user_id, day, millicredits, cached, kept_until) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET millicredits = millicredits + excluded.millicredits, cached = cached + excluded.cached`,
    ),
    correct: database.prepare(
      'UPDATE spending_days SET millicredits = millicredits + ? WHERE guild_id = ? AND user_id = ? AND day = ?',
    ),
    open: database.prepare(
      `INSERT INTO spending_reservations (day, guild_id, user_id, model, characters, millicredits, state, sent)
       VALUES (?, ?, ?, ?, ?, ?, 'reserved', 0) RETURNING id`,
    ),
    confirm: database.prepare(`UPDATE spending_reservations SET sent = 1 WHERE id = ? AND state = 'reserved'`),
    unsent: database.prepare(`SELECT id FROM spending_reservations WHERE state = 'reserved' AND sent = 0 AND id <= ?`),
    close: database.prepare(
      'DELETE FROM spending_reservations WHERE id = ? RETURNING day, guild_id, user_id, millicredits',
    ),
    lose: database.prepare(`UPDATE spending_reservations SET state = 'unknown' WHERE id = ? AND state = 'reserved'`),
    unknownOn: database.prepare(
      `SELECT count(*) AS requests, coalesce(sum(millicredits), 0) AS millicredits
       FROM spending_reservations WHERE state = 'unknown' AND day = ?`,
    ),
    loseAll: database.prepare(
      `UPDATE spending_reservations SET state = 'unknown' WHERE state = 'reserved' AND id <= ?`,
    ),
    rates: database.prepare('SELECT model, characters, credits FROM spending_rates'),
    keepRate: database.prepare(
      `INSERT INTO spending_rates (model, characters, credits) VALUES (?, ?, ?)
       ON CONFLICT DO UPDATE SET characters = excluded.characters, credits = excluded.credits`,
    ),
    pruneDays: database.prepare('DELETE FROM spending_days WHERE kept_until < ?'),
    // Lost ones have a day to be found again in; one that is still open belongs to a request on its way.
    pruneLost: database.prepare(`DELETE FROM spending_reservations WHERE state = 'unknown' AND day < ?`),
  };
  /** Ids only grow. What was reserved later is this process's own, however late the others' are recovered. */
  const lastOfOthers = Number(database.prepare('SELECT max(id) AS id FROM spending_reservations').get()?.id ?? 0);
  const forgetting = (column: 'user_id' | 'guild_id') => ({
    past: database.prepare(`DELETE FROM spending_days WHERE ${column} = ? AND day < ?`),
    today: database.prepare(`UPDATE spending_days SET kept_until = ? WHERE ${column} = ?`),
    lost: database.prepare(`DELETE FROM spending_reservations WHERE ${column} = ? AND state = 'unknown'`),
    longer: database.prepare(`SELECT 1 FROM spending_days WHERE ${column} = ? AND kept_until > ? LIMIT 1`),
  });
  const forgetUser = forgetting('user_id');
  const forgetGuild = forgetting('guild_id');
  const forgettingOf = (subject: Person | Server) =>
    'userId' in subject ? ([forgetUser, subject.userId] as const) : ([forgetGuild, subject.guildId] as const);

  async function transaction<Result>(work: () => Result): Promise<Result> {
    database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      database.exec('COMMIT');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }

  const usedOn = (day: string, { guildId, userId }: LimitSubject): number =>
    Number(sql.usedOn.get(guildId, userId, day)?.millicredits ?? 0);

  /** Counts this amount for a reservation instead of the reserved one, and closes it. */
  const closeAt = (id: number, millicredits: number) => transaction(() => close(id, millicredits));

  function close(id: number, millicredits: number): boolean {
    const row = sql.close.get(id);
    if (!row) return false;
    const difference = millicredits - Number(row.millicredits);
    const day = String(row.day);
    const whose = { guildId: String(row.guild_id), userId: String(row.user_id) };
    for (const { guildId, userId } of subjectsOf(whose)) sql.correct.run(difference, guildId, userId, day);
    return true;
  }

  return {
    /**
     * Counts the entry for all its subjects unless that, with the amount to follow, would pass a cap: the first of those
     * is named then. The amount to follow is not counted yet.
     */
    reserve: <C extends Cap>(entry: LedgerEntry, caps: readonly C[], toFollowMillicredits = 0) =>
      transaction((): ReservationAttempt<C> => {
        const { day, model, characters, millicredits, keptUntil } = entry;
        for (const cap of caps) {
          const usedMillicredits = usedOn(day, cap);
          const needed = usedMillicredits + millicredits + toFollowMillicredits;
          if (needed > cap.millicredits) return { made: false, cap, usedMillicredits };
        }
        for (const { guildId, userId } of subjectsOf(entry)) {
          sql.count.run(guildId, userId, day, millicredits, 0, keptUntil);
        }
        const row = sql.open.get(day, entry.guildId, entry.userId, model, characters, millicredits);
        return { made: true, id: Number(row?.id) };
      }),
    /**
     * Before each time the request is sent, which counts as sent from then on. Rejects where it must not be sent, because the
     * reservation is no longer this process's.
     */
    async confirm(id: number): Promise<void> {
      const { changes } = await transaction(() => sql.confirm.run(id));
      if (changes !== 1) throw new Error('These credits are reserved no longer');
    },
    /** Counts its cost instead of the reserved credits; false when the reservation is closed already. */
    settle: closeAt,
    /** Counts nothing for it any more. */
    release: (id: number) => closeAt(id, 0),
    /** Leaves it counted although its cost is unknown. A bill that turns up later still corrects it. */
    lose: (id: number) => transaction(() => sql.lose.run(id).changes > 0),
    countCached: (entry: Omit<LedgerEntry, 'model' | 'characters' | 'millicredits'>) =>
      transaction(() => {
        for (const { guildId, userId } of subjectsOf(entry)) {
          sql.count.run(guildId, userId, entry.day, 0, 1, entry.keptUntil);
        }
      }),
    /** From one day to another, both included. */
    used: async ({ guildId, userId }: LimitSubject, from: string, to: string) =>
      countedIn(sql.usedBetween.get(guildId, userId, from, to)),
    /** Of a day: requests whose cost is not known, with what is counted for them. */
    async unknownOn(day: string) {
      const row = sql.unknownOn.get(day);
      return { requests: Number(row?.requests), millicredits: Number(row?.millicredits) };
    },
    /** In all servers together, from one day to another. */
    usedInServers: async (from: string, to: string) => countedIn(sql.usedInServers.get(from, to)),
    /** People who used most from one day to another, wherever, the biggest first. */
    async biggestUsers(from: string, to: string, atMost: number) {
      return sql.biggestUsers.all(from, to, atMost).map((row) => String(row.user_id));
    },
    /** Servers that used most from one day to another, the biggest first. */
    async biggest(from: string, to: string, atMost: number) {
      return sql.biggest.all(from, to, atMost).map((row) => String(row.guild_id));
    },
    async rates(): Promise<ReadonlyMap<string, Rate>> {
      return new Map(
        sql.rates
          .all()
          .map((row) => [String(row.model), { characters: Number(row.characters), credits: Number(row.credits) }]),
      );
    },
    async keepRate(model: string, { characters, credits }: Rate) {
      sql.keepRate.run(model, characters, credits);
    },
    /** After a process that died: what it had not sent counts nothing, all else becomes lost. Returns how many there were. */
    recover: () =>
      transaction(() => {
        const unsent = sql.unsent.all(lastOfOthers);
        for (const { id } of unsent) close(Number(id), 0);
        return { released: unsent.length, lost: Number(sql.loseAll.run(lastOfOthers).changes) };
      }),
    /** Deletes outdated figures. */
    prune: (today: string) =>
      transaction(() => {
        sql.pruneDays.run(today);
        sql.pruneLost.run(today);
      }),
    /** Whether any figures of a person or a server are kept longer than today. */
    async keepsLonger(subject: Person | Server, today: string) {
      const [statements, id] = forgettingOf(subject);
      return statements.longer.get(id, today) !== undefined;
    },
    /**
     * Deletes a person's or a server's figures; those of today only tomorrow, or forgetting would undo limits. A reservation
     * goes at once, but for that of a request under way, which ends with it.
     */
    forget: (subject: Person | Server, today: string) =>
      transaction(() => {
        const [statements, id] = forgettingOf(subject);
        statements.past.run(id, today);
        statements.today.run(today, id);
        statements.lost.run(id);
      }),
  };
}

export type SpendingLedger = ReturnType<typeof createSqliteLedger>;

const countedIn = (row: ReturnType<StatementSync['get']>): Counted => ({
  millicredits: Number(row?.millicredits),
  cached: Number(row?.cached),
});

/** All for whom one person's use in one place counts. */
function subjectsOf({ guildId, userId }: LimitSubject): readonly LimitSubject[] {
  const everywhere = [
    { guildId: '', userId: '' },
    { guildId: '', userId },
  ];
  return guildId === '' ? everywhere : [...everywhere, { guildId, userId: '' }, { guildId, userId }];
}
