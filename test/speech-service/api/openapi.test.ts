import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect, test } from 'vitest';
import { HELLO, instantEngine, type RunningService, runningService } from '../running-service.ts';

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, DescribedResponse> }>>;
  components: { headers: Record<string, { schema: AnySchema }> };
}
interface DescribedResponse {
  headers: Record<string, { $ref: string }>;
  content: { 'application/json': { schema: AnySchema } };
}

async function description(service: RunningService) {
  const document: Described = (await service.call('GET', '/api/v1/openapi')).body;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'api', ...document });
  const compile = (schema: AnySchema) => ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
  return { document, compile };
}

test('the description is valid OpenAPI 3.1', async () => {
  const { document } = await description(await runningService({ engine: instantEngine() }));
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
});

test('every answer, good or bad, is as the description says', async () => {
  const service = await runningService({ engine: instantEngine(), requestsPerMinute: 20, startingCredits: 100 });
  const { document, compile } = await description(service);
  const validate = (schema: AnySchema, value: unknown, what: string) => {
    const check = compile(schema);
    expect(check(value), `${what}: ${JSON.stringify(check.errors)}`).toBe(true);
  };
  const statusOf = async (method: 'GET' | 'POST', path: string, options: { key?: string; body?: unknown } = {}) => {
    const { status, body, headers } = await service.call(method, path, options);
    const what = `${method} ${path} ${status}`;
    const { responses = {} } = document.paths[path]?.[method.toLowerCase()] ?? {};
    const described = responses[String(status)] ?? responses.default;
    if (described === undefined) throw new Error(`${what} is not described`);
    validate(described.content['application/json'].schema, body, what);
    for (const [name, { $ref }] of Object.entries(described.headers)) {
      const { schema = false } = document.components.headers[$ref.split('/').at(-1) ?? ''] ?? {};
      validate(schema, headers[name], `${what} ${name}`);
    }
    return status;
  };
  const statuses = new Set<number>();
  const speak = async (body: unknown) => statuses.add(await statusOf('POST', '/api/v1/speech', { body }));
  for (const body of [
    HELLO,
    { ...HELLO, input: '' },
    { ...HELLO, voice: 'nobody' },
    { ...HELLO, input: 'x'.repeat(101) },
    { ...HELLO, input: 'x'.repeat(300_000) },
  ]) {
    await speak(body);
  }
  for (const fault of ['unavailable', 'quota', 'serverError', 'contentPolicy'] as const) {
    service.faults[fault] = 1;
    await speak(HELLO);
  }
  service.ledger.topUp(5, 'So that the last transaction is a top-up');
  for (const path of ['/api/v1/voices', '/api/v1/models', '/api/v1/billing', '/api/v1/openapi']) {
    statuses.add(await statusOf('GET', path));
    statuses.add(await statusOf('GET', path, { key: 'wrong' }));
  }
  while ((await statusOf('GET', '/api/v1/voices')) === 200);
  await speak(HELLO);
  expect([...statuses].sort()).toEqual([200, 400, 401, 402, 404, 413, 422, 429, 500, 503]);
});

test('requests are described as they are judged', async () => {
  const service = await runningService({ engine: instantEngine() });
  const check = (await description(service)).compile({ $ref: '#/components/schemas/SpeechRequest' });
  const voiceId = '6ec386ca-4dd3-5ee5-925a-f3555b572acf';
  for (const body of [
    { input: 'a', voiceId },
    { ...HELLO, voiceId },
    { input: 'a', voiceId, model: 'gpro' },
    { input: 'a', voice: 'aria' },
    { input: 'a' },
    { ...HELLO, seed: 1 },
    { ...HELLO, seed: 1.5 },
    { ...HELLO, temperature: 2 },
    { ...HELLO, temperature: 2.01 },
    { ...HELLO, speed: 0.7 },
    { ...HELLO, speed: 0.6 },
    { ...HELLO, style: null },
    { ...HELLO, unknown: true },
    { ...HELLO, response_format: 'flac' },
  ]) {
    const { status } = await service.speak(body);
    expect({ body, valid: check(body) }).toEqual({ body, valid: status === 200 });
  }
});
