import type { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import type { Logger } from 'pino';
import { StoreError } from '../../../errors/store-error.ts';
import { withDeadline } from '../../time/deadline.ts';
import { openUnspokenFile } from '../unspoken-file.ts';

interface UnspokenMirrorOptions {
  /** Of a database that is prepared; stays open. */
  readonly pool: pg.Pool;
  /** Whose lease lasts. */
  readonly cellId: number;
  /** Its shards; undefined: all. */
  readonly shards: { readonly first: number; readonly last: number; readonly count: number } | undefined;
  /** Whose a text is, from its sealed origin; undefined where that cannot be read. */
  readonly ownerOf: (id: string, origin: Uint8Array) => Owner | undefined;
  /** How long words, texts and purchases are kept. */
  readonly keptMs: { readonly words: number; readonly texts: number; readonly purchases: number };
  readonly log: Logger;
}

interface Owner {
  readonly guildId: string;
  readonly userId: string;
}

/** What is written here and was not yet written there is lost with the process: a new text at once, all else so late. */
const WRITE_EVERY_MS = 100;
const TIDY_EVERY_MS = 60_000;
/** Of one statement: what is left waits for the next one. */
const MOST_CHANGES = 500;
const CLOSING_DEADLINE_MS = 2_000;

/** Kinds of changes: a whole text, how far it is, and a purchase. Changes that have been written are deleted. */
const CHANGES = `
  CREATE TEMP TABLE changes (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL) STRICT;
  CREATE TEMP TABLE owners (id TEXT PRIMARY KEY, guild_id TEXT NOT NULL, user_id TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TEMP TRIGGER text_kept AFTER INSERT ON texts BEGIN
    INSERT INTO changes (kind, id) VALUES ('text', NEW.id);
    SELECT is_urgent(); END;
  CREATE TEMP TRIGGER text_changed AFTER UPDATE OF words, origin, comebacks ON texts BEGIN
    INSERT INTO changes (kind, id) VALUES ('text', NEW.id); END;
  CREATE TEMP TRIGGER text_progressed AFTER UPDATE OF state, heard_ms, position ON texts BEGIN
    INSERT INTO changes (kind, id) VALUES ('progress', NEW.id); END;
  CREATE TEMP TRIGGER text_gone AFTER DELETE ON texts BEGIN
    INSERT INTO changes (kind, id) VALUES ('text', OLD.id); END;
  CREATE TEMP TRIGGER bought AFTER INSERT ON purchases BEGIN
    INSERT INTO changes (kind, id) VALUES ('purchase', NEW.key); END;
  CREATE TEMP TRIGGER purchase_gone AFTER DELETE ON purchases BEGIN
    INSERT INTO changes (kind, id) VALUES ('purchase', OLD.key); END`;

type Row = Readonly<Record<string, unknown>>;

/**
 * The tables of unspoken-file.ts in memory, with what earlier cells of these shards left, and everything that is written to
 * them a moment later in PostgreSQL: a successor finds it there, on whichever machine. Changes wait while PostgreSQL does not
 * answer. Rejects where what is left cannot be read.
 */
export async function openUnspokenMirror(options: UnspokenMirrorOptions) {
  const { pool, cellId, log } = options;
  const database = openUnspokenFile(':memory:');
  const owners = await fill(database, options);
  // What was accepted has no time to lose: how far it is may be a moment late.
  database.function('is_urgent', () => {
    setImmediate(() => void (writing ?? Promise.resolve()).catch(() => undefined).then(tick));
    return null;
  });
  database.exec(CHANGES);
  const sql = {
    changes: database.prepare('SELECT number, kind, id FROM changes ORDER BY number LIMIT ?'),
    written: database.prepare('DELETE FROM changes WHERE number <= ?'),
    text: database.prepare('SELECT * FROM texts WHERE id = ?'),
    purchase: database.prepare('SELECT * FROM purchases WHERE key = ?'),
    own: database.prepare('INSERT OR REPLACE INTO owners VALUES (?, ?, ?)'),
    owner: database.prepare('SELECT guild_id, user_id FROM owners WHERE id = ?'),
    disown: database.prepare('DELETE FROM owners WHERE id = ?'),
  };
  for (const { id, guild_id: guildId, user_id: userId } of owners) sql.own.run(id, guildId, userId);
  let isOver = false;
  let isFailing = false;
  let writing: Promise<void> | undefined;

  function ownerOf(id: string, origin?: unknown): Owner | undefined {
    const known = sql.owner.get(id);
    if (known) return { guildId: String(known.guild_id), userId: String(known.user_id) };
    const owner = origin instanceof Uint8Array ? options.ownerOf(id, origin) : undefined;
    if (owner) sql.own.run(id, owner.guildId, owner.userId);
    return owner;
  }

  /** What the next statement brings there, and the number of its last change. */
  function batch() {
    const changes = sql.changes.all(MOST_CHANGES);
    const idsOf = (wanted: string) =>
      new Set(changes.filter(({ kind }) => kind === wanted).map(({ id }) => String(id)));
    const whole = idsOf('text');
    const texts: Row[] = [];
    const textsGone: Row[] = [];
    for (const id of whole) {
      const row = sql.text.get(id);
      const owner = ownerOf(id, row?.origin);
      if (!owner) continue;
      const key = { guild_id: owner.guildId, id };
      if (row)
        texts.push({ ...row, ...key, user_id: owner.userId, words: base64(row.words), origin: base64(row.origin) });
      else textsGone.push(key);
    }
    const progressed = [...idsOf('progress')].flatMap((id) => {
      const row = sql.text.get(id);
      const owner = ownerOf(id, row?.origin);
      if (!row || !owner || whole.has(id)) return [];
      return [{ guild_id: owner.guildId, id, state: row.state, heard_ms: row.heard_ms, position: row.position }];
    });
    const keys = [...idsOf('purchase')].map((key) => ({ key, row: sql.purchase.get(key) }));
    const bought = keys.flatMap(({ row }) => (row ? [{ ...row, paid: base64(row.paid) }] : []));
    const gone = keys.flatMap(({ key, row }) => (row ? [] : [key]));
    const values = [...[texts, progressed, textsGone, bought].map((rows) => JSON.stringify(rows)), gone];
    const last = Number(changes.at(-1)?.number ?? 0);
    return { last, isWhole: changes.length < MOST_CHANGES, values, ended: textsGone.map(({ id }) => String(id)) };
  }

  /** Of changes that come meanwhile, the next one takes care. */
  async function writeAll(): Promise<void> {
    for (let isWhole = false; !isWhole && !isOver; ) {
      const { last, values, ...next } = batch();
      if (last === 0) return;
      const { rows } = await pool.query('SELECT crier.keep_unspoken($1, $2, $3, $4, $5, $6) AS kept', [
        cellId,
        ...values,
      ]);
      // A successor has them.
      if (rows[0]?.kept !== true) isOver = true;
      sql.written.run(last);
      for (const id of next.ended) sql.disown.run(id);
      isWhole = next.isWhole;
    }
  }

  /** One after the other: what was written last holds. */
  async function written(): Promise<void> {
    await writing?.catch(() => undefined);
    writing ??= writeAll().finally(() => {
      writing = undefined;
    });
    await writing;
    if (isOver) throw new Error('The lease of this process is over');
  }

  async function keptForSure(): Promise<void> {
    try {
      await written();
    } catch (cause) {
      throw new StoreError('What another process has to know could not be written down', { cause });
    }
  }

  async function tick(): Promise<void> {
    if (writing || isOver || !database.isOpen) return;
    try {
      await written();
      isFailing = false;
    } catch (error) {
      if (!isFailing && !isOver) log.warn({ err: error }, 'Texts that wait cannot be kept for another process yet');
      isFailing = true;
    }
  }

  async function tidy(): Promise<void> {
    const { words, texts, purchases } = options.keptMs;
    const now = Date.now();
    await pool
      .query('SELECT crier.drop_old_unspoken($1, $2, $3)', [now - words, now - texts, now - purchases])
      .catch((error: unknown) => log.warn({ err: error }, 'Old texts could not be deleted: tried again in a minute'));
  }

  const timers = [setInterval(() => void tick(), WRITE_EVERY_MS), setInterval(() => void tidy(), TIDY_EVERY_MS)];
  for (const timer of timers) timer.unref();

  return {
    database,
    /** Resolves when all that has been written here is there; rejects with a StoreError where it cannot be. */
    written: keptForSure,
    /** Also in cells that do not run, or have others' shards. */
    async forgetMember(userId: string): Promise<void> {
      await pool.query('DELETE FROM crier.unspoken_texts WHERE user_id = $1', [userId]);
    },
    async close(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      try {
        if (!isOver) await withDeadline(written(), { timeoutMs: CLOSING_DEADLINE_MS, what: 'Handing over texts' });
      } finally {
        database.close();
      }
    },
  };
}

async function fill(database: DatabaseSync, { pool, cellId, shards, keptMs }: UnspokenMirrorOptions) {
  const { rows: texts } = await pool.query('SELECT * FROM crier.take_unspoken($1, $2, $3, $4)', [
    ...[cellId, shards?.first ?? 0, shards?.last ?? null, shards?.count ?? null],
  ]);
  const { rows: purchases } = await pool.query(
    // What another one has sent and paid, and lives to speak, is its own.
    `SELECT DISTINCT ON (key) key, at_ms, paid FROM crier.purchases
     WHERE at_ms > $1 AND NOT crier.holds_lease(cell) ORDER BY key, paid IS NULL, at_ms DESC`,
    [Date.now() - keptMs.purchases],
  );
  const text = database.prepare(
    `INSERT INTO texts (id, accepted_at_ms, state, heard_ms, position, comebacks, words, origin)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  texts.sort((one, other) => Number(one.number) - Number(other.number));
  for (const row of texts) {
    const figures = [row.heard_ms, row.position, row.comebacks].map(Number);
    text.run(row.id, Number(row.accepted_at_ms), row.state, ...figures, row.words, row.origin);
  }
  const purchase = database.prepare('INSERT INTO purchases VALUES (?, ?, ?)');
  for (const { key, at_ms: atMs, paid } of purchases) purchase.run(key, Number(atMs), paid);
  return texts;
}

const base64 = (bytes: unknown) => (bytes instanceof Uint8Array ? Buffer.from(bytes).toString('base64') : null);
