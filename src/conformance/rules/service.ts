import assert from 'node:assert/strict';
import { PATHS } from '../../services/speech/base-url.ts';
import { failsWith, good, NO_VOICE_ID, refused, requestId, TEXT } from '../expect.ts';
import { NotApplicable, type RawAnswer, type Rule, type Subject, section } from '../rule.ts';
import { codeOf, isRecord } from '../subject.ts';

const endpoints = section('Endpoints');
const authentication = section('Authentication');
const errors = section('Errors');
const limits = section('Limits');
const versioning = section('Versioning');
const commandLine = section('Command-line client');

const READING = [PATHS.voices, PATHS.models, PATHS.billing, PATHS.openapi] as const;
const REQUEST_ID = /^req_[A-Za-z0-9-]+_[0-9a-f]+$/;

/** One answer of each sort that costs nothing: good ones, refusals, and addresses that are none. */
async function answers(subject: Subject): Promise<RawAnswer[]> {
  const all: RawAnswer[] = [];
  for (const path of READING) all.push(await subject.raw({ path }));
  all.push(await subject.raw({ path: PATHS.voices, authorization: null }));
  all.push(await subject.raw({ path: '/api/v1/nothing-here' }));
  all.push(await subject.raw({ method: 'DELETE', path: PATHS.voices }));
  all.push(await subject.speak({ input: TEXT, voiceId: NO_VOICE_ID }));
  all.push(await subject.speak('not json'));
  return all;
}

async function anyVoiceId(subject: Subject): Promise<string> {
  const [first] = await subject.voices();
  if (first === undefined) throw new NotApplicable('no voice is listed');
  return first.id;
}

const asked = (voiceId: string, model?: string) =>
  ({ input: TEXT, voice: { kind: 'id', voiceId, ...(model !== undefined && { model }) } }) as const;

