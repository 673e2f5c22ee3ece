import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';

/** What a cell asks all others: JSON values, since they may be of another version. */
export type CellQuestion = 'status' | 'servers' | 'names' | 'announce' | 'kept' | 'forget';

type Answer = (body: unknown) => Promise<unknown> | unknown;

/** Questions to all other cells of the bot whose lease lasts. */
export interface CellCalls {
  /** How this cell answers; until it is said, it does not. */
  answer(question: CellQuestion, answer: Answer): void;
  /** What each other one says in time. Rejects where PostgreSQL cannot be asked. */
  ask(question: CellQuestion, body: unknown): Promise<CellAnswers>;
}

export interface CellAnswers {
  /** By their names, which are for people. */
  readonly given: readonly { readonly cell: string; readonly body: unknown }[];
  /** Those that said nothing in time. */
  readonly silent: readonly string[];
}

interface CellCallsOptions {
  /** Of a database that is prepared; stays open. */
  readonly pool: pg.Pool;
  readonly cellId: number;
  readonly log: Logger;
  /** How long an answer is waited for. */
  readonly timeoutMs?: number;
}

/** A member waits for it, and Discord after 3 s no longer for the first reply. */
const TIMEOUT_MS = 1_500;
const LOOK_EVERY_MS = 40;
/** What was asked longer ago is waited for no more. */
const OLDEST = '5 seconds';
const FORGOTTEN_MS = 20_000;

/** Whoever asks writes it down; that is announced like a change of the store (tables.ts), and the others write down theirs. */
export function createCellCalls({ pool, cellId, log, timeoutMs = TIMEOUT_MS }: CellCallsOptions) {
  const answers = new Map<string, Answer>();
  /** When the answer to a question was begun: what announces it may come again, and out of order. */
  const begun = new Map<string, number>();

  async function answerOne({ id, question, body }: Record<string, unknown>): Promise<void> {
    const answer = answers.get(String(question));
    if (!answer) return;
    try {
      const answered = await answer(body);
      await pool.query(
        `INSERT INTO crier.cell_answers SELECT $1, $2, $3::json
         WHERE EXISTS (SELECT FROM crier.cell_questions WHERE id = $1) ON CONFLICT DO NOTHING`,
        [id, cellId, JSON.stringify(answered ?? null)],
      );
    } catch (error) {
      log.warn({ err: error, question }, 'A question of another process could not be answered');
    }
  }

  async function ask(question: CellQuestion, body: unknown): Promise<CellAnswers> {
    const { rows } = await pool.query(
      `INSERT INTO crier.cell_questions (cell, question, body) SELECT $1, $2, $3::json
       WHERE EXISTS (SELECT FROM crier.cells WHERE id <> $1 AND lease_until > clock_timestamp()) RETURNING id`,
      [cellId, question, JSON.stringify(body)],
    );
    const id = rows[0]?.id;
    if (id === undefined) return { given: [], silent: [] };
    const untilMs = performance.now() + timeoutMs;
    try {
      for (;;) {
        const found = await answersTo(id);
        if (found.silent.length === 0 || performance.now() >= untilMs) return found;
        await sleep(LOOK_EVERY_MS);
      }
    } finally {
      // With what others asked and could not take back; the answers go with them.
      await pool
        .query('DELETE FROM crier.cell_questions WHERE id = $1 OR asked_at < clock_timestamp() - $2::interval', [
          id,
          OLDEST,
        ])
        .catch((error: unknown) => log.warn({ err: error }, 'A question to other processes was left behind'));
    }
  }

  async function answersTo(id: unknown): Promise<CellAnswers> {
    const { rows } = await pool.query(
      `SELECT cells.name, answers.call IS NOT NULL AS given, answers.body FROM crier.cells AS cells
       LEFT JOIN crier.cell_answers AS answers ON answers.cell = cells.id AND answers.call = $1
       WHERE cells.id <> $2 AND cells.lease_until > clock_timestamp() ORDER BY cells.first_shard`,
      [id, cellId],
    );
    return {
      given: rows.filter(({ given }) => given).map(({ name, body }) => ({ cell: String(name), body })),
      silent: rows.filter(({ given }) => !given).map(({ name }) => String(name)),
    };
  }

  return {
    answer: (question: CellQuestion, answer: Answer) => void answers.set(question, answer),
    ask,
    /** Something was asked, or may have been. Never rejects. */
    async heard(): Promise<void> {
      try {
        const { rows } = await pool.query(
          `SELECT id::text, question, body FROM crier.cell_questions AS questions
           WHERE cell <> $1 AND asked_at > clock_timestamp() - $2::interval
             AND NOT EXISTS (SELECT FROM crier.cell_answers WHERE call = questions.id AND cell = $1)`,
          [cellId, OLDEST],
        );
        const now = performance.now();
        for (const [id, atMs] of begun) if (now - atMs > FORGOTTEN_MS) begun.delete(id);
        const open = rows.filter(({ id }) => !begun.has(id));
        for (const { id } of open) begun.set(id, now);
        await Promise.all(open.map(answerOne));
      } catch (error) {
        log.warn({ err: error }, 'What another process asks cannot be read');
      }
    },
  };
}
