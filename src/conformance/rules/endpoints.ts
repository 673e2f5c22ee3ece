import assert from 'node:assert/strict';
import { PATHS } from '../../speech/base-url.ts';
import {
  answers,
  anyVoiceId,
  goodResponse,
  NO_VOICE_ID,
  READING,
  refused,
  requestId,
  TEXT,
} from '../framework/expect.ts';
import { NotApplicable, type Rule, section } from '../framework/rule.ts';
import { isRecord } from '../framework/subject.ts';

const endpoints = section('Endpoints');
const paidEndpoints = section('Endpoints', 'credits');
const authentication = section('Authentication');
const versioning = section('Versioning');
const commandLine = section('Command-line client');

export const endpointRules: readonly Rule[] = [
  paidEndpoints.states(
    'endpoints/speech',
    'POST /api/v1/speech takes JSON and answers with JSON',
    async (subject) => void goodResponse(await subject.speak({ input: TEXT, voiceId: await anyVoiceId(subject) })),
  ),
  endpoints.states('endpoints/voices', 'GET /api/v1/voices answers with data, a list of voices', async (subject) => {
    assert.ok(Array.isArray(goodResponse(await subject.raw({ path: PATHS.voices })).data));
    assert.equal((await subject.client.voices()).voices.length, (await subject.rawVoices()).length);
  }),
  endpoints.states(
    'endpoints/billing',
    'GET /api/v1/billing answers with JSON',
    async (subject) => void goodResponse(await subject.raw({ path: PATHS.billing })),
  ),
  endpoints.states(
    'endpoints/models',
    'GET /api/v1/models answers with JSON',
    async (subject) => void goodResponse(await subject.raw({ path: PATHS.models })),
  ),
  endpoints.observed(
    'endpoints/models/shape',
    'models have id, name, max_input_length and supported_formats',
    async (subject) => {
      const { data } = goodResponse(await subject.raw({ path: PATHS.models }));
      assert.ok(Array.isArray(data) && data.length > 0, 'no model is listed');
      for (const model of data.map((element: unknown) => (isRecord(element) ? element : {}))) {
        assert.equal(typeof model.id, 'string');
        assert.equal(typeof model.name, 'string');
        assert.ok(Number.isInteger(model.max_input_length), `max_input_length of ${String(model.id)}`);
        assert.ok(Array.isArray(model.supported_formats), `supported_formats of ${String(model.id)}`);
      }
      assert.equal((await subject.client.models()).models.length, data.length);
    },
  ),
  endpoints.states('endpoints/openapi', 'GET /api/v1/openapi answers with a description', async (subject) => {
    const document = await subject.client.openapi();
    assert.ok(isRecord(document), 'no description');
  }),
  endpoints.observed(
    'endpoints/openapi/version',
    'the description is OpenAPI 3.1 and has the five paths',
    async (subject) => {
      const document = await subject.client.openapi();
      assert.ok(isRecord(document) && isRecord(document.paths));
      assert.match(String(document.openapi), /^3\.1/);
      for (const path of Object.values(PATHS)) {
        assert.ok(
          Object.keys(document.paths).some((listed) => path.endsWith(listed)),
          `no ${path}`,
        );
      }
    },
  ),
  endpoints.states(
    'endpoints/voices/no-filter',
    'the list is filtered by callers: it holds every model at once',
    async (subject) => {
      const models = new Set((await subject.voices()).map((voice) => voice.model));
      if (models.size === 1 && (await subject.models()).length === 1)
        throw new NotApplicable('there is one model only');
      assert.ok(models.size > 1, `only voices of ${[...models].join()}`);
    },
  ),
  endpoints.observed('endpoints/methods', 'another method is refused', async (subject) => {
    for (const path of [...READING, PATHS.speech]) refused(await subject.raw({ method: 'DELETE', path }), 405);
  }),
  endpoints.states('endpoints/request-id', 'every response carries a request-id', async (subject) => {
    for (const answer of await answers(subject)) requestId(answer);
  }),

  commandLine.states('command-line', 'the `voice` command does what the document says', async () => {
    throw new NotApplicable('is seen at the command, not at an address');
  }),

  ...Object.values(PATHS).map((path) =>
    authentication.states(`authentication/required${path}`, `${path} needs a key`, async (subject) => {
      const method = path === PATHS.speech ? 'POST' : 'GET';
      const body = path === PATHS.speech ? { body: { input: TEXT, voiceId: NO_VOICE_ID } } : {};
      for (const authorization of [null, '', 'Bearer', 'Bearer not-a-key', 'Basic bm90OmE=']) {
        refused(await subject.raw({ method, path, authorization, ...body }), 401);
      }
    }),
  ),
  authentication.states(
    'authentication/bearer',
    'a key is accepted as Authorization: Bearer',
    async (subject) => void goodResponse(await subject.raw({ path: PATHS.models })),
  ),
  authentication.states(
    'authentication/header-only',
    'a key elsewhere than in the header does not count',
    async (subject) =>
      refused(await subject.raw({ path: `${PATHS.models}?api_key=x&key=x`, authorization: null }), 401),
  ),
  authentication.observed('authentication/error', 'a bad key is invalid_api_key at authorization', async (subject) => {
    const answer = await subject.raw({ path: PATHS.models, authorization: 'Bearer not-a-key' });
    refused(answer, 401, 'invalid_api_key');
    assert.ok(isRecord(answer.json) && isRecord(answer.json.error));
    assert.equal(answer.json.error.type, 'authentication_error');
    assert.equal(answer.json.error.param, 'authorization');
  }),
  authentication.states('authentication/secret', 'a refused key is not repeated in the answer', async (subject) => {
    const answer = await subject.raw({ path: PATHS.models, authorization: 'Bearer not-a-key-4711' });
    // All of it: a request id may hold any few of its characters.
    const { text, headers } = answer;
    assert.ok(!`${text}${JSON.stringify(headers)}`.includes('not-a-key-4711'), 'the key is in the answer');
  }),

  versioning.states('versioning/prefix', 'every endpoint is under /api/v1', async (subject) => {
    for (const path of Object.values(PATHS)) {
      const answer = await subject.raw({ path: path.replace('/api/v1', '/api') });
      assert.ok(answer.status >= 400, `${path} is also there without its version`);
    }
  }),
  versioning.states('versioning/models', 'gpro, gpro31 and gpro38 are there side by side', async (subject) => {
    const models = new Set((await subject.voices()).map((voice) => voice.model));
    const families = ['gpro', 'gpro31', 'gpro38'];
    if (!families.some((model) => models.has(model))) throw new NotApplicable('no voice of these models is listed');
    for (const model of families) assert.ok(models.has(model), `no voice of ${model}`);
  }),
];
