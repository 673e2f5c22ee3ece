import { describe, expect, test } from 'vitest';
import { API_ERRORS } from '../../../src/speech-service/api/api-error.ts';
import { VOICES } from '../../../src/speech-service/api/catalog.ts';
import { instantEngine, runningService, send } from '../running-service.ts';

const REQUEST_ID = /^req_crier_[0-9a-f]{32}$/;
const HELLO = { input: 'Hello', voice: 'aria', model: 'gpro' };

const silent = () => runningService({ engine: instantEngine() });
const voiceOf = (model: string, name = 'aria') => {
  const voice = VOICES.find((candidate) => candidate.model === model && candidate.name === name);
  if (voice === undefined) throw new Error(`no voice ${name} of ${model}`);
  return voice;
};
const refusal = (reply: { status: number; body: { error: Record<string, unknown> } }) => {
  const { code, type, param } = reply.body.error;
  return { status: reply.status, code, type, param };
};

describe('authentication', () => {
  test('a revoked key stops working and a rotated one works with its new secret only', async () => {
    const service = await silent();
    const { key, secret } = service.keys.create('second');
    const status = async (candidate: string) =>
      (await service.call('GET', '/api/v1/models', { key: candidate })).status;
    expect(await status(secret)).toBe(200);
    const rotated = service.keys.rotate(key.id)?.secret ?? '';
    expect(await status(secret)).toBe(401);
    expect(await status(rotated)).toBe(200);
    service.keys.revoke(key.id);
    expect(await status(rotated)).toBe(401);
    expect(await status(service.key)).toBe(200);
  });
});

