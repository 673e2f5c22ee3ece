import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startSelfWatch } from '../../../src/services/monitoring/self-monitoring.ts';

const HOST = '127.0.0.1';
const settle = () => vi.advanceTimersByTimeAsync(0);

function logAt(level: 'debug' | 'info') {
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk, _, done) {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  const figures = () => lines.filter(({ msg }) => msg === 'Figures').map((line) => line.figures);
  return { log: pino({ level }, stream), figures };
}

describe('the bot’s view of itself', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  it('is in the log every minute at the level debug, and once more at the end, port or no port', async () => {
    const { log, figures } = logAt('debug');
    const { metrics, close } = await startSelfWatch({ host: HOST, port: 'off', log });
    metrics.creditsUsed(3);
    metrics.creditsRemaining(97);
    expect(figures()).toEqual([]);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(figures()).toHaveLength(2);
    expect(figures()[0]).toMatchObject({
      crier_credits_used_total: 3,
      crier_credits_remaining: 97,
      process_resident_memory_bytes: expect.any(Number),
    });
    await close();
    expect(figures()).toHaveLength(3);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(figures()).toHaveLength(3);
  });

  it('is not in the log at the level info', async () => {
    const { log, figures } = logAt('info');
    const { close } = await startSelfWatch({ host: HOST, port: 'off', log });
    await vi.advanceTimersByTimeAsync(120_000);
    await close();
    expect(figures()).toEqual([]);
  });

  it('is not ready before everything that it needs has said that it is', async () => {
    const { log } = logAt('info');
    const { readiness, close } = await startSelfWatch({ host: HOST, port: 'off', log });
    const report = readiness.report();
    await settle();
    expect((await report).checks).toEqual({
      discord: 'is being started',
      commands: 'is being started',
      store: 'is being started',
      speech: 'is being started',
      joining: 'is being started',
    });
    await close();
  });
});
