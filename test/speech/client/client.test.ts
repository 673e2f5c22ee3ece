import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  BACKOFF_CEILING_MS,
  createQuotas,
  createSpeechClient,
  decideRetry,
  type FailedAttempt,
  FIRST_QUOTA_WAIT_MS,
  MAX_ATTEMPTS_ON_TROUBLE,
  MAX_QUOTA_WAIT_MS,
} from '../../../src/speech/client/client.ts';
import { SpeechError, type SpeechErrorKind } from '../../../src/speech/errors.ts';
import { silentLog } from '../../silent-log.ts';
import { KEY, request, startHarness, TEXT, VOICE_ID } from './client-harness.ts';
import { failure, goodSpeech, json, REQUEST_ID, raw } from './scripted-server.ts';

const named = { id: VOICE_ID, name: 'anna', model: 'gpro' };
const voice = { ...named, language: 'multiple', formats: ['wav'], supports_style: true };

describe('speaking', () => {
  it('posts the request with the key and gives what the service said', async () => {
    const h = await startHarness([json(200, goodSpeech)]);
    await expect(h.client.speak(request)).resolves.toEqual({
      audioUrl: new URL('https://audio.example/clip.mp3'),
      creditsUsed: 12,
      creditsRemaining: 988,
      inputCharacters: 12,
      model: 'provider-model-long-name',
      requestId: REQUEST_ID,
      warnings: [],
    });
    const [sent] = h.server.received;
    expect(sent).toMatchObject({ method: 'POST', path: '/api/v1/speech' });
    expect(sent?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'user-agent': 'crier',
      'content-length': String(Buffer.byteLength(sent?.body ?? '')),
    });
    expect(JSON.parse(sent?.body ?? '')).toEqual({ input: TEXT, voiceId: VOICE_ID });
    await h.client.speak({ ...request, input: 'Grüße, 今日は 👨‍👩‍👧‍👦' });
    expect(JSON.parse(h.server.received[1]?.body ?? '').input).toBe('Grüße, 今日は 👨‍👩‍👧‍👦');
  });

  it('refuses a bad request before anything is sent', async () => {
    const h = await startHarness([json(200, goodSpeech)]);
    const error = await h.failed(h.client.speak({ ...request, temperature: 3, speed: 9 }));
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'speed', creditsMayBeSpent: false });
    expect(error.issues).toHaveLength(2);
    const format = await h.failed(h.client.speak({ ...request, responseFormat: 'mp3' }));
    expect(format.kind).toBe('unsupported-format');
    expect(h.server.received).toEqual([]);
  });

  it.each([
    ['is not JSON', raw(200, '<html>welcome</html>', { 'request-id': REQUEST_ID })],
    ['has an address of another kind', json(200, { ...goodSpeech, url: 'file:///etc/passwd' })],
  ])('says that credits may be spent when a good answer %s', async (_, answer) => {
    const h = await startHarness([answer]);
    const failure = { kind: 'bad-response', status: 200, requestId: REQUEST_ID, creditsMayBeSpent: true };
    await expect(h.speakFails()).resolves.toMatchObject({ ...failure, retryable: false });
    expect(h.server.received).toHaveLength(1);
  });
});

describe('reading', () => {
  it('lists voices and leaves out what cannot be one', async () => {
    const next = { ...voice, model: 'next' };
    const h = await startHarness([json(200, { data: [voice, { id: 1 }, null, { ...next, new: 1 }] })]);
    await expect(h.client.voices()).resolves.toEqual({ voices: [voice, next], requestId: REQUEST_ID });
    expect(h.server.received[0]).toMatchObject({ method: 'GET', path: '/api/v1/voices', body: '' });
  });

  it('reads the balance and never the metadata of a payment, and takes other fields of no known shape', async () => {
    const last = { id: 't', type: 'topup', amount: 5, created_at: '2026-01-01T00:00:00Z' };
    const balance = { creditsLeft: 7, lastUpdated: null, userId: 'u' };
    const paid = { ...balance, lastBillingTransaction: { ...last, metadata: { card: '4242' } } };
    const odd = { creditsLeft: 7, userId: 9, lastBillingTransaction: 'x' };
    const h = await startHarness([json(200, paid), json(200, odd)]);
    const requestId = REQUEST_ID;
    await expect(h.client.billing()).resolves.toEqual({ ...balance, lastBillingTransaction: last, requestId });
    const nothing = { lastUpdated: null, userId: null, lastBillingTransaction: null };
    await expect(h.client.billing()).resolves.toEqual({ creditsLeft: 7, ...nothing, requestId });
  });
});

