import assert from 'node:assert/strict';
import { PATHS } from '../../speech/base-url.ts';
import { answers, anyVoiceId, failsWith, NO_VOICE_ID, refused, requestId, TEXT } from '../framework/expect.ts';
import { NotApplicable, type Rule, section } from '../framework/rule.ts';
import { isRecord } from '../framework/subject.ts';

const errors = section('Errors');
const poorErrors = section('Errors', 'poor-account');
const failingErrors = section('Errors', 'faults');

const REQUEST_ID = /^req_[A-Za-z0-9-]+_[0-9a-f]+$/;

const asked = (voiceId: string, model?: string) => ({ input: TEXT, voice: { kind: 'id', voiceId, model } }) as const;

export const errorRules: readonly Rule[] = [
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
  failingErrors.states('errors/503', '503 is retried with backoff, whatever its code', async (subject) => {
    const voiceId = await anyVoiceId(subject);
    subject.faults?.next('unavailable', 1);
    const answer = await subject.speak({ input: TEXT, voiceId });
    refused(answer, 503);
    requestId(answer);
    subject.faults?.next('unavailable', 2);
    await subject.client.speak(asked(voiceId));
  }),
  failingErrors.states(
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
  ),
  failingErrors.observed(
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
  ),
  failingErrors.observed('errors/422', 'content_policy_violation is final and costs nothing', async (subject) => {
    const before = (await subject.client.billing()).creditsLeft;
    subject.faults?.next('content-policy', 1);
    const error = await failsWith(subject.client.speak(asked(await anyVoiceId(subject))), 'content-policy');
    assert.equal(error.status, 422);
    assert.equal(error.retryable, false);
    assert.equal((await subject.client.billing()).creditsLeft, before);
  }),
  failingErrors.observed(
    'errors/lost-answer',
    'an answer lost after billing is billed once: the client does not ask again',
    async (subject) => {
      const before = (await subject.client.billing()).creditsLeft;
      subject.faults?.next('drop-after-billing', 1);
      const error = await failsWith(subject.client.speak(asked(await anyVoiceId(subject))), 'network');
      assert.equal(error.creditsMayBeSpent, true);
      assert.equal((await subject.client.billing()).creditsLeft, before - TEXT.length);
    },
  ),
  failingErrors.observed(
    'errors/gateway',
    'a gateway may answer with HTML and no request-id: the client survives it',
    async (subject) => {
      subject.faults?.next('html', 1);
      const error = await failsWith(subject.client.speak(asked(NO_VOICE_ID)), 'server-error');
      assert.equal(error.requestId, undefined);
      assert.equal(error.creditsMayBeSpent, true);
    },
  ),
  poorErrors.observed('errors/402', 'insufficient_credits is 402, whatever its type says', async ({ poor }) => {
    if (poor === undefined) throw new NotApplicable('no account without credits');
    const voiceId = await anyVoiceId(poor);
    refused(await poor.speak({ input: TEXT, voiceId }), 402, 'insufficient_credits');
    await failsWith(poor.client.speak(asked(voiceId)), 'insufficient-credits');
  }),
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
];
