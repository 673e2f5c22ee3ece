import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MODEL_IDS, modelRules } from '../../../src/speech/interface/models.ts';
import { API_ERRORS } from '../../../src/speech-service/api/api-error.ts';
import { VOICES } from '../../../src/speech-service/api/catalog.ts';
import { espeakLanguages } from '../../../src/speech-service/synthesis/embedded/language.ts';
import { HELLO, instantEngine, type Reply, runningService } from '../running-service.ts';

/* What the rules of the interface (test/conformance) leave open. */

const silent = () => runningService({ engine: instantEngine() });
const voiceIdOf = (model: string) => VOICES.find((voice) => voice.model === model)?.id ?? '';
const refusal = ({ status, body }: Reply) => {
  const { code, type, param } = body.error;
  return { status, code, type, param };
};

describe('POST /api/v1/speech refuses', () => {
  const IVY = { input: 'a', voice: 'ivy', model: 'orpheus' };

  test.each<[what: string, body: unknown, code: keyof typeof API_ERRORS, param: string]>([
    ['blank input', { ...HELLO, input: ' \n' }, 'invalid_request', 'input'],
    ['a temperature that the model ignores', { ...IVY, temperature: 3 }, 'invalid_request', 'temperature'],
    ['an unknown voiceId', { input: 'a', voiceId: randomUUID() }, 'voice_not_found', 'voiceId'],
    ['a name of another model', { ...HELLO, voice: 'ivy' }, 'voice_not_found', 'voice'],
  ])('%s, and names the field', async (_, body, code, param) => {
    const service = await silent();
    const [status, type] = API_ERRORS[code];
    expect(refusal(await service.speak(body))).toEqual({ status, code, type, param });
    expect(service.creditsSpent()).toBe(0);
  });

  test('in the documented order: JSON, schema, voice, model, length, format, credits', async () => {
    const service = await runningService({ engine: instantEngine(), startingCredits: 3 });
    let body: object = { input: 'x'.repeat(1_001), voice: 'nobody', model: 'no', response_format: 'mp3', seed: 0.5 };
    for (const [fix, code, param] of [
      [{}, 'invalid_request', 'seed'],
      [{ seed: 1 }, 'voice_not_found', 'voice'],
      [{ voice: 'aria' }, 'model_not_found', 'model'],
      [{ model: 'gpro' }, 'input_too_long', 'input'],
      [{ input: 'Hello' }, 'unsupported_response_format', 'response_format'],
      [{ response_format: 'wav' }, 'insufficient_credits', null],
    ] as const) {
      body = { ...body, ...fix };
      expect((await service.speak(body)).body.error).toMatchObject({ code, param });
    }
    expect(service.creditsSpent()).toBe(0);
  });

  test.each([
    ['今日は天気がいいですね。', 'kanji', undefined],
    // In itself Chinese.
    ['了解', 'kanji', 'ja'],
    ['សួស្តី', 'Khmer', undefined],
  ])('%j, which would be spelled out, without a bill and without a word of it', async (input, script, language) => {
    const service = await runningService({ engine: { ...instantEngine(), languages: espeakLanguages(false) } });
    const { status, body } = await service.speak({ input, voiceId: voiceIdOf('gpro'), language });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'unsupported_language', param: 'input' });
    expect(body.error.message).toContain(script);
    expect(body.error.message).not.toContain(input.slice(0, 2));
    expect(service.creditsSpent()).toBe(0);
  });
});

test.each(MODEL_IDS)('a job of %s has the parameters that the model has, and no other', async (model) => {
  const engine = instantEngine();
  const synthesize = vi.spyOn(engine, 'synthesize');
  const service = await runningService({ engine });
  const given = { style: 'calm', seed: 7, temperature: 1.5, speed: 1.2 };
  await service.speak({ input: 'Hello', voiceId: voiceIdOf(model).toUpperCase(), ...given });
  const rules = modelRules(model);
  expect(synthesize.mock.calls.map(([job]) => job)).toMatchObject([
    {
      text: 'Hello',
      tags: rules.tags,
      format: rules.formats[0],
      speed: rules.speed ? given.speed : 1,
      style: rules.style ? given.style : undefined,
      seed: rules.seed ? given.seed : undefined,
      temperature: rules.temperature ? given.temperature : undefined,
    },
  ]);
});

test('the list of voices names the languages that the synthesizer reads, and how a voice sounds', async () => {
  const service = await runningService({ engine: { ...instantEngine(), languages: ['de', 'en'] } });
  const data = await service.voices();
  expect(data.find(({ model }) => model === 'gpro')?.languages).toEqual(['de', 'en']);
  expect(data.find(({ model }) => model === 'orpheus')?.languages).toEqual(['en']);
  expect(data.find(({ name }) => name === 'dorian')).toMatchObject({ gender: 'male', accent: 'Scottish' });
});

test('60 requests a minute for a key, all endpoints together, then 429 until the announced time', async () => {
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const service = await runningService({ engine: instantEngine(), requestsPerMinute: 60, now: () => nowMs });
  const other = service.keys.create('other').secret;
  const models = (key?: string) => service.call('GET', '/api/v1/models', { key });
  expect((await models()).headers).toMatchObject({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '59',
    'x-ratelimit-reset-requests': '2026-01-01T00:00:01.000Z',
  });
  // One with a wrong key takes no turn.
  await models('wrong');
  for (let i = 0; i < 58; i += 1) await service.call('GET', '/api/v1/voices');
  expect((await service.speak(HELLO)).headers['x-ratelimit-remaining-requests']).toBe('0');
  const refused = await service.speak('not even JSON');
  expect(refusal(refused)).toMatchObject({ status: 429, code: 'rate_limit_exceeded', type: 'rate_limit_error' });
  expect((await models(other)).status).toBe(200);
  nowMs = Date.parse(String(refused.headers['x-ratelimit-reset-requests'])) - 1;
  expect((await models()).status).toBe(429);
  nowMs += 1;
  expect((await models()).status).toBe(200);
  expect((await models()).status).toBe(429);
  nowMs += 60_000;
  expect((await models()).headers['x-ratelimit-remaining-requests']).toBe('59');
});

test('bytes that are not HTTP are answered with a request-id too', async () => {
  const socket = connect(Number(new URL((await silent()).url).port), '127.0.0.1');
  socket.write('HELLO\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1.1 400 [\s\S]*\r\nrequest-id: req_crier_[0-9a-f]{32}\r\n/);
});

test('the service ends although requests hang on all of its ports', async () => {
  const service = await runningService();
  const { url, audioUrl, dashboardUrl } = service;
  for (const address of [url, audioUrl, dashboardUrl]) {
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    socket.write('GET /half');
  }
  // Answered after the halves were sent: they have arrived.
  await service.call('GET', '/api/v1/models');
  // It would wait for them for ever.
  await service.close();
});