describe('the connection', () => {
  it('is kept between calls', async () => {
    const h = await startHarness([json(200, { data: [] })]);
    for (const read of [h.client.voices, h.client.models, h.client.voices]) {
      await read();
      // The connection is free again one turn of the event loop after the answer's end.
      await setImmediate();
    }
    expect(h.server.connections()).toBe(1);
  });

  it('does not carry the key elsewhere: redirects are not followed', async () => {
    const other = await startHarness([json(200, goodSpeech)]);
    const h = await startHarness([raw(307, '', { location: `${other.server.url}/api/v1/speech` })]);
    const failure = { kind: 'bad-response', status: 307, creditsMayBeSpent: false };
    await expect(h.speakFails()).resolves.toMatchObject(failure);
    await expect(h.failed(h.client.voices())).resolves.toMatchObject(failure);
    expect(other.server.received).toEqual([]);
  });

  it('takes no answer larger than it has use for', async () => {
    const h = await startHarness([raw(200, `{"data":[]}${' '.repeat(9 * 1024 * 1024)}`, { 'request-id': REQUEST_ID })]);
    expect((await h.failed(h.client.voices())).kind).toBe('bad-response');
    expect(h.server.received).toHaveLength(1);
  });

  it('takes a key between blanks, another prefix and another name', async () => {
    const options = { apiKey: `  ${KEY}\n`, authHeaderPrefix: 'Token', userAgent: 'mine/1' };
    const h = await startHarness([json(200, { data: [] })], options);
    await h.client.voices();
    const headers = { authorization: `Token ${KEY}`, 'user-agent': 'mine/1' };
    expect(h.server.received).toMatchObject([{ headers }]);
  });

  it.each(['', 'two\nlines', 'ключ'])('refuses a key that cannot be one (%j) without repeating it', (apiKey) => {
    const create = () => createSpeechClient({ baseUrl: 'http://127.0.0.1:1', apiKey, log: silentLog });
    expect(create).toThrow(TypeError);
    expect(create).not.toThrow(/lines|ключ/);
  });
});

describe('the log', () => {
  it('has one line per call with method, path, status, request id, attempts and duration', async () => {
    const h = await startHarness([failure(503, 'provider_unavailable'), json(200, goodSpeech)]);
    const speaking = h.client.speak(request);
    await h.clock.elapse(375);
    await speaking;
    const call = { method: 'POST', path: '/api/v1/speech', status: 200, requestId: REQUEST_ID };
    const logged = h.lines.filter((line) => Number(line.level) >= 30);
    expect(logged).toMatchObject([{ ...call, attempts: 2, durationMs: 375 }]);
  });

  it('holds neither the key nor the text, whatever the service says', async () => {
    const echo = json(400, { error: { message: `${KEY} cannot say ${TEXT}`, code: 'invalid_request' } });
    const h = await startHarness([echo, json(200, goodSpeech)]);
    const error = await h.speakFails();
    await h.client.speak({ ...request, style: 'secret style' });
    const written = JSON.stringify([h.lines, error, { ...error }, error.message, error.stack]);
    for (const secret of [KEY, TEXT, 'secret style']) expect(written).not.toContain(secret);
  });
});

it('a server that speaks no HTTP is a network error, and a POST to it may have been billed', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).end('220 smtp.example ESMTP\r\n'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const h = await startHarness([], { baseUrl: `http://127.0.0.1:${port}` });
  await expect(h.speakFails()).resolves.toMatchObject({ kind: 'network', creditsMayBeSpent: true, retryable: false });
  server.close();
});

describe('the circuit of an upstream quota', () => {
  const told = { status: 429, requestId: 'req_1', serverMessage: 'The quota of the spoken words is used up' };
  const usedUp = (retryAfterMs?: number) =>
    new SpeechError({ kind: 'quota-exceeded', message: 'quota', ...told, retryAfterMs });

  /** Circuits with what they tell the operator. */
  function setUp() {
    const changes: object[] = [];
    const note = (facts: object) => void changes.push(facts);
    return { quotas: createQuotas({ debug: note, info: note, warn: note }), changes };
  }

  // The circuits measure with Date.now().
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

  it('opens at the first used-up quota, says when it will try again, and silences no other model', () => {
    const { quotas, changes } = setUp();
    expect(quotas.open('gpro', usedUp())).toMatchObject({ ...told, retryAfterMs: FIRST_QUOTA_WAIT_MS });
    pass(60_000);
    const retryAfterMs = FIRST_QUOTA_WAIT_MS - 60_000;
    expect(() => quotas.check('gpro')).toThrow(expect.objectContaining({ kind: 'quota-exceeded', retryAfterMs }));
    expect(quotas.retryAfterMs('gpro')).toBe(retryAfterMs);
    // Another call of the same moment.
    quotas.open('gpro', usedUp());
    quotas.check('ext');
    expect(changes).toEqual([{ quotaOf: 'gpro', isUsedUp: true, retryAfterMs: FIRST_QUOTA_WAIT_MS }]);
  });

  it('tries again after the wait and closes when the quota is back', () => {
    const { quotas, changes } = setUp();
    quotas.open('gpro', usedUp());
    pass(FIRST_QUOTA_WAIT_MS);
    quotas.check('gpro');
    quotas.close('gpro');
    quotas.close('gpro');
    expect(changes).toMatchObject([{ isUsedUp: true }, { isUsedUp: false }]);
  });

  it('waits twice as long after each further failure, up to the longest, and as long as the service announces', () => {
    const { quotas } = setUp();
    const waits = Array.from({ length: 9 }, () => {
      const wait = quotas.open('gpro', usedUp()).retryAfterMs ?? 0;
      pass(wait);
      return wait;
    });
    expect(waits.map((wait) => wait / 60_000)).toEqual([5, 10, 20, 40, 80, 160, 320, 360, 360]);
    expect(waits.at(-1)).toBe(MAX_QUOTA_WAIT_MS);
    expect(quotas.open('gpro', usedUp(30_000)).retryAfterMs).toBe(30_000);
  });
});

