import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Balance and sums as the file has them, read by other means than the code under test. */
export function audit(dataDir: string): { balance: number; topUps: number; settled: number; open: number } {
  const sqlite = new DatabaseSync(join(dataDir, 'speech-service.sqlite'), { readOnly: true });
  try {
    const number = (sql: string) => Number(Object.values(sqlite.prepare(sql).get() ?? {})[0] ?? 0);
    // One statement each, but in one transaction: a service may be writing at the same time.
    sqlite.exec('BEGIN');
    return {
      balance: number('SELECT credits_left FROM account'),
      topUps: number('SELECT sum(amount) FROM top_ups'),
      settled: number(`SELECT sum(amount) FROM charges WHERE state IN ('settled', 'lost')`),
      open: number(`SELECT sum(amount) FROM charges WHERE state = 'open'`),
    };
  } finally {
    sqlite.close();
  }
}