describe('request-id', () => {
  test('is on audio downloads and on bytes that are not HTTP', async () => {
    const service = await silent();
    const { body } = await service.speak(HELLO);
    expect((await send('GET', body.url, {})).headers['request-id']).toMatch(REQUEST_ID);
    const { connect } = await import('node:net');
    const answer = await new Promise<string>((resolve) => {
      const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => socket.write('HELLO\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('close', () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toMatch(/\r\nrequest-id: req_crier_[0-9a-f]{32}\r\n/);
  });
});

describe('reading endpoints', () => {
  test('an unknown path is 404 and a wrong method 405 with Allow', async () => {
    const service = await silent();
    expect(refusal(await service.call('GET', '/api/v2/voices'))).toMatchObject({ status: 404, code: 'not_found' });
    const reply = await service.call('GET', '/api/v1/speech');
    expect(refusal(reply)).toMatchObject({ status: 405, code: 'method_not_allowed' });
    expect(reply.headers.allow).toBe('POST');
  });
});

describe('POST /api/v1/speech refuses', () => {
  const long = 'x'.repeat(1_001);
  const IVY = { input: 'a', voice: 'ivy', model: 'orpheus' };
  const { id: voiceId } = voiceOf('gpro');

  // What is refused, and the field that is named; that it is refused at all is a rule of the interface (test/conformance).
  test.each<[what: string, body: unknown, code: keyof typeof API_ERRORS, param: string | null]>([
    ['no JSON', '{"input":', 'invalid_request', null],
    ['no body', '', 'invalid_request', null],
    ['an array', [], 'invalid_request', null],
    ['no input', { voice: 'aria', model: 'gpro' }, 'invalid_request', 'input'],
    ['blank input', { ...HELLO, input: ' \n' }, 'invalid_request', 'input'],
    ['an unknown field', { ...HELLO, pitch: 1 }, 'invalid_request', 'pitch'],
    ['null for a style', { ...HELLO, style: null }, 'invalid_request', 'style'],
    ['a broken seed', { ...HELLO, seed: 1.5 }, 'invalid_request', 'seed'],
    ['a temperature that the model ignores', { ...IVY, temperature: 3 }, 'invalid_request', 'temperature'],
    ['a speed that the model ignores', { ...HELLO, speed: 1.6 }, 'invalid_request', 'speed'],
    ['an unknown format', { ...HELLO, response_format: 'ogg' }, 'invalid_request', 'response_format'],
    ['no voice at all', { input: 'a' }, 'invalid_request', 'voice'],
    ['a voice without a model', { input: 'a', voice: 'aria' }, 'invalid_request', 'model'],
    ['a model without a voice', { input: 'a', model: 'gpro' }, 'invalid_request', 'voice'],
    ['voiceId together with voice', { input: 'a', voiceId, voice: 'aria' }, 'invalid_request', 'voice'],
    ['voiceId together with model', { input: 'a', voiceId, model: 'gpro' }, 'invalid_request', 'model'],
    ['a voiceId that is no UUID', { input: 'a', voiceId: 'aria' }, 'invalid_request', 'voiceId'],
    ['an unknown voiceId', { input: 'a', voiceId: voiceId.replaceAll('c', 'd') }, 'voice_not_found', 'voiceId'],
    ['a name in another case', { ...HELLO, voice: 'Aria' }, 'voice_not_found', 'voice'],
    ['a name of another model', { ...HELLO, voice: 'ivy' }, 'voice_not_found', 'voice'],
    ['an unknown model', { ...HELLO, model: 'gpro99' }, 'model_not_found', 'model'],
    ['too long a text', { ...HELLO, input: long }, 'input_too_long', 'input'],
    ['too long a text with its style', { ...HELLO, input: long.slice(6), style: 'softly' }, 'input_too_long', 'input'],
    ['WAV from orpheus', { ...IVY, response_format: 'wav' }, 'unsupported_response_format', 'response_format'],
  ])('%s', async (_, body, code, param) => {
    const service = await silent();
    const before = service.ledger.account().creditsLeft;
    const reply = await service.speak(body);
    const [status, type] = API_ERRORS[code];
    expect(refusal(reply)).toEqual({ status, code, type, param });
    expect(service.ledger.account().creditsLeft).toBe(before);
  });

  test('in the documented order: JSON, schema, voice, model, length, format, credits', async () => {
    const service = await runningService({ engine: instantEngine(), startingCredits: 3 });
    const everythingWrong = { input: long, voice: 'nobody', model: 'no', response_format: 'mp3', seed: 0.5 };
    const codes = [];
    for (const fix of [
      {},
      { seed: 1 },
      { voice: 'aria' },
      { model: 'gpro' },
      { input: 'Hello' },
      { response_format: 'wav' },
    ]) {
      Object.assign(everythingWrong, fix);
      codes.push((await service.speak(everythingWrong)).body.error.code);
    }
    expect(codes).toEqual([
      'invalid_request',
      'voice_not_found',
      'model_not_found',
      'input_too_long',
      'unsupported_response_format',
      'insufficient_credits',
    ]);
  });

  test('a body beyond all measure', async () => {
    const service = await silent();
    const reply = await service.speak({ ...HELLO, input: 'x'.repeat(300_000) });
    expect(refusal(reply)).toMatchObject({ status: 413, code: 'request_too_large' });
  });

  test('more credits than there are, with 402 and permission_error', async () => {
    const service = await runningService({ engine: instantEngine(), startingCredits: 4 });
    expect(refusal(await service.speak(HELLO))).toEqual({
      status: 402,
      code: 'insufficient_credits',
      type: 'permission_error',
      param: null,
    });
    service.ledger.topUp(1, 'Just enough');
    expect((await service.speak(HELLO)).body).toMatchObject({ credits_used: 5, credits_remaining: 0 });
  });
});

describe('POST /api/v1/speech accepts', () => {
  test('an id whatever its case', async () => {
    const service = await silent();
    expect((await service.speak({ input: 'Hello', voiceId: voiceOf('gpro').id.toUpperCase() })).status).toBe(200);
  });

  test('tags and style where they count, in UTF-16 units', async () => {
    const service = await silent();
    const billed = async (body: unknown) => (await service.speak(body)).body.usage.input_characters;
    expect(await billed({ input: '[laugh] Hi', voice: 'ash', model: 'ext' })).toBe(10);
    expect(await billed({ input: '👋', voice: 'ash', model: 'ext' })).toBe(2);
    expect(await billed({ ...HELLO, style: 'softly' })).toBeGreaterThan(5 + 6);
    expect(await billed({ ...HELLO, model: 'gpro38', style: 'softly' })).toBe(5);
    expect(await billed({ input: 'Hello', voice: 'ash', model: 'ext', style: 'softly' })).toBe(5);
    expect(await billed({ ...HELLO, input: 'x'.repeat(1_000) })).toBe(1_000);
  });
});

describe('rate limit', () => {
  test('60 requests a minute for a key, all endpoints together, then 429 until the announced time', async () => {
    let nowMs = Date.parse('2026-01-01T00:00:00Z');
    const service = await runningService({ engine: instantEngine(), requestsPerMinute: 60, now: () => nowMs });
    const other = service.keys.create('other').secret;
    const first = await service.call('GET', '/api/v1/models');
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '2026-01-01T00:00:01.000Z',
    });
    for (let i = 0; i < 58; i += 1) await service.call('GET', '/api/v1/voices');
    const last = await service.speak(HELLO);
    expect(last.status).toBe(200);
    expect(last.headers['x-ratelimit-remaining-requests']).toBe('0');
    const refused = await service.speak('not even JSON');
    expect(refusal(refused)).toEqual({
      status: 429,
      code: 'rate_limit_exceeded',
      type: 'rate_limit_error',
      param: null,
    });
    expect((await service.call('GET', '/api/v1/models', { key: other })).status).toBe(200);
    nowMs = Date.parse(String(refused.headers['x-ratelimit-reset-requests'])) - 1;
    expect((await service.call('GET', '/api/v1/models')).status).toBe(429);
    nowMs += 1;
    expect((await service.call('GET', '/api/v1/models')).status).toBe(200);
    expect((await service.call('GET', '/api/v1/models')).status).toBe(429);
    nowMs += 60_000;
    expect((await service.call('GET', '/api/v1/models')).headers['x-ratelimit-remaining-requests']).toBe('59');
  });

  test('a wrong key costs no credits', async () => {
    const service = await runningService({ engine: instantEngine(), requestsPerMinute: 1 });
    for (let i = 0; i < 5; i += 1) await service.call('GET', '/api/v1/models', { key: 'wrong' });
    expect((await service.call('GET', '/api/v1/models')).status).toBe(200);
  });
});