type Facts = Partial<FailedAttempt> & Partial<SpeechError>;

function failed(kind: SpeechErrorKind, facts: Facts): FailedAttempt {
  const { status, retryAfterMs, creditsMayBeSpent, retryable, ...attempt } = facts;
  return {
    error: new SpeechError({ kind, message: 'no', status, retryAfterMs, creditsMayBeSpent, retryable }),
    method: 'POST',
    attempts: 1,
    previousDelayMs: 0,
    remainingMs: 120_000,
    random: 0.5,
    ...attempt,
  };
}

const GET = { method: 'GET' } as const;
const SAFE = { retryable: true } as const;
const MANY = { attempts: MAX_ATTEMPTS_ON_TROUBLE };
const SPENT = { creditsMayBeSpent: true } as const;

/** The wait until the next attempt in milliseconds, or why there is none. */
it.each<[string, SpeechErrorKind, Facts, number | string]>([
  ['any 503', 'unavailable', { status: 503 }, 375],
  ['a 503, at the soonest: half of the ceiling', 'unavailable', { status: 503, random: 0 }, 250],
  ['a 503, at the latest: the ceiling', 'unavailable', { status: 503, random: 1 }, 500],
  ['many 503, whose ceiling stays', 'unavailable', { status: 503, attempts: 12, random: 1 }, BACKOFF_CEILING_MS],
  ['a 503 at the third attempt', 'unavailable', { status: 503, attempts: 3 }, 1500],
  ['a 503 with Retry-After', 'unavailable', { status: 503, retryAfterMs: 3000 }, 3000],
  ['a 503 after a longer wait', 'unavailable', { status: 503, attempts: 6, previousDelayMs: 8000, random: 0 }, 8000],
  ['a 503 after an announced wait', 'unavailable', { status: 503, attempts: 2, previousDelayMs: 30_000 }, 10_000],
  ['a 503 with a short Retry-After', 'unavailable', { status: 503, retryAfterMs: 100, attempts: 3 }, 1500],
  ['a 503 with no time left', 'unavailable', { status: 503, remainingMs: 250 }, 'deadline'],
  ['a refused connection', 'network', SAFE, 375],
  ['a connection refused too often', 'network', { ...SAFE, ...MANY }, 'attempts-used-up'],
  ['an untrusted certificate', 'network', {}, 'not-retryable'],
  ['a POST whose answer was lost', 'network', SPENT, 'may-be-billed'],
  ['a POST that a gateway answered 502', 'server-error', { status: 502, ...SPENT }, 'may-be-billed'],
  ['a 500 to a POST: the caller chooses', 'server-error', { status: 500, ...SAFE }, 'not-retryable'],
  ['a 500 to a GET', 'server-error', { status: 500, ...SAFE, ...GET }, 375],
  ['a rate limit with the announced time', 'rate-limited', { status: 429, retryAfterMs: 7000 }, 7000],
  ['a rate limit lifted now', 'rate-limited', { status: 429, retryAfterMs: 0 }, 0],
  ['a rate limit without a time', 'rate-limited', { status: 429 }, 375],
  ['a rate limit beyond the deadline', 'rate-limited', { status: 429, retryAfterMs: 120_000 }, 'deadline'],
  ['a used-up upstream quota', 'quota-exceeded', { status: 429, retryAfterMs: 1000 }, 'not-retryable'],
  ['a wrong key', 'invalid-api-key', { status: 401, ...GET }, 'not-retryable'],
])('after %s', (_, kind, facts, decision) => {
  expect(decideRetry(failed(kind, facts))).toEqual(
    typeof decision === 'number' ? { retry: true, delayMs: decision } : { retry: false, why: decision },
  );
});
