import { describe, expect, test } from 'vitest';
import { VOICES } from '../../../src/speech-service/api/catalogue.ts';
import { instantEngine, runningService, send } from '../running-service.ts';

const ENDPOINTS = [
  ['POST', '/api/v1/speech'],
  ['GET', '/api/v1/voices'],
  ['GET', '/api/v1/models'],
  ['GET', '/api/v1/billing'],
  ['GET', '/api/v1/openapi'],
] as const;
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
  test.each(ENDPOINTS)('%s %s without a key is 401 invalid_api_key', async (method, path) => {
    const service = await silent();
    const reply = await service.call(method, path, { key: null });
    expect(refusal(reply)).toEqual({
      status: 401,
      code: 'invalid_api_key',
      type: 'authentication_error',
      param: 'authorization',
    });
    expect(reply.headers['request-id']).toMatch(REQUEST_ID);
  });

  test.each(['Bearer wrong', 'Bearer', 'Basic abc', 'wrong', 'Bearer a b'])('%j is refused', async (authorization) => {
    const service = await silent();
    const reply = await service.call('GET', '/api/v1/models', { key: null, headers: { authorization } });
    expect(refusal(reply)).toMatchObject({ status: 401, code: 'invalid_api_key' });
    expect(JSON.stringify(reply.body)).not.toContain('wrong');
  });

  test('the key is checked before the body is', async () => {
    const service = await silent();
    const reply = await service.call('POST', '/api/v1/speech', { key: 'wrong', body: '{' });
    expect(reply.status).toBe(401);
  });

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
  test('is on every response, of its own each time, whatever the client sends', async () => {
    const service = await silent();
    const headers = { 'request-id': 'req_crier_00000000000000000000000000000000' };
    const replies = await Promise.all([
      ...ENDPOINTS.map(([method, path]) => service.call(method, path, { headers })),
      service.call('GET', '/nowhere', { headers }),
      service.call('DELETE', '/api/v1/speech', { headers }),
      service.speak(HELLO),
    ]);
    const ids = replies.map((reply) => String(reply.headers['request-id']));
    for (const id of ids) expect(id).toMatch(REQUEST_ID);
    expect(new Set([...ids, headers['request-id']]).size).toBe(ids.length + 1);
  });

  test('is also on audio downloads and on bytes that are not HTTP', async () => {
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

  test('voices of all five families, with stable unique UUIDs and names shared between families', async () => {
    const service = await silent();
    const { body } = await service.call('GET', '/api/v1/voices');
    const voices: { id: string; name: string; model: string; formats: string[]; supports_style: boolean }[] = body.data;
    expect(new Set(voices.map((voice) => voice.model))).toEqual(
      new Set(['gpro', 'gpro31', 'gpro38', 'ext', 'orpheus']),
    );
    expect(new Set(voices.map((voice) => voice.id)).size).toBe(voices.length);
    expect(voices.find((voice) => voice.name === 'aria' && voice.model === 'gpro')?.id).toBe(
      '6ec386ca-4dd3-5ee5-925a-f3555b572acf',
    );
    for (const voice of voices)
      expect(voice.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(voices.filter((voice) => voice.name === 'aria').map((voice) => voice.model)).toEqual([
      'gpro',
      'gpro31',
      'gpro38',
      'ext',
    ]);
    const documented = (model: string) => voices.find((voice) => voice.model === model);
    expect(documented('gpro')).toMatchObject({ formats: ['wav'], supports_style: true, language: 'multiple' });
    expect(documented('ext')).toMatchObject({ formats: ['mp3', 'wav'], supports_style: false, language: 'multiple' });
    expect(documented('orpheus')).toMatchObject({ formats: ['mp3'], supports_style: false, language: 'en-GB 🇬🇧' });
  });

  test('models tell their limit and formats', async () => {
    const service = await silent();
    const { body } = await service.call('GET', '/api/v1/models');
    expect(body.data).toContainEqual(
      expect.objectContaining({ id: 'orpheus', max_input_length: 500, supported_formats: ['mp3'] }),
    );
    expect(body.data).toHaveLength(5);
  });

  test('billing tells the balance, falling by the used credits, and the last top-up', async () => {
    const service = await silent();
    const before = (await service.call('GET', '/api/v1/billing')).body;
    const { body: spoken } = await service.speak(HELLO);
    service.ledger.topUp(1_000, 'A test');
    const after = (await service.call('GET', '/api/v1/billing')).body;
    expect(spoken).toMatchObject({ credits_used: 5, credits_remaining: before.creditsLeft - 5 });
    expect(after.creditsLeft).toBe(before.creditsLeft - 5 + 1_000);
    expect(after.lastBillingTransaction).toMatchObject({ type: 'topup', amount: 1_000, description: 'A test' });
    expect(before.lastBillingTransaction).toMatchObject({ type: 'purchase' });
  });
});

describe('POST /api/v1/speech refuses', () => {
  const long = 'x'.repeat(1_001);
  test.each<[what: string, body: unknown, error: { status: number; code: string; param: string | null }]>([
    ['no JSON', '{"input":', { status: 400, code: 'invalid_request', param: null }],
    ['no body', '', { status: 400, code: 'invalid_request', param: null }],
    ['an array', [], { status: 400, code: 'invalid_request', param: null }],
    ['no input', { voice: 'aria', model: 'gpro' }, { status: 400, code: 'invalid_request', param: 'input' }],
    ['empty input', { ...HELLO, input: '' }, { status: 400, code: 'invalid_request', param: 'input' }],
    ['blank input', { ...HELLO, input: ' \n' }, { status: 400, code: 'invalid_request', param: 'input' }],
    ['input of another type', { ...HELLO, input: 1 }, { status: 400, code: 'invalid_request', param: 'input' }],
    ['an unknown field', { ...HELLO, pitch: 1 }, { status: 400, code: 'invalid_request', param: 'pitch' }],
    ['null for style', { ...HELLO, style: null }, { status: 400, code: 'invalid_request', param: 'style' }],
    ['null for seed', { ...HELLO, seed: null }, { status: 400, code: 'invalid_request', param: 'seed' }],
    ['a broken seed', { ...HELLO, seed: 1.5 }, { status: 400, code: 'invalid_request', param: 'seed' }],
    [
      'temperature below 0',
      { ...HELLO, temperature: -0.1 },
      { status: 400, code: 'invalid_request', param: 'temperature' },
    ],
    [
      'temperature above 2',
      { ...HELLO, temperature: 2.1 },
      { status: 400, code: 'invalid_request', param: 'temperature' },
    ],
    [
      'temperature out of range for a model that ignores it',
      { input: 'a', voice: 'ivy', model: 'orpheus', temperature: 3 },
      { status: 400, code: 'invalid_request', param: 'temperature' },
    ],
    [
      'speed out of range for a model that ignores it',
      { ...HELLO, speed: 1.6 },
      { status: 400, code: 'invalid_request', param: 'speed' },
    ],
    ['speed below 0.7', { ...HELLO, speed: 0.69 }, { status: 400, code: 'invalid_request', param: 'speed' }],
    [
      'an unknown format',
      { ...HELLO, response_format: 'ogg' },
      { status: 400, code: 'invalid_request', param: 'response_format' },
    ],
    ['no voice at all', { input: 'a' }, { status: 400, code: 'invalid_request', param: 'voice' }],
    [
      'a voice without a model',
      { input: 'a', voice: 'aria' },
      { status: 400, code: 'invalid_request', param: 'model' },
    ],
    [
      'a model without a voice',
      { input: 'a', model: 'gpro' },
      { status: 400, code: 'invalid_request', param: 'voice' },
    ],
    [
      'voiceId together with voice',
      { input: 'a', voiceId: voiceOf('gpro').id, voice: 'aria' },
      { status: 400, code: 'invalid_request', param: 'voice' },
    ],
    [
      'voiceId together with model',
      { input: 'a', voiceId: voiceOf('gpro').id, model: 'gpro' },
      { status: 400, code: 'invalid_request', param: 'model' },
    ],
    [
      'a voiceId that is no UUID',
      { input: 'a', voiceId: 'aria' },
      { status: 400, code: 'invalid_request', param: 'voiceId' },
    ],
    [
      'an unknown voiceId',
      { input: 'a', voiceId: '00000000-0000-4000-8000-000000000000' },
      { status: 404, code: 'voice_not_found', param: 'voiceId' },
    ],
    ['an unknown name', { ...HELLO, voice: 'nobody' }, { status: 404, code: 'voice_not_found', param: 'voice' }],
    ['a name in another case', { ...HELLO, voice: 'Aria' }, { status: 404, code: 'voice_not_found', param: 'voice' }],
    ['a name of another model', { ...HELLO, voice: 'ivy' }, { status: 404, code: 'voice_not_found', param: 'voice' }],
    ['an unknown model', { ...HELLO, model: 'gpro99' }, { status: 400, code: 'model_not_found', param: 'model' }],
    ['too long a text', { ...HELLO, input: long }, { status: 400, code: 'input_too_long', param: 'input' }],
    [
      'too long a text for orpheus',
      { input: long.slice(0, 501), voice: 'ivy', model: 'orpheus' },
      { status: 400, code: 'input_too_long', param: 'input' },
    ],
    [
      'a text that is too long with its style',
      { ...HELLO, input: long.slice(0, 995), style: 'softly' },
      { status: 400, code: 'input_too_long', param: 'input' },
    ],
    [
      'MP3 from gpro',
      { ...HELLO, response_format: 'mp3' },
      { status: 400, code: 'unsupported_response_format', param: 'response_format' },
    ],
    [
      'WAV from orpheus',
      { input: 'a', voice: 'ivy', model: 'orpheus', response_format: 'wav' },
      { status: 400, code: 'unsupported_response_format', param: 'response_format' },
    ],
  ])('%s', async (_, body, error) => {
    const service = await silent();
    const before = service.ledger.account().creditsLeft;
    const reply = await service.speak(body);
    expect(refusal(reply)).toMatchObject(error);
    expect(reply.body.error.type).toBe(error.status === 404 ? 'not_found_error' : 'invalid_request_error');
    expect(Object.keys(reply.body.error).sort()).toEqual(['code', 'message', 'param', 'type']);
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

  test('only the first schema problem is told', async () => {
    const service = await silent();
    const { body } = await service.speak({ ...HELLO, temperature: 9, speed: 9 });
    expect(body.error.param).toBe('temperature');
    expect(body.error.message).not.toContain('speed');
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
  test('a voice by id and by name with model, with the same result', async () => {
    const service = await runningService();
    const byName = await service.listen({ input: 'Hello', voice: 'aria', model: 'gpro31' });
    const byId = await service.listen({ input: 'Hello', voiceId: voiceOf('gpro31').id });
    const byUpperCaseId = await service.listen({ input: 'Hello', voiceId: voiceOf('gpro31').id.toUpperCase() });
    expect(byId).toEqual(byName);
    expect(byUpperCaseId).toEqual(byName);
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

  test('gpro38 names the 3.8 flash model as the one that ran', async () => {
    const service = await silent();
    expect((await service.speak({ ...HELLO, model: 'gpro38' })).body.usage.model).toMatch(/3\.8-flash/);
  });

  test('parameters that a model ignores, without a difference in the audio', async () => {
    const service = await runningService();
    const plain = await service.listen({ input: 'Hello', voice: 'ash', model: 'ext', response_format: 'wav' });
    const ignored = { style: 'whisper', seed: 7, temperature: 2 };
    expect(
      await service.listen({ input: 'Hello', voice: 'ash', model: 'ext', response_format: 'wav', ...ignored }),
    ).toEqual(plain);
    const gpro = await service.listen(HELLO);
    expect(await service.listen({ ...HELLO, speed: 1.5 })).toEqual(gpro);
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
