import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { instantEngine, type Reply, type RunningService, runningService } from '../running-service.ts';

const HELLO = { input: 'Hello', voice: 'aria', model: 'gpro' };

interface Described {
  paths: Record<string, Record<string, { responses: Record<string, DescribedResponse> }>>;
  components: { headers: Record<string, { schema: AnySchema }> };
}
interface DescribedResponse {
  headers: Record<string, { $ref: string }>;
  content: { 'application/json': { schema: AnySchema } };
}

/** Collects every answer of a run. */
function recorder(service: RunningService) {
  const answers: { method: string; path: string; reply: Reply }[] = [];
  const record = async (method: string, path: string, options: Parameters<RunningService['call']>[2] = {}) => {
    const reply = await service.call(method, path, options);
    answers.push({ method: method.toLowerCase(), path, reply });
    return reply.status;
  };
  return { answers, record, speak: (body: unknown) => record('POST', '/api/v1/speech', { body }) };
}

async function description(service: RunningService): Promise<Described> {
  return (await service.call('GET', '/api/v1/openapi')).body;
}

describe('GET /openapi', () => {
  test('is valid OpenAPI 3.1', async () => {
    const service = await runningService({ engine: instantEngine() });
    const result = await new Validator().validate({ ...(await description(service)) });
    expect(result).toEqual({ valid: true });
  });

  test('is true: every answer of a run, good or bad, is as it says', async () => {
    let nowMs = Date.now();
    const service = await runningService({
      engine: instantEngine(),
      requestsPerMinute: 60,
      startingCredits: 100,
      now: () => nowMs,
    });
    const document = await description(service);
    const { answers, record, speak } = recorder(service);
    for (const path of ['/api/v1/voices', '/api/v1/models', '/api/v1/billing', '/api/v1/openapi']) {
      await record('GET', path);
      await record('GET', path, { key: 'wrong' });
      await record('GET', path, { key: null });
    }
    const statuses = new Set<number>();
    for (const body of [
      HELLO,
      { ...HELLO, input: '' },
      { ...HELLO, voice: 'nobody' },
      { ...HELLO, model: 'none' },
      { ...HELLO, input: 'x'.repeat(2_000) },
      { ...HELLO, response_format: 'mp3' },
      { ...HELLO, input: 'x'.repeat(101) },
      { ...HELLO, input: 'x'.repeat(300_000) },
      '{',
    ]) {
      statuses.add(await speak(body));
    }
    for (const fault of ['unavailable', 'quota', 'serverError', 'contentPolicy'] as const) {
      service.faults[fault] = 1;
      statuses.add(await speak(HELLO));
    }
    service.ledger.topUp(5, 'So that the last transaction is a top-up');
    await record('GET', '/api/v1/billing');
    while ((await record('GET', '/api/v1/voices')) === 200);
    for (const path of ['/api/v1/models', '/api/v1/billing', '/api/v1/openapi']) await record('GET', path);
    statuses.add(await speak(HELLO));
    nowMs += 60_000;
    expect([...statuses].sort()).toEqual([200, 400, 402, 404, 413, 422, 429, 500, 503]);

    const ajv = new Ajv2020({ strict: false, allErrors: true });
    formats.default(ajv);
    ajv.addSchema({ $id: 'api', ...document });
    const validate = (schema: AnySchema, value: unknown, what: string) => {
      const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
      const check = ajv.compile(JSON.parse(text));
      expect(check(value), `${what}: ${JSON.stringify(check.errors)}`).toBe(true);
    };
    for (const { method, path, reply } of answers) {
      const what = `${method} ${path} ${reply.status}`;
      const { responses } = document.paths[path]?.[method] ?? {};
      const described = responses?.[String(reply.status)] ?? responses?.default;
      if (described === undefined) throw new Error(`${what} is not described`);
      validate(described.content['application/json'].schema, reply.body, what);
      for (const [name, { $ref }] of Object.entries(described.headers)) {
        const value = reply.headers[name.toLowerCase()];
        const header = document.components.headers[$ref.split('/').at(-1) ?? ''];
        expect(value, `${what} ${name}`).toBeDefined();
        const isNumber = JSON.stringify(header?.schema).includes('"integer"');
        validate(header?.schema ?? false, isNumber ? Number(value) : value, `${what} ${name}`);
      }
    }
  });

  test('describes requests as they are judged', async () => {
    const service = await runningService({ engine: instantEngine() });
    const document = await description(service);
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema({ $id: 'api', ...document });
    const check = ajv.compile({ $ref: 'api#/components/schemas/SpeechRequest' });
    const voiceId = '6ec386ca-4dd3-5ee5-925a-f3555b572acf';
    for (const body of [
      HELLO,
      { input: 'a', voiceId },
      { ...HELLO, voiceId },
      { input: 'a', voiceId, model: 'gpro' },
      { input: 'a', voice: 'aria' },
      { input: 'a' },
      { ...HELLO, seed: 1 },
      { ...HELLO, seed: 1.5 },
      { ...HELLO, seed: -1 },
      { ...HELLO, temperature: 2 },
      { ...HELLO, temperature: 2.01 },
      { ...HELLO, speed: 0.7 },
      { ...HELLO, speed: 0.6 },
      { ...HELLO, style: null },
      { ...HELLO, unknown: true },
      { ...HELLO, response_format: 'wav' },
      { ...HELLO, response_format: 'flac' },
    ]) {
      const { status } = await service.speak(body);
      expect({ body, valid: check(body) }).toEqual({ body, valid: status === 200 });
    }
  });
});
