import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, prepareDatabase } from '../../../src/services/storage/postgres/connections.ts';
import { programEnv } from '../../program-environment.ts';
import { isPostgresMissing, type PostgresServer, startPostgres } from '../storage/postgres/postgres-server.ts';
import { randomBelow } from './random-below.ts';
import type { SpenderOptions, SpenderStep } from './spender-process.ts';

const log = pino({ level: 'silent' });
const PROGRAM = join(import.meta.dirname, 'spender-process.ts');
const PROCESSES = 8;
const ATTEMPTS = 10_000;
/** Longer than a restart of PostgreSQL takes, also on a busy machine. */
const LEASE_MS = 10_000;
const DAY = '2026-11-21';
const LIMITS = { total: 250_000_000, server: 62_000_000, member: 19_000_000 };
const DEADLINE_MS = 240_000;

/** At each reservation, what is counted then for everybody, the server and the member. */
const AUDIT = `
  CREATE TABLE audit (total BIGINT, server BIGINT, member BIGINT);
  CREATE FUNCTION audit_reservation() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit SELECT
      (SELECT millicredits FROM crier.spending_days WHERE guild_id = '' AND user_id = '' AND day = NEW.day),
      (SELECT millicredits FROM crier.spending_days WHERE guild_id = NEW.guild_id AND user_id = '' AND day = NEW.day),
      (SELECT millicredits FROM crier.spending_days WHERE guild_id = '' AND user_id = NEW.user_id AND day = NEW.day);
    RETURN NULL; END $$;
  CREATE TRIGGER audit AFTER INSERT ON crier.spending_reservations FOR EACH ROW EXECUTE FUNCTION audit_reservation();`;

describe.skipIf(isPostgresMissing)('many processes that spend', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  it(
    'reserve nothing past a limit and leak nothing, though they and PostgreSQL are killed at any moment',
    async () => {
      const url = await server.createDatabase();
      await prepareDatabase(url);
      const pool = openPool({ url, log });
      await pool.query(AUDIT);
      const random = randomBelow(7);
      const settled = new Map<number, number>();
      const counts = { attempts: 0, refused: 0, late: 0, killed: 0 };
      let shards = 0;
      let restarting: Promise<void> | undefined;

      function take(step: SpenderStep): void {
        if (step.step === 'attempt') counts.attempts += 1;
        else if (step.step === 'refused') counts.refused += 1;
        else if (step.step === 'late') counts.late += 1;
        else settled.set(step.id, step.millicredits);
      }

      /** Runs a process, and kills it once it has made a random number of steps; anew until all attempts are made. */
      async function keepSpending(): Promise<void> {
        while (counts.attempts < ATTEMPTS) {
          shards += 1;
          const options: SpenderOptions = {
            ...{ url, day: DAY, limits: LIMITS, leaseMs: LEASE_MS },
            ...{ shard: shards, attempts: ATTEMPTS / PROCESSES },
          };
          const child: ChildProcess = spawn(process.execPath, [PROGRAM, JSON.stringify(options)], {
            stdio: ['ignore', 'pipe', 'inherit'],
            env: programEnv,
          });
          const endAfter = 200 + random(1_500);
          let steps = 0;
          if (!child.stdout) throw new Error('It has an output');
          const lines = createInterface({ input: child.stdout });
          const ended = once(child, 'exit');
          lines.on('line', (line) => {
            take(JSON.parse(line) as SpenderStep);
            steps += 1;
            if (counts.attempts === ATTEMPTS / 2) restarting ??= server.restart();
            if (steps === endAfter || counts.attempts === ATTEMPTS) child.kill('SIGKILL');
          });
          await Promise.all([ended, once(lines, 'close')]);
          if (child.signalCode === 'SIGKILL') counts.killed += 1;
          else expect(child.exitCode).toBe(0);
        }
      }

      await Promise.all(Array.from({ length: PROCESSES }, keepSpending));
      await restarting;
      // A cell that lives recovers what those have left, once their leases are over.
      const open = async () =>
        Number(
          (await pool.query("SELECT count(*) FROM crier.spending_reservations WHERE state = 'reserved'")).rows[0]
            ?.count,
        );
      await expect
        .poll(() => pool.query('SELECT crier.spending_recover()').then(open), { timeout: 30_000, interval: 200 })
        .toBe(0);

      const audit = (
        await pool.query(
          'SELECT max(total) AS total, max(server) AS server, max(member) AS member, count(*) FROM audit',
        )
      ).rows[0];
      const lost = (await pool.query('SELECT id, millicredits FROM crier.spending_reservations')).rows;
      const lostIds = new Set(lost.map(({ id }) => Number(id)));
      const billed = [...settled].filter(([id]) => !lostIds.has(id)).reduce((sum, [, amount]) => sum + amount, 0);
      const expected = billed + lost.reduce((sum, { millicredits }) => sum + Number(millicredits), 0);
      const sumOf = async (whose: string) =>
        Number((await pool.query(`SELECT sum(millicredits) FROM crier.spending_days WHERE ${whose}`)).rows[0]?.sum);
      const sums = await Promise.all(
        [
          "guild_id = '' AND user_id = ''",
          "guild_id = '' AND user_id <> ''",
          "guild_id <> '' AND user_id = ''",
          "guild_id <> '' AND user_id <> ''",
        ].map(sumOf),
      );
      console.info({ ...counts, made: Number(audit.count), lost: lost.length, ...audit });
      await pool.end();

      expect(counts.attempts).toBeGreaterThanOrEqual(ATTEMPTS);
      expect(counts.killed).toBeGreaterThan(PROCESSES);
      expect(counts.late).toBeGreaterThan(0);
      // All three limits were reached, or this says little.
      expect(counts.refused).toBeGreaterThan(100);
      for (const scope of ['total', 'server', 'member'] as const) {
        expect(Number(audit[scope]), scope).toBeLessThanOrEqual(LIMITS[scope]);
        expect(Number(audit[scope]), scope).toBeGreaterThan(LIMITS[scope] * 0.99);
      }
      expect(sums).toEqual(sums.map(() => expected));
    },
    DEADLINE_MS,
  );
});
