import assert from 'node:assert/strict';
import { PATHS } from '../../speech/base-url.ts';
import { failsWith, goodResponse, refused } from '../framework/expect.ts';
import { NotApplicable, type Rule, section } from '../framework/rule.ts';
import { codeOf, isRecord } from '../framework/subject.ts';

const limits = section('Limits');
const paidLimits = section('Limits', 'credits');
const burstingLimits = section('Limits', 'burst');

export const limitRules: readonly Rule[] = [
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
  paidLimits.states('limits/billing-unit', 'input characters are what is billed, tags among them', async (subject) => {
    const { id } = await subject.voiceOf('ext');
    const input = 'Hi [pause] there.';
    const result = goodResponse(await subject.speak({ input, voiceId: id }));
    assert.ok(isRecord(result.usage));
    assert.equal(result.usage.input_characters, input.length);
    assert.ok(Number(result.credits_used) > 0);
  }),
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
  burstingLimits.observed(
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
  ),
];
