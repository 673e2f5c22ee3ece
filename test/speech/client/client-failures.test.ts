import { PassThrough } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../src/app/log.ts';
import type { CallProgress } from '../../../src/speech/client/client.ts';
import { request, startHarness } from './client-harness.ts';
import { dropped, failure, goodSpeech, json, REQUEST_ID } from './scripted-server.ts';

const spoken = expect.objectContaining({ creditsUsed: 12 });

describe('an attempt that must not be made', () => {
  it('sends nothing, rejects with the reason given, and leaves its turn to the next call', async () => {
    const h = await startHarness([json(200, goodSpeech)]);
    const reason = new Error('Another process pays now');
    await expect(h.client.speak(request, { beforeAttempt: () => Promise.reject(reason) })).rejects.toBe(reason);
    expect(h.server.received).toEqual([]);
    await expect(h.client.speak(request)).resolves.toEqual(spoken);
  });

  it('is asked about before each one', async () => {
    const h = await startHarness([failure(503, 'provider_unavailable')]);
    const reason = new Error('Another process pays now');
    const beforeAttempt = vi.fn().mockResolvedValueOnce(undefined).mockRejectedValueOnce(reason);
    const rejected = expect(h.client.speak(request, { beforeAttempt })).rejects.toBe(reason);
    await h.clock.elapse(375);
    await rejected;
    expect(h.server.received).toHaveLength(1);
  });
});

describe('a server that ends', () => {
  it('is not waited for, and what it may have billed is not sent again', async () => {
    const end = new AbortController();
    const h = await startHarness([() => end.abort()], { serverEnd: async () => end.signal });
    const error = await h.speakFails();
    expect(error).toMatchObject({ kind: 'network', creditsMayBeSpent: true, retryable: false });
    expect(h.server.received).toHaveLength(1);
  });

  it('has nothing sent to its address until it is back', async () => {
    const ends = [AbortSignal.abort(), new AbortController().signal];
    const serverEnd = async () => ends.shift() ?? AbortSignal.abort();
    const h = await startHarness([json(200, goodSpeech)], { serverEnd });
    const speaking = h.client.speak(request);
    await h.clock.elapse(375);
    await expect(speaking).resolves.toEqual(spoken);
    expect(h.server.received).toHaveLength(1);
  });
});

describe('a 503', () => {
  it('for 25 s ends in speech, and the progress says for how long it has been tried', async () => {
    const h = await startHarness([failure(503, 'provider_unavailable')]);
    const progress: CallProgress[] = [];
    const speaking = h.client.speak(request, { onProgress: (step) => progress.push(step) });
    for (const wait of [375, 750, 1500, 3000, 6000, 7500]) await h.clock.elapse(wait);
    await vi.waitFor(() => expect(h.server.received).toHaveLength(7));
    h.server.script(json(200, goodSpeech));
    await h.clock.elapse(7500);
    await expect(speaking).resolves.toEqual(spoken);
    expect(new Set(h.server.received.map(({ body }) => body)).size).toBe(1);
    const sent = { kind: 'sent' };
    const waiting = (triedForMs: number) => ({ kind: 'waiting', reason: 'unavailable', triedForMs });
    const tries = [0, 375, 1125, 2625, 5625, 11_625, 19_125].flatMap((triedForMs) => [sent, waiting(triedForMs)]);
    expect(progress).toEqual([...tries, sent]);
  });

  it.each([
    ['after a minute', {}, 12],
    ['for a file after the deadline of two', { retryForMs: Number.POSITIVE_INFINITY }, 20],
    ['where the caller says so', { retryForMs: 1000 }, 2],
  ])('that does not end is reported %s', async (_, options, attempts) => {
    const h = await startHarness([failure(503, 'provider_unavailable')]);
    const failed = h.speakFails(options);
    const waits = [375, 750, 1500, 3000, 6000, ...Array.from({ length: 50 }, () => 7500)];
    for (const wait of waits.slice(0, attempts - 1)) await h.clock.elapse(wait);
    const reported = { kind: 'unavailable', retryable: true, requestId: REQUEST_ID, creditsMayBeSpent: false };
    await expect(failed).resolves.toMatchObject(reported);
    expect(h.server.received).toHaveLength(attempts);
  });

  it('stops at once when the caller does', async () => {
    const h = await startHarness([failure(503, 'provider_unavailable')]);
    const controller = new AbortController();
    const failed = h.speakFails({ signal: controller.signal });
    await vi.waitFor(() => expect(h.clock.pending()).toContain(375));
    controller.abort();
    await expect(failed).resolves.toMatchObject({ kind: 'aborted', creditsMayBeSpent: false });
    expect(h.clock.pending()).toEqual([]);
  });
});