export const serviceRules: readonly Rule[] = [
  endpoints.states(
    'endpoints/speech',
    'POST /api/v1/speech takes JSON and answers with JSON',
    async (subject) => void good(await subject.speak({ input: TEXT, voiceId: await anyVoiceId(subject) })),
    ['credits'],
  ),
  endpoints.states('endpoints/voices', 'GET /api/v1/voices answers with data, a list of voices', async (subject) => {
    assert.ok(Array.isArray(good(await subject.raw({ path: PATHS.voices })).data));
    assert.equal((await subject.client.voices()).voices.length, (await subject.rawVoices()).length);
  }),
  endpoints.states(
    'endpoints/billing',
    'GET /api/v1/billing answers with JSON',
    async (subject) => void good(await subject.raw({ path: PATHS.billing })),
  ),
  endpoints.states(
    'endpoints/models',
    'GET /api/v1/models answers with JSON',
    async (subject) => void good(await subject.raw({ path: PATHS.models })),
  ),
  endpoints.observed(
    'endpoints/models/shape',
    'models have id, name, max_input_length and supported_formats',
    async (subject) => {
      const { data } = good(await subject.raw({ path: PATHS.models }));
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
    async (subject) => void good(await subject.raw({ path: PATHS.models })),
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
    assert.ok(!`${answer.text}${JSON.stringify(answer.headers)}`.includes('4711'), 'the key is in the answer');
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
  errors.states(
    'errors/request-id/format',
    'request-id is req_<prefix>_<hex> with one prefix, different each time',
    async (subject) => {
      const ids = (await answers(subject)).map(requestId);
      for (const id of ids) assert.match(id, REQUEST_ID);
      assert.equal(new Set(ids.map((id) => id.split('_').slice(0, -1).join('_'))).size, 1, 'the prefix changes');
      assert.equal(new Set(ids).size, ids.length, 'an id came twice');
    },
  ),
  errors.observed('errors/request-id/length', 'request-id ends in 32 lower-case hex digits', async (subject) => {
    for (const answer of await answers(subject)) assert.match(requestId(answer), /_[0-9a-f]{32}$/);
  }),
  errors.states(
    'errors/request-id/server',
    'request-id is made by the server, whatever the client sends',
    async (subject) => {
      const mine = `req_mine_${'0'.repeat(32)}`;
      const answer = await subject.raw({ path: PATHS.models, headers: { 'request-id': mine } });
      assert.notEqual(requestId(answer), mine);
    },
  ),
  errors.states(
    'errors/request-id/client',
    'the client gives the request-id with results and with errors',
    async (subject) => {
      assert.match(String((await subject.client.models()).requestId), REQUEST_ID);
      const failed = subject.client.speak(asked(NO_VOICE_ID));
      assert.match(String((await failsWith(failed, 'voice-not-found')).requestId), REQUEST_ID);
    },
  ),
  errors.states(
    'errors/503',
    '503 is retried with backoff, whatever its code',
    async (subject) => {
      const voiceId = await anyVoiceId(subject);
      subject.faults?.next('unavailable', 1);
      const answer = await subject.speak({ input: TEXT, voiceId });
      refused(answer, 503);
      requestId(answer);
      subject.faults?.next('unavailable', 2);
      await subject.client.speak(asked(voiceId));
    },
    ['faults'],
  ),
  errors.states(
    'errors/429/quota',
    '429 provider_quota_exceeded is the upstream quota; the client stops asking that model only',
    async (subject) => {
      const gpro = (await subject.voiceOf('gpro')).id;
      const ext = (await subject.voiceOf('ext')).id;
      subject.faults?.next('quota', 2);
      refused(await subject.speak({ input: TEXT, voiceId: gpro }), 429, 'provider_quota_exceeded');
      const client = subject.freshClient();
      const error = await failsWith(client.speak(asked(gpro, 'gpro')), 'quota-exceeded');
      assert.equal(error.status, 429);
      const again = await failsWith(client.speak(asked(gpro, 'gpro')), 'quota-exceeded');
      assert.equal(again.status, undefined, 'the model was asked again');
      assert.ok(Number(again.retryAfterMs) > 0, 'no time to try again');
      await client.speak(asked(ext, 'ext'));
    },
    ['faults'],
  ),
  errors.observed(
    'errors/500',
    'server_error gives the credits back, and the client leaves the choice to its caller',
    async (subject) => {
      const before = (await subject.client.billing()).creditsLeft;
      subject.faults?.next('server-error', 1);
      const error = await failsWith(subject.client.speak(asked(await anyVoiceId(subject))), 'server-error');
      assert.equal(error.retryable, true);
      assert.equal(error.creditsMayBeSpent, false);
      assert.equal((await subject.client.billing()).creditsLeft, before);
    },
    ['faults'],
  ),
  errors.observed(
    'errors/422',
    'content_policy_violation is final and costs nothing',
    async (subject) => {
      const before = (await subject.client.billing()).creditsLeft;
      subject.faults?.next('content-policy', 1);
      const error = await failsWith(subject.client.speak(asked(await anyVoiceId(subject))), 'content-policy');
      assert.equal(error.status, 422);
      assert.equal(error.retryable, false);
      assert.equal((await subject.client.billing()).creditsLeft, before);
    },
    ['faults'],
  ),
  errors.observed(
    'errors/lost-answer',
    'an answer lost after billing is billed once: the client does not ask again',
    async (subject) => {
      const before = (await subject.client.billing()).creditsLeft;
      subject.faults?.next('drop-after-billing', 1);
      const error = await failsWith(subject.client.speak(asked(await anyVoiceId(subject))), 'network');
      assert.equal(error.creditsMayBeSpent, true);
      assert.equal((await subject.client.billing()).creditsLeft, before - TEXT.length);
    },
    ['faults'],
  ),
  errors.observed(
    'errors/gateway',
    'a gateway may answer with HTML and no request-id: the client survives it',
    async (subject) => {
      subject.faults?.next('html', 1);
      const error = await failsWith(subject.client.speak(asked(NO_VOICE_ID)), 'server-error');
      assert.equal(error.requestId, undefined);
      assert.equal(error.creditsMayBeSpent, true);
    },
    ['faults'],
  ),
  errors.observed(
    'errors/402',
    'insufficient_credits is 402, whatever its type says',
    async ({ poor }) => {
      if (poor === undefined) throw new NotApplicable('no account without credits');
      const voiceId = await anyVoiceId(poor);
      refused(await poor.speak({ input: TEXT, voiceId }), 402, 'insufficient_credits');
      await failsWith(poor.client.speak(asked(voiceId)), 'insufficient-credits');
    },
    ['poor-account'],
  ),
  errors.observed(
    'errors/order',
    'the key is looked at before the body, the voice before the length',
    async (subject) => {
      refused(await subject.raw({ method: 'POST', path: PATHS.speech, authorization: null, body: 'not json' }), 401);
      refused(await subject.speak({ input: 'x'.repeat(20_000), voiceId: NO_VOICE_ID }), 404, 'voice_not_found');
      const { id } = await subject.voiceOf('gpro');
      const tooLong = { input: 'x'.repeat((await subject.maxInput('gpro')) + 1), voiceId: id, response_format: 'mp3' };
      refused(await subject.speak(tooLong), 400, 'input_too_long');
    },
  ),

  limits.states('limits/input', 'there is a limit on input', async (subject) => {
    const { id } = await subject.voiceOf('ext');
    refused(await subject.speak({ input: 'x'.repeat(100_000), voiceId: id }), 400);
  }),
  ...(['gpro', 'gpro31', 'gpro38', 'ext', 'orpheus'] as const).map((model) =>
    limits.observed(
      `limits/input/${model}`,
      `${model}: one character over the stated limit is input_too_long`,
      async (subject) => {
        const { id } = await subject.voiceOf(model);
        const tooLong = 'x'.repeat((await subject.maxInput(model)) + 1);
        refused(await subject.speak({ input: tooLong, voiceId: id }), 400, 'input_too_long');
        const failed = subject.client.speak({ input: tooLong, voice: { kind: 'id', voiceId: id, model } });
        await failsWith(failed, 'input-too-long');
      },
    ),
  ),
  limits.states('limits/tags-count', 'tags count toward the limit', async (subject) => {
    const { id } = await subject.voiceOf('ext');
    const limit = await subject.maxInput('ext');
    const input = `${'[pause]'.repeat(Math.ceil(limit / 7))}x`;
    assert.ok(input.length > limit);
    refused(await subject.speak({ input, voiceId: id }), 400);
  }),
  limits.observed(
    'limits/style-counts',
    'style counts toward the limit of gpro, and not of gpro38',
    async (subject) => {
      const style = 'calm and friendly';
      const body = async (model: string) => ({
        input: 'x'.repeat((await subject.maxInput(model)) - 1),
        voiceId: (await subject.voiceOf(model)).id,
        style,
        // Refused last of all, so that nothing is spoken when the length is right.
        response_format: 'mp3',
      });
      refused(await subject.speak(await body('gpro')), 400, 'input_too_long');
      refused(await subject.speak(await body('gpro38')), 400, 'unsupported_response_format');
    },
  ),
  limits.observed('limits/utf-16', 'the limit counts UTF-16 units', async (subject) => {
    const { id } = await subject.voiceOf('gpro');
    const limit = await subject.maxInput('gpro');
    const units = (input: string) => subject.speak({ input, voiceId: id, response_format: 'mp3' });
    refused(await units('😀'.repeat(Math.floor(limit / 2) + 1)), 400, 'input_too_long');
    refused(await units('😀'.repeat(Math.floor(limit / 2))), 400, 'unsupported_response_format');
  }),
  limits.states(
    'limits/billing-unit',
    'input characters are what is billed, tags among them',
    async (subject) => {
      const { id } = await subject.voiceOf('ext');
      const input = 'Hi [pause] there.';
      const result = good(await subject.speak({ input, voiceId: id }));
      assert.ok(isRecord(result.usage));
      assert.equal(result.usage.input_characters, input.length);
      assert.ok(Number(result.credits_used) > 0);
    },
    ['credits'],
  ),
  limits.observed(
    'limits/rate/headers',
    'X-RateLimit headers say the limit, the rest and an ISO time',
    async (subject) => {
      const { headers } = await subject.raw({ path: PATHS.models });
      assert.match(String(headers['x-ratelimit-limit-requests']), /^\d+$/);
      assert.match(String(headers['x-ratelimit-remaining-requests']), /^\d+$/);
      assert.match(String(headers['x-ratelimit-reset-requests']), /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/);
    },
  ),
  limits.observed(
    'limits/rate/exceeded',
    'beyond the limit is 429 rate_limit_exceeded with the time it is lifted',
    async (subject) => {
      const first = await subject.raw({ path: PATHS.models });
      const limit = Number(first.headers['x-ratelimit-limit-requests']);
      if (!(limit > 0 && limit <= 1000)) throw new NotApplicable(`a limit of ${limit} is not tried out`);
      const burst = await Promise.all(
        Array.from({ length: limit + 20 }, () => subject.rawAtOnce({ path: PATHS.models })),
      );
      const refusal = burst.find((answer) => answer.status === 429);
      assert.ok(refusal, `${burst.length} requests at once were all answered`);
      assert.equal(codeOf(refusal), 'rate_limit_exceeded');
      assert.ok(!Number.isNaN(Date.parse(String(refusal.headers['x-ratelimit-reset-requests']))), 'no reset time');
      // The client waits it out.
      await subject.freshClient().models();
    },
    ['burst'],
  ),

  versioning.states('versioning/prefix', 'every endpoint is under /api/v1', async (subject) => {
    for (const path of Object.values(PATHS)) {
      const answer = await subject.raw({ path: path.replace('/api/v1', '/api') });
      assert.ok(answer.status >= 400, `${path} is also there without its version`);
    }
  }),
  versioning.states('versioning/models', 'gpro, gpro31 and gpro38 are there side by side', async (subject) => {
    const models = new Set((await subject.voices()).map((voice) => voice.model));
    for (const model of ['gpro', 'gpro31', 'gpro38']) assert.ok(models.has(model), `no voice of ${model}`);
  }),
];
