import { request } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { instantEngine, runningService } from './running-service.ts';

const HELLO = { input: 'Hello', voice: 'aria', model: 'gpro' };

describe('faults', () => {
  test('are all off in a fresh service', async () => {
    const service = await runningService({ engine: instantEngine() });
    expect(Object.values(service.faults).every((value) => value === 0 || (value as string[]).length === 0)).toBe(true);
  });

  test.each([
    ['unavailable', 503, 'provider_unavailable'],
    ['quota', 429, 'provider_quota_exceeded'],
    ['serverError', 500, 'server_error'],
    ['contentPolicy', 422, 'content_policy_violation'],
    ['noCredits', 402, 'insufficient_credits'],
  ] as const)(
    '%s: the next two speech requests are %i %s and cost nothing, then all is well',
    async (fault, status, code) => {
      const service = await runningService({ engine: instantEngine() });
      const before = service.ledger.account().creditsLeft;
      service.faults[fault] = 2;
      for (let i = 0; i < 2; i += 1) {
        const reply = await service.speak(HELLO);
        expect({ status: reply.status, code: reply.body.error.code }).toEqual({ status, code });
        expect(reply.headers['request-id']).toMatch(/^req_crier_/);
      }
      expect(service.ledger.account().creditsLeft).toBe(before);
      expect((await service.speak(HELLO)).status).toBe(200);
      expect((await service.call('GET', '/api/v1/models')).status).toBe(200);
    },
  );

  test('quota can be used up for one model and not for another', async () => {
    const service = await runningService({ engine: instantEngine() });
    service.faults.quota = Number.POSITIVE_INFINITY;
    service.faults.quotaModels = ['gpro38'];
    expect((await service.speak({ ...HELLO, model: 'gpro38' })).status).toBe(429);
    expect((await service.speak(HELLO)).status).toBe(200);
    expect((await service.speak({ ...HELLO, model: 'gpro38' })).status).toBe(429);
  });

  test('billedLatencyMs: whoever does not wait for the answer has paid', async () => {
    const service = await runningService({ engine: instantEngine() });
    const before = service.ledger.account().creditsLeft;
    service.faults.billedLatencyMs = 150;
    const startedAtMs = performance.now();
    const speaking = service.speak(HELLO);
    await vi.waitFor(() => expect(service.ledger.charges(1)[0]?.state).toBe('settled'), { interval: 5 });
    expect(service.ledger.account().creditsLeft).toBe(before - 5);
    expect((await speaking).status).toBe(200);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(148);
  });

  test('billedLatencyMs: an answer that is held back goes out once it no longer is', async () => {
    const service = await runningService({ engine: instantEngine() });
    service.faults.billedLatencyMs = 600_000;
    const speaking = service.speak(HELLO);
    await vi.waitFor(() => expect(service.ledger.charges(1)[0]?.state).toBe('settled'), { interval: 5 });
    service.faults.billedLatencyMs = 0;
    expect((await speaking).status).toBe(200);
  });

  test('latency: every API request takes that much longer', async () => {
    const service = await runningService({ engine: instantEngine() });
    service.faults.latencyMs = 150;
    const startedAtMs = performance.now();
    expect((await service.call('GET', '/api/v1/models')).status).toBe(200);
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(148);
  });

  test('cutAudio: the download ends in the middle', async () => {
    const service = await runningService();
    const { url } = (await service.speak(HELLO)).body;
    service.faults.cutAudio = 1;
    const response = await request(url);
    const announced = Number(response.headers['content-length']);
    let received = 0;
    const download = (async () => {
      for await (const chunk of response.body) received += (chunk as Buffer).byteLength;
    })();
    await expect(download).rejects.toThrow();
    expect(received).toBeLessThanOrEqual(announced / 2);
    expect((await request(url).then(({ body }) => body.bytes())).byteLength).toBe(announced);
  });

  test('audioBytesPerSecond: the download comes slowly and complete', async () => {
    const service = await runningService();
    const { url } = (await service.speak(HELLO)).body;
    const whole = await request(url).then(({ body }) => body.bytes());
    service.faults.audioBytesPerSecond = whole.byteLength;
    const warnings: Error[] = [];
    const take = (warning: Error) => warnings.push(warning);
    process.on('warning', take);
    onTestFinished(() => void process.off('warning', take));
    const startedAtMs = performance.now();
    const slow = await request(url).then(({ body }) => body.bytes());
    expect(performance.now() - startedAtMs).toBeGreaterThan(800);
    expect(Buffer.compare(slow, whole)).toBe(0);
    // Each piece once left a listener behind, of which Node warns.
    expect(warnings).toEqual([]);
  });
});
