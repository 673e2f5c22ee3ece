import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Logger } from 'pino';
import type { ValueCipher } from '../storage/value-cipher.ts';

/** No words are kept longer than this after they were accepted. */
export const WORDS_KEPT_MS = 10 * 60_000;
/** Where they were asked for is kept until that is over; where the bot was away for longer, the replies are left alone. */
export const ORIGIN_KEPT_MS = 24 * 60 * 60_000;

/** 'spoken' and 'failed': over, and its requester has not been told yet. */
export type UnspokenState = 'waiting' | 'preparing' | 'speaking' | 'paused' | 'spoken' | 'failed';

/** An accepted text that was not spoken to its end, or about which its requester was not told. */
export interface UnspokenText<Words, Origin> {
  readonly id: string;
  readonly acceptedAtMs: number;
  readonly state: UnspokenState;
  readonly heardMs: number;
  /** In its queue: 0 for the one that was being made or spoken. */
  readonly position: number;
  /** How often it has come back after an end of the process. */
  readonly comebacks: number;
  /** What is to be spoken; undefined once it is over or too old, or where it is not to be kept. */
  readonly words: Words | undefined;
  /** Who asked for it, and where. */
  readonly origin: Origin;
}

/** Times since 1970 and JSON values. Each call is one statement; a failing disk is logged and costs the entry alone. */
export interface UnspokenTexts<Words, Origin> {
  keep(text: Pick<UnspokenText<Words, Origin>, 'id' | 'words' | 'origin'>): void;
  progress(id: string, progress: Pick<UnspokenText<Words, Origin>, 'state' | 'heardMs' | 'position'>): void;
  move(id: string, origin: Origin): void;
  cameBack(id: string): void;
  /** Deletes the words, and leaves where they were asked for. */
  dropWords(id: string, state?: UnspokenState): void;
  delete(id: string): void;
  /** In the order of speaking in each server; what cannot be read or is too old is deleted. */
  all(): readonly UnspokenText<Words, Origin>[];
  /** One of them, without opening the others. */
  one(id: string): UnspokenText<Words, Origin> | undefined;
}

const wordsOf = (id: string) => `words ${id}`;
const originOf = (id: string) => `origin ${id}`;

/** The origin of a text as it is kept; undefined where another key sealed it. */
export const openOrigin = (seal: ValueCipher, id: string, origin: Uint8Array): unknown =>
  seal.open(originOf(id), origin);

interface UnspokenTextsOptions {
  readonly database: DatabaseSync;
  readonly seal: ValueCipher;
  readonly log: Logger;
  readonly now?: () => number;
}

export function createUnspokenTexts<Words, Origin>(options: UnspokenTextsOptions): UnspokenTexts<Words, Origin> {
  const { database, seal, log, now = Date.now } = options;
  const sql = {
    keep: database.prepare(
      `INSERT OR REPLACE INTO texts (id, accepted_at_ms, state, heard_ms, position, comebacks, words, origin)
       VALUES (?, ?, 'waiting', 0, 0, 0, ?, ?)`,
    ),
    progress: database.prepare('UPDATE texts SET state = ?, heard_ms = ?, position = ? WHERE id = ?'),
    move: database.prepare('UPDATE texts SET origin = ? WHERE id = ?'),
    cameBack: database.prepare('UPDATE texts SET comebacks = comebacks + 1 WHERE id = ?'),
    dropWords: database.prepare('UPDATE texts SET words = NULL, state = coalesce(?, state) WHERE id = ?'),
    dropOldWords: database.prepare('UPDATE texts SET words = NULL WHERE accepted_at_ms <= ?'),
    delete: database.prepare('DELETE FROM texts WHERE id = ?'),
    deleteOld: database.prepare('DELETE FROM texts WHERE accepted_at_ms <= ?'),
    all: database.prepare('SELECT * FROM texts ORDER BY position, number'),
    one: database.prepare('SELECT * FROM texts WHERE id = ? AND accepted_at_ms > ?'),
  };
  let isFailing = false;

  /** Speaking goes on without it. */
  function attempt<Result>(work: () => Result): Result | undefined {
    try {
      const result = work();
      isFailing = false;
      return result;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'Texts that wait cannot be kept: a restart would lose them');
      isFailing = true;
      return undefined;
    }
  }

  function opened(row: Readonly<Record<string, SQLOutputValue>>): readonly UnspokenText<Words, Origin>[] {
    const id = String(row.id);
    const acceptedAtMs = Number(row.accepted_at_ms);
    const origin = openOrigin(seal, id, row.origin as Uint8Array);
    if (origin === undefined) {
      log.info('A text that waited was kept with another key: it is forgotten');
      attempt(() => sql.delete.run(id));
      return [];
    }
    const hasWords = row.words !== null && acceptedAtMs > now() - WORDS_KEPT_MS;
    return [
      {
        ...{ id, acceptedAtMs },
        state: row.state as UnspokenState,
        heardMs: Number(row.heard_ms),
        position: Number(row.position),
        comebacks: Number(row.comebacks),
        words: hasWords ? (seal.open(wordsOf(id), row.words as Uint8Array) as Words | undefined) : undefined,
        origin: origin as Origin,
      },
    ];
  }

  return {
    keep({ id, words, origin }) {
      const closed = words === undefined ? null : seal.close(wordsOf(id), words);
      attempt(() => sql.keep.run(id, now(), closed, seal.close(originOf(id), origin)));
    },
    progress: (id, { state, heardMs, position }) =>
      void attempt(() => sql.progress.run(state, Math.round(heardMs), position, id)),
    move: (id, origin) => void attempt(() => sql.move.run(seal.close(originOf(id), origin), id)),
    cameBack: (id) => void attempt(() => sql.cameBack.run(id)),
    dropWords: (id, state) => void attempt(() => sql.dropWords.run(state ?? null, id)),
    delete: (id) => void attempt(() => sql.delete.run(id)),
    all() {
      const read = attempt(() => {
        sql.deleteOld.run(now() - ORIGIN_KEPT_MS);
        sql.dropOldWords.run(now() - WORDS_KEPT_MS);
        return sql.all.all();
      });
      return (read ?? []).flatMap(opened);
    },
    one(id) {
      const row = attempt(() => sql.one.get(id, now() - ORIGIN_KEPT_MS));
      return row && opened(row)[0];
    },
  };
}
