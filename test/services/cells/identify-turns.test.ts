import { spawn } from 'node:child_process';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createIdentifyTurns } from '../../../src/services/cells/identify-turns.ts';
import { isPostgresMissing } from '../storage/postgres/postgres-server.ts';
import { sharePostgres } from '../storage/postgres/shared-server.ts';
import { startStallingProxy } from '../storage/postgres/stalling-proxy.ts';

const log = pino({ level: 'silent' });
const PAUSE_MS = 400;
/** In which another process is started. */
const LONG_PAUSE_MS = 3_000;
const SOON = { timeout: 20_000, interval: 20 };
const { signal } = new AbortController();

describe.skipIf(isPostgresMissing)('the right to begin a session', () => {
  const postgres = sharePostgres();
  const open = () => createIdentifyTurns({ url: postgres.url, log, pauseMs: PAUSE_MS });

  /** When each turn came, in order. */
  async function turnsOf(buckets: readonly number[]): Promise<number[]> {
    const times = await Promise.all(
      buckets.map(async (bucket) => {
        await open().turn(bucket, signal);
        return performance.now();
      }),
    );
    return times.sort((one, other) => one - other);
  }
  const gaps = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0));

  it('is given to one process at a time in each bucket, with a pause between', async () => {
    const apart = gaps(await turnsOf([0, 0, 0, 0]));
    expect(apart).toHaveLength(3);
    // The answers of PostgreSQL do not take the same time each, and on a busy machine much longer than others.
    for (const gap of apart) expect(gap).toBeGreaterThan(PAUSE_MS / 2);
  });

  it('is given in several buckets at once', async () => {
    const times = await turnsOf([0, 1, 2, 3]);
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeLessThan(PAUSE_MS);
  });

  it('is not waited for when the shard closes, and goes to the next one', async () => {
    await open().turn(0, signal);
    const closing = new AbortController();
    const waiting = open().turn(0, closing.signal);
    const next = open().turn(0, signal);
    closing.abort(new Error('The shard closed'));
    await expect(waiting).rejects.toThrow();
    await next;
  });

  it('goes on to the next one when the process that has it stands still', async () => {
    const slow = createIdentifyTurns({ url: postgres.url, log, pauseMs: LONG_PAUSE_MS });
    await slow.turn(0, signal);
    const watcher = new pg.Client({ connectionString: postgres.url });
    await watcher.connect();
    onTestFinished(() => watcher.end());
    const holders = async () => {
      const { rows } = await watcher.query(
        `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return rows.length;
    };
    await expect.poll(holders, SOON).toBe(0);
    const module = new URL('../../../src/services/cells/identify-turns.ts', import.meta.url).href;
    const script = `const { createIdentifyTurns } = await import(${JSON.stringify(module)});
      const log = { warn() {} };
      await createIdentifyTurns({ url: ${JSON.stringify(postgres.url)}, log, pauseMs: ${LONG_PAUSE_MS} }).turn(0, new AbortController().signal);`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    await expect.poll(holders, SOON).toBe(1);
    child.kill('SIGSTOP');
    await open().turn(0, signal);
  });

  it.each(['set_config', 'pg_advisory_lock', 'INSERT'])(
    'is asked for again where a connection stands still at %s',
    async (text) => {
      const proxy = await startStallingProxy(postgres.url, text);
      await createIdentifyTurns({ url: proxy.url, log, pauseMs: PAUSE_MS }).turn(0, signal);
      expect(proxy.hasStalled()).toBe(true);
    },
  );

  it('outlasts the time after which a lock is asked for again', async () => {
    const slow = createIdentifyTurns({ url: postgres.url, log, pauseMs: 4 * PAUSE_MS });
    await slow.turn(0, signal);
    const warned: unknown[] = [];
    const told = { ...log, warn: (fields: unknown) => void warned.push(fields) } as unknown as typeof log;
    const second = createIdentifyTurns({ url: postgres.url, log: told, pauseMs: PAUSE_MS });
    await Promise.all([slow.turn(0, signal), second.turn(0, signal)]);
    expect(warned).toEqual([]);
  });

  it('is asked for again while PostgreSQL is away', async () => {
    await postgres.server.kill();
    const turn = open().turn(0, signal);
    await postgres.server.start();
    await turn;
  });
});
