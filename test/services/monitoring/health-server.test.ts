import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { request } from 'undici';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startHealthServer, startHeartbeat } from '../../../src/services/monitoring/health-server.ts';
import type { Metrics } from '../../../src/services/monitoring/metrics.ts';
import { createReadiness } from '../../../src/services/monitoring/readiness.ts';
import { silentLog } from '../../silent-log.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

async function serve({ port = 'auto' as number | 'auto', ready = true, metrics = async () => 'crier_info 1\n' } = {}) {
  const logged: Record<string, unknown>[] = [];
  const readiness = createReadiness(['discord']);
  if (ready) readiness.check('discord', () => undefined);
  const server = await startHealthServer({
    host: '127.0.0.1',
    port,
    metrics: { text: metrics, contentType: 'text/plain; version=0.0.4' } as Metrics,
    readiness,
    log: pino({ level: 'debug' }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
  });
  onTestFinished(() => server.close());
  const ask = async (path: string, method: 'GET' | 'HEAD' | 'POST' = 'GET') => {
    const answer = await request(`${server.url?.origin}${path}`, { method });
    return { status: answer.statusCode, type: String(answer.headers['content-type']), body: await answer.body.text() };
  };
  return { server, ask, logged };
}

describe('the health server', () => {
  it('serves the metrics as Prometheus asks for them, and nothing else, and takes nothing', async () => {
    const { ask } = await serve();
    const metrics = { status: 200, type: 'text/plain; version=0.0.4', body: 'crier_info 1\n' };
    for (const path of ['/metrics', '/metrics?name=x']) expect(await ask(path)).toEqual(metrics);
    for (const path of ['/', '/metrics/', '/constructor', '//evil.example/metrics', '/%']) {
      expect(await ask(path)).toMatchObject({ status: 404 });
    }
    expect(await ask('/metrics', 'POST')).toMatchObject({ status: 405 });
    expect(await ask('/readyz', 'HEAD')).toMatchObject({ status: 200, body: '' });
  });

  it('answers 200 when ready and else 503, with what is missing', async () => {
    const { ask } = await serve();
    expect(await ask('/readyz')).toMatchObject({ status: 200, body: '{"status":"ready","checks":{"discord":"ok"}}\n' });
    const starting = await serve({ ready: false });
    const { status, body } = await starting.ask('/readyz');
    expect(status).toBe(503);
    expect(JSON.parse(body)).toEqual({ status: 'not ready', checks: { discord: 'is being started' } });
  });

  it('answers 500 without a reason when the metrics fail, and logs the reason', async () => {
    const { ask, logged } = await serve({ metrics: () => Promise.reject(new Error('inner words')) });
    const { status, body } = await ask('/metrics');
    expect(status).toBe(500);
    expect(body).not.toContain('inner words');
    expect(logged.at(-1)).toMatchObject({ path: '/metrics', msg: expect.stringContaining('500') });
  });

  it('lets the bot run without it when its port is taken, and says which setting to change', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const { server, logged } = await serve({ port });
    expect(server.url).toBeUndefined();
    expect(logged).toMatchObject([{ level: 40, port, msg: expect.stringContaining('METRICS_PORT') }]);
    await server.close();
  });
});

describe('the heartbeat', () => {
  beforeEach(() => void vi.useFakeTimers());

  it('names our process from the start, for our own user alone, and comes again well within a minute', () => {
    const path = join(temporaryFolder(), 'heartbeat');
    const heartbeat = startHeartbeat({ path, log: silentLog });
    expect(readFileSync(path, 'utf8')).toBe(`${process.pid}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    rmSync(path);
    vi.advanceTimersByTime(30_000);
    expect(existsSync(path)).toBe(true);
    heartbeat.close();
    // A stopped bot does not hang.
    vi.advanceTimersByTime(60_000);
    expect(existsSync(path)).toBe(false);
  });

  it('that cannot be written is logged and harms nobody', () => {
    const warn = vi.fn();
    const heartbeat = startHeartbeat({ path: join(temporaryFolder(), 'no', 'such', 'folder'), log: { warn } as never });
    vi.advanceTimersByTime(15_000);
    expect(warn).toHaveBeenCalledTimes(2);
    heartbeat.close();
  });
});
