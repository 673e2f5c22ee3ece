import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIdentifyTurns } from '../../../src/services/cells/identify-turns.ts';
import { silentLog as log } from '../../silent-log.ts';
import { isPostgresMissing } from '../storage/postgres/postgres-server.ts';
import { sharePostgres } from '../storage/postgres/shared-server.ts';
import { startStallingProxy } from '../storage/postgres/stalling-proxy.ts';

const PAUSE_MS = 400;
const { signal } = new AbortController();

describe.skipIf(isPostgresMissing)('the right to begin a session', () => {
  const postgres = sharePostgres();
  const turn = (bucket: number, until = signal) =>
    createIdentifyTurns({ url: postgres.url, log, pauseMs: PAUSE_MS })(bucket, until);

  it('is given to one process at a time in each bucket, with a pause between, by the clock of PostgreSQL', async () => {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query(`
      CREATE TABLE taken (bucket INTEGER, at TIMESTAMPTZ);
      CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN
          -- After a slow write, its own process extends a reservation that has not ended.
          IF TG_OP = 'INSERT' OR OLD.next_at <= clock_timestamp() THEN
            INSERT INTO taken VALUES (NEW.bucket, NEW.next_at);
          END IF;
          RETURN NULL;
        END $$;
      CREATE TRIGGER note AFTER INSERT OR UPDATE ON crier.identify_buckets FOR EACH ROW EXECUTE FUNCTION note();`);
    // Another bucket that is taken for an hour holds up none.
    await client.query("INSERT INTO crier.identify_buckets VALUES (1, now() + INTERVAL '1 hour')");
    await Promise.all([0, 0, 0, 0].map((bucket) => turn(bucket)));
    const { rows } = await client.query(`
      SELECT extract(epoch FROM at - lag(at) OVER (ORDER BY at)) * 1000 AS gap FROM taken WHERE bucket = 0`);
    const gaps = rows.filter(({ gap }) => gap !== null).map(({ gap }) => Number(gap));
    expect(gaps.length).toBeGreaterThanOrEqual(3);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(PAUSE_MS);
  });

  it('is not waited for when the shard closes, and goes to the next one', async () => {
    await turn(0);
    const closing = new AbortController();
    const waiting = turn(0, closing.signal);
    const next = turn(0);
    closing.abort(new Error('The shard closed'));
    await expect(waiting).rejects.toThrow();
    await next;
  });

  it('is asked for again where a connection stands still', async () => {
    const proxy = await startStallingProxy(postgres.url, 'INSERT');
    await createIdentifyTurns({ url: proxy.url, log, pauseMs: PAUSE_MS })(0, signal);
    expect(proxy.hasStalled()).toBe(true);
  });

  it('is asked for again while PostgreSQL is away', async () => {
    await postgres.server.kill();
    const waiting = turn(0);
    await postgres.server.start();
    await waiting;
  });
});