describe('the rate limit', () => {
  it('is waited out by the announced ISO time, then tried again', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const h = await startHarness([]);
    const headers = { 'x-ratelimit-reset-requests': new Date(Date.now() + 7000).toISOString(), date: '' };
    h.server.script(failure(429, 'rate_limit_exceeded', headers), json(200, goodSpeech));
    const speaking = h.client.speak(request);
    await h.clock.elapse(7000);
    await expect(speaking).resolves.toEqual(spoken);
  });

  it('that leaves no turn within the deadline refuses at once, and nothing was sent', async () => {
    const h = await startHarness([json(200, { data: [] }, { 'x-ratelimit-remaining-requests': '0' })]);
    await h.client.voices();
    const limited = { kind: 'rate-limited', retryAfterMs: 1000, creditsMayBeSpent: false };
    await expect(h.speakFails({ deadlineMs: 500 })).resolves.toMatchObject(limited);
    expect(h.server.received).toHaveLength(1);
  });
});

it('an upstream quota that is used up is told to the operator with its model, which the log does not take for a secret', async () => {
  const destination = new PassThrough();
  const h = await startHarness([failure(429, 'provider_quota_exceeded')], createLog('warn', destination));
  await h.speakFails();
  const line = String(destination.read())
    .split('\n')
    .find((one) => one.includes('quota used up'));
  expect(JSON.parse(line ?? '{}')).toMatchObject({ quotaOf: 'gpro', isUsedUp: true, retryAfterMs: expect.any(Number) });
});

describe('an answer that is lost', () => {
  it.each([
    ['keeps what came', 200, { kind: 'network', status: 200, requestId: REQUEST_ID, creditsMayBeSpent: true }],
    ['is a refusal where it began as one', 402, { kind: 'insufficient-credits', creditsMayBeSpent: false }],
  ])('in its middle %s', async (_, status, error) => {
    const h = await startHarness([
      (response) => {
        response.writeHead(status, { 'request-id': REQUEST_ID, 'content-length': '500' });
        response.write('{"url":', () => response.socket?.destroy());
      },
    ]);
    await expect(h.speakFails()).resolves.toMatchObject(error);
  });

  it('is asked for again when asking costs nothing', async () => {
    const h = await startHarness([dropped, json(200, { data: [] })]);
    const listing = h.client.voices();
    await h.clock.elapse(375);
    await expect(listing).resolves.toMatchObject({ voices: [] });
  });
});

it("an attempt that never reached the service does not count against the key's rate limit", async () => {
  const oneLeft = { 'x-ratelimit-remaining-requests': '1', connection: 'close' };
  const h = await startHarness([json(200, { data: [] }, oneLeft)]);
  await h.client.voices();
  await h.server.close();
  const failed = h.speakFails();
  // Had the first attempt used up the turn, the second would wait for a whole second.
  for (const wait of [375, 750, 1500]) await h.clock.elapse(wait);
  await expect(failed).resolves.toMatchObject({ kind: 'network', creditsMayBeSpent: false, retryable: true });
  expect(h.lines.at(-1)).toMatchObject({ attempts: 4 });
});

it('the deadline and the signal end a call that gets no answer; a POST may have been billed', async () => {
  const h = await startHarness([() => {}], { requestTimeoutMs: 5000 });
  const failed = h.speakFails();
  await vi.waitFor(() => expect(h.server.received).toHaveLength(1));
  await h.clock.advance(5000);
  await expect(failed).resolves.toMatchObject({ kind: 'timeout', creditsMayBeSpent: true, retryable: false });
  const listing = h.failed(h.client.voices({ deadlineMs: 100 }));
  await vi.waitFor(() => expect(h.server.received).toHaveLength(2));
  await h.clock.advance(100);
  await expect(listing).resolves.toMatchObject({ kind: 'timeout', creditsMayBeSpent: false });
});

it('closing ends running calls, of which those that may have cost something are worth a line at info, and refuses new ones', async () => {
  const h = await startHarness([() => {}]);
  const running = [h.speakFails(), h.failed(h.client.voices())];
  await vi.waitFor(() => expect(h.server.received).toHaveLength(2));
  await Promise.all([h.client.close(), h.client.close()]);
  const [spoken] = await Promise.all(running);
  expect(spoken).toMatchObject({ kind: 'aborted', creditsMayBeSpent: true });
  const failures = h.lines.filter(({ msg }) => msg === 'Speech service call failed');
  const levels = Object.fromEntries(failures.map(({ path, level }) => [path, level]));
  expect(levels).toEqual({ '/api/v1/speech': 30, '/api/v1/voices': 20 });
  await expect(h.failed(h.client.voices())).resolves.toMatchObject({ kind: 'aborted' });
});
