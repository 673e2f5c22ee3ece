import assert from 'node:assert/strict';
import { PATHS } from '../../speech/base-url.ts';
import type { SpeechErrorKind } from '../../speech/errors.ts';
import {
  accepts,
  answers,
  asked,
  by,
  failsWith,
  good,
  goodResponse,
  NO_VOICE_ID,
  READING,
  type Rule,
  refused,
  refuses,
  requestId,
  section,
  TEXT,
} from '../framework/rule.ts';
import { codeOf, isRecord, NotApplicable, type Subject } from '../framework/subject.ts';

const endpoints = section('Endpoints');
const paidEndpoints = section('Endpoints', 'credits');
const authentication = section('Authentication');
const versioning = section('Versioning');
const commandLine = section('Command-line client');

const reads = (path: string) => async (subject: Subject) => goodResponse(await subject.raw(path));

const errors = section('Errors');
const failingErrors = section('Errors', 'faults');

const REQUEST_ID = /^req_[A-Za-z0-9-]+_[0-9a-f]+$/;

const byId = (voiceId: string) => ({ input: TEXT, voice: { kind: 'id', voiceId } }) as const;

async function failsAndCosts(subject: Subject, kind: SpeechErrorKind, credits: number) {
  const before = (await subject.client.billing()).creditsLeft;
  const error = await failsWith(subject.client.speak(byId((await subject.voiceOf()).id)), kind);
  assert.equal((await subject.client.billing()).creditsLeft, before - credits);
  return error;
}

const limits = section('Limits');
const paidLimits = section('Limits', 'credits');
const burstingLimits = section('Limits', 'burst');

/** Services check the audio format last, so a text of valid length is rejected only for this invalid format. */
const WRONG_FORMAT = { response_format: 'mp3' };

