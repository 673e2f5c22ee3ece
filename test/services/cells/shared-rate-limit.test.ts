import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSharedRateLimit } from '../../../src/services/cells/shared-rate-limit.ts';
import { openPool } from '../../../src/services/storage/postgres/connections.ts';
import { createSpeechClient } from '../../../src/speech/client/client.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { type SpeechService, startSpeechService } from '../../../src/speech-service/server.ts';
import { isPostgresMissing } from '../storage/postgres/postgres-server.ts';
import { sharePostgres } from '../storage/postgres/shared-server.ts';

const log = pino({ level: 'silent' });
const API_KEY = 'shared-key-0123456789abcdef';

describe.skipIf(isPostgresMissing)('the rate limit of a key that several cells use', () => {
  const postgres = sharePostgres();

  function openLimit() {
    const pool = openPool({ url: postgres.url, log, connections: 2 });
    onTestFinished(() => pool.end());
    return openSharedRateLimit({ pool, log });
  }

  async function startService(requestsPerMinute: number): Promise<SpeechService> {
    const dataDir = mkdtempSync(join(tmpdir(), 'crier-rate-'));
    const service = await startSpeechService({ dataDir, apiKey: API_KEY, requestsPerMinute });
    onTestFinished(async () => {
      await service.close();
      rmSync(dataDir, { recursive: true, force: true });
    });
    return service;
  }

  async function openClient({ url }: SpeechService, attempts: unknown[] = []) {
    const client = createSpeechClient({
      ...{ baseUrl: url, apiKey: API_KEY, requestTimeoutMs: 8_000, sharedLimit: await openLimit() },
      log: { ...log, debug: (facts: object) => void attempts.push(facts), info() {}, warn() {} },
    });
    onTestFinished(client.close);
    return client;
  }

  it('lets half a minute’s requests through in half a minute, whoever sends them, and says when there are more', async () => {
    const cells = await Promise.all([openLimit(), openLimit(), openLimit()]);
    const waits = await Promise.all(cells.flatMap(({ take }) => Array.from({ length: 20 }, () => take(60))));
    expect(waits.filter((ms) => ms === 0)).toHaveLength(30);
    for (const ms of waits.filter((wait) => wait > 0)) expect(ms).toBeLessThanOrEqual(30_000);
  });

  it('is each cell’s own while PostgreSQL does not answer', async () => {
    const { take } = await openLimit();
    postgres.server.pause();
    try {
      const startedAtMs = performance.now();
      expect(await Promise.all(Array.from({ length: 5 }, () => take(60)))).toEqual([0, 0, 0, 0, 0]);
      expect(performance.now() - startedAtMs).toBeLessThan(2_000);
    } finally {
      postgres.server.resume();
    }
  });

  it('keeps clients below what the service would refuse; a request whose turn comes too late is refused in words', async () => {
    const service = await startService(60);
    const attempts: unknown[] = [];
    const clients = await Promise.all([openClient(service, attempts), openClient(service, attempts)]);
    // Each alone would send all of its own at once: together more than the service lets through in a minute.
    const calls = clients.flatMap(({ models }) => Array.from({ length: 40 }, () => models()));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(30);
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refusals.every((error) => error instanceof SpeechError && error.kind === 'rate-limited')).toBe(true);
    // No attempt failed: the service was not asked.
    expect(attempts).toEqual([]);
  });

  it('is known to a cell that starts when the others have used more of it than the usual one allows', async () => {
    const service = await startService(600);
    const first = await openClient(service);
    await first.models();
    await Promise.all(Array.from({ length: 60 }, () => first.models()));
    const second = await openClient(service);
    await Promise.all(Array.from({ length: 20 }, () => second.models()));
  });

  it('refuses nothing to a cell before any has learned it, and counts what it sends', async () => {
    const [one, other] = [await openLimit(), await openLimit()];
    const takes = Array.from({ length: 40 }, () => one.take(undefined));
    expect(new Set(await Promise.all(takes))).toEqual(new Set([0]));
    expect(await other.take(60)).toBeGreaterThan(0);
    expect(await other.take(600)).toBe(0);
  });
});