export const endpointRules: readonly Rule[] = [
  paidEndpoints.states('endpoints/speech', 'POST /api/v1/speech takes JSON and answers with JSON', accepts(good())),
  endpoints.states('endpoints/voices', 'GET /api/v1/voices answers with data, a list of voices', async (subject) => {
    assert.ok(Array.isArray(goodResponse(await subject.raw(PATHS.voices)).data));
    assert.equal((await subject.client.voices()).voices.length, (await subject.rawVoices()).length);
  }),
  endpoints.states('endpoints/billing', 'GET /api/v1/billing answers with JSON', reads(PATHS.billing)),
  endpoints.states('endpoints/models', 'GET /api/v1/models answers with JSON', reads(PATHS.models)),
  endpoints.observed('endpoints/models/shape', 'models have id, name, limit and formats', async (subject) => {
    const { data } = goodResponse(await subject.raw(PATHS.models));
    assert.ok(Array.isArray(data) && data.length > 0, 'no model is listed');
    for (const model of data.map((element: unknown) => (isRecord(element) ? element : {}))) {
      assert.equal(typeof model.id, 'string');
      assert.equal(typeof model.name, 'string');
      assert.ok(Number.isInteger(model.max_input_length), `max_input_length of ${String(model.id)}`);
      assert.ok(Array.isArray(model.supported_formats), `supported_formats of ${String(model.id)}`);
    }
    assert.equal((await subject.client.models()).models.length, data.length);
  }),
  endpoints.states('endpoints/openapi', 'GET /api/v1/openapi answers with a description', async (subject) => {
    const document = await subject.client.openapi();
    assert.ok(isRecord(document), 'no description');
  }),
  endpoints.observed(
    'endpoints/openapi/version',
    'the description is OpenAPI 3.1 with the five paths',
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
  endpoints.states('endpoints/voices/no-filter', 'the list holds every model: callers filter it', async (subject) => {
    const models = new Set((await subject.voices()).map((voice) => voice.model));
    if (models.size === 1 && (await subject.models()).length === 1) throw new NotApplicable('there is one model only');
    assert.ok(models.size > 1, `only voices of ${[...models].join()}`);
  }),
  endpoints.observed('endpoints/methods', 'another method is refused', async (subject) => {
    for (const path of [...READING, PATHS.speech]) refused(await subject.raw(path, { method: 'DELETE' }), 405);
  }),
  endpoints.states('endpoints/request-id', 'every response carries a request-id', async (subject) => {
    for (const answer of await answers(subject)) requestId(answer);
  }),

  commandLine.states('command-line', 'the `voice` command does what the document says', async () => {
    throw new NotApplicable('is seen at the command, not at an address');
  }),

  ...Object.values(PATHS).map((path) =>
    authentication.states(`authentication/required${path}`, `${path} needs a key`, async (subject) => {
      const request =
        path === PATHS.speech ? ({ method: 'POST', body: { input: TEXT, voiceId: NO_VOICE_ID } } as const) : {};
      for (const authorization of [null, '', 'Bearer', 'Bearer not-a-key', 'Basic bm90OmE=']) {
        refused(await subject.raw(path, { ...request, authorization }), 401);
      }
    }),
  ),
  authentication.states('authentication/bearer', 'a key is accepted as Authorization: Bearer', reads(PATHS.models)),
  authentication.states(
    'authentication/header-only',
    'a key elsewhere than in the header does not count',
    async (subject) => refused(await subject.raw(`${PATHS.models}?api_key=x&key=x`, { authorization: null }), 401),
  ),
  authentication.observed('authentication/error', 'a bad key is invalid_api_key at authorization', async (subject) => {
    const answer = await subject.raw(PATHS.models, { authorization: 'Bearer not-a-key' });
    refused(answer, 401, 'invalid_api_key');
    assert.ok(isRecord(answer.json) && isRecord(answer.json.error));
    assert.equal(answer.json.error.type, 'authentication_error');
    assert.equal(answer.json.error.param, 'authorization');
  }),
  authentication.states('authentication/secret', 'a refused key is not repeated in the answer', async (subject) => {
    const answer = await subject.raw(PATHS.models, { authorization: 'Bearer not-a-key-4711' });
    // The answer is searched for the whole API key only: a request id may contain a few of its characters by chance.
    const { text, headers } = answer;
    assert.ok(!`${text}${JSON.stringify(headers)}`.includes('not-a-key-4711'), 'the key is in the answer');
  }),

  versioning.states('versioning/prefix', 'every endpoint is under /api/v1', async (subject) => {
    for (const path of Object.values(PATHS)) {
      const answer = await subject.raw(path.replace('/api/v1', '/api'));
      assert.ok(answer.status >= 400, `${path} is also there without its version`);
    }
  }),
  versioning.states('versioning/models', 'gpro, gpro31 and gpro38 are there side by side', async (subject) => {
    const models = new Set((await subject.voices()).map((voice) => voice.model));
    const families = ['gpro', 'gpro31', 'gpro38'];
    if (!families.some((model) => models.has(model))) throw new NotApplicable('no voice of these models is listed');
    for (const model of families) assert.ok(models.has(model), `no voice of ${model}`);
  }),

  errors.states('errors/shape', 'a failure carries error with code and type', async (subject) => {
    const failures = (await answers(subject)).filter((answer) => answer.status >= 400);
    assert.ok(failures.length >= 4, 'too few failures to look at');
    for (const { status, json } of failures) {
      assert.ok(isRecord(json) && isRecord(json.error), `${status} without error`);
      assert.equal(typeof json.error.code, 'string', `${status} without code`);
      assert.equal(typeof json.error.type, 'string', `${status} without type`);
    }
  }),
  errors.states('errors/request-id/format', 'request-id is req_<prefix>_<hex>, new each time', async (subject) => {
    const ids = (await answers(subject)).map(requestId);
    for (const id of ids) assert.match(id, REQUEST_ID);
    assert.equal(new Set(ids.map((id) => id.split('_').slice(0, -1).join('_'))).size, 1, 'the prefix changes');
    assert.equal(new Set(ids).size, ids.length, 'an id came twice');
  }),
  errors.observed('errors/request-id/length', 'request-id ends in 32 lower-case hex digits', async (subject) => {
    for (const answer of await answers(subject)) assert.match(requestId(answer), /_[0-9a-f]{32}$/);
  }),
  errors.states('errors/request-id/server', 'the server makes the request-id itself', async (subject) => {
    const mine = `req_mine_${'0'.repeat(32)}`;
    const answer = await subject.raw(PATHS.models, { headers: { 'request-id': mine } });
    assert.notEqual(requestId(answer), mine);
  }),
  errors.states('errors/request-id/client', 'the client has it in results and errors', async (subject) => {
    assert.match(String((await subject.client.models()).requestId), REQUEST_ID);
    const failed = subject.client.speak(byId(NO_VOICE_ID));
    assert.match(String((await failsWith(failed, 'voice-not-found')).requestId), REQUEST_ID);
  }),
  failingErrors.states('errors/503', '503 is retried with backoff, whatever its code', async (subject) => {
    subject.faults?.next('unavailable', 1);
    const answer = await subject.speak(await good()(subject));
    refused(answer, 503);
    requestId(answer);
    subject.faults?.next('unavailable', 2);
    await subject.client.speak(byId((await subject.voiceOf()).id));
  }),
  failingErrors.states(
    'errors/429/quota',
    'after a quota error, the client asks no more of that model',
    async (subject) => {
      const gpro = await asked(subject, 'gpro');
      const ext = await asked(subject, 'ext');
      subject.faults?.next('quota', 2);
      await refuses({ input: TEXT, voiceId: gpro.voice.voiceId }, 429, 'provider_quota_exceeded')(subject);
      const client = subject.freshClient();
      const error = await failsWith(client.speak(gpro), 'quota-exceeded');
      assert.equal(error.status, 429);
      const again = await failsWith(client.speak(gpro), 'quota-exceeded');
      assert.equal(again.status, undefined, 'the model was asked again');
      assert.ok(Number(again.retryAfterMs) > 0, 'no time to try again');
      await client.speak(ext);
    },
  ),
  failingErrors.observed('errors/500', 'server_error costs nothing; the caller may retry it', async (subject) => {
    subject.faults?.next('serverError', 1);
    const error = await failsAndCosts(subject, 'server-error', 0);
    assert.equal(error.retryable, true);
    assert.equal(error.creditsMayBeSpent, false);
  }),
  failingErrors.observed('errors/422', 'content_policy_violation is final and costs nothing', async (subject) => {
    subject.faults?.next('contentPolicy', 1);
    const error = await failsAndCosts(subject, 'content-policy', 0);
    assert.equal(error.status, 422);
    assert.equal(error.retryable, false);
  }),
  failingErrors.observed(
    'errors/lost-answer',
    'an answer lost after billing is not asked for again',
    async (subject) => {
      subject.faults?.next('dropAfterBilling', 1);
      assert.equal((await failsAndCosts(subject, 'network', TEXT.length)).creditsMayBeSpent, true);
    },
  ),
  failingErrors.observed('errors/gateway', 'the client survives HTML without a request-id', async (subject) => {
    subject.faults?.next('html', 1);
    const error = await failsWith(subject.client.speak(byId(NO_VOICE_ID)), 'server-error');
    assert.equal(error.requestId, undefined);
    assert.equal(error.creditsMayBeSpent, true);
  }),
  failingErrors.observed('errors/402', 'insufficient_credits is 402, whatever its type says', async (subject) => {
    subject.faults?.next('noCredits', 2);
    await refuses(good(), 402, 'insufficient_credits')(subject);
    await failsAndCosts(subject, 'insufficient-credits', 0);
  }),
  errors.observed(
    'errors/order',
    'the key is checked before the body, the voice before the length',
    async (subject) => {
      refused(await subject.raw(PATHS.speech, { method: 'POST', authorization: null, body: 'not json' }), 401);
      await refuses({ input: 'x'.repeat(20_000), voiceId: NO_VOICE_ID }, 404, 'voice_not_found')(subject);
      const input = 'x'.repeat((await subject.maxInput('gpro')) + 1);
      await refuses(by('gpro', { input, response_format: 'mp3' }), 400, 'input_too_long')(subject);
    },
  ),

  limits.states('limits/input', 'there is a limit on input', refuses(by('ext', { input: 'x'.repeat(100_000) }), 400)),
  ...(['gpro', 'gpro31', 'gpro38', 'ext', 'orpheus'] as const).map((model) =>
    limits.observed(`limits/input/${model}`, `${model}: one character over its limit is too long`, async (subject) => {
      const input = 'x'.repeat((await subject.maxInput(model)) + 1);
      await refuses(by(model, { input }), 400, 'input_too_long')(subject);
      await failsWith(subject.client.speak(await asked(subject, model, { input })), 'input-too-long');
    }),
  ),
  limits.states('limits/tags-count', 'tags count toward the limit', async (subject) => {
    const input = `${'[pause]'.repeat(Math.ceil((await subject.maxInput('ext')) / 7))}x`;
    await refuses(by('ext', { input }), 400)(subject);
  }),
  limits.observed('limits/style-counts', 'style counts toward the limit of gpro, not of gpro38', async (subject) => {
    for (const [model, code] of [
      ['gpro', 'input_too_long'],
      ['gpro38', 'unsupported_response_format'],
    ] as const) {
      const input = 'x'.repeat((await subject.maxInput(model)) - 1);
      await refuses(by(model, { input, style: 'calm and friendly', ...WRONG_FORMAT }), 400, code)(subject);
    }
  }),
  limits.observed('limits/utf-16', 'the limit counts UTF-16 units', async (subject) => {
    const emoji = Math.floor((await subject.maxInput('gpro')) / 2);
    for (const [count, code] of [
      [emoji + 1, 'input_too_long'],
      [emoji, 'unsupported_response_format'],
    ] as const) {
      await refuses(by('gpro', { input: '😀'.repeat(count), ...WRONG_FORMAT }), 400, code)(subject);
    }
  }),
  paidLimits.states('limits/billing-unit', 'input characters are what is billed, tags among them', async (subject) => {
    const input = 'Hi [pause] there.';
    const result = await accepts(by('ext', { input }))(subject);
    assert.ok(isRecord(result.usage));
    assert.equal(result.usage.input_characters, input.length);
    assert.ok(Number(result.credits_used) > 0);
  }),
  limits.observed('limits/rate/headers', 'X-RateLimit headers have limit, rest and an ISO time', async (subject) => {
    const { headers } = await subject.raw(PATHS.models);
    assert.match(String(headers['x-ratelimit-limit-requests']), /^\d+$/);
    assert.match(String(headers['x-ratelimit-remaining-requests']), /^\d+$/);
    assert.match(String(headers['x-ratelimit-reset-requests']), /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/);
  }),
  burstingLimits.observed('limits/rate/exceeded', 'beyond the limit, 429 has the time of its end', async (subject) => {
    const first = await subject.raw(PATHS.models);
    const limit = Number(first.headers['x-ratelimit-limit-requests']);
    if (!(limit > 0 && limit <= 1000)) throw new NotApplicable(`a limit of ${limit} is not tried out`);
    const burst = await Promise.all(Array.from({ length: limit + 20 }, () => subject.rawAtOnce(PATHS.models)));
    const refusal = burst.find((answer) => answer.status === 429);
    assert.ok(refusal, `${burst.length} requests at once were all answered`);
    assert.equal(codeOf(refusal), 'rate_limit_exceeded');
    assert.ok(!Number.isNaN(Date.parse(String(refusal.headers['x-ratelimit-reset-requests']))), 'no reset time');
    // The rate limit is used up, so a new speech client succeeds only if it waits until the limit resets.
    await subject.freshClient().models();
  }),
];
