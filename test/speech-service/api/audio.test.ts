import { describe, expect, test } from 'vitest';
import { MODEL_IDS, modelRules } from '../../../src/speech/interface/models.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { VOICES } from '../../../src/speech-service/api/catalog.ts';
import { espeakLanguages } from '../../../src/speech-service/synthesis/embedded/language.ts';
import type { SynthesisJob } from '../../../src/speech-service/synthesis/engine.ts';
import { instantEngine, runningService } from '../running-service.ts';

/** A service with an engine that only records its jobs. */
async function noting() {
  const jobs: SynthesisJob[] = [];
  const engine = instantEngine();
  const service = await runningService({
    engine: {
      ...engine,
      synthesize: (job, signal) => {
        jobs.push(job);
        return engine.synthesize(job, signal);
      },
    },
  });
  return async (body: unknown) => {
    expect((await service.speak(body)).status).toBe(200);
    return jobs.at(-1);
  };
}
const voiceId = (model: string) => VOICES.find((voice) => voice.model === model)?.id;

describe('the job of the synthesizer', () => {
  test.each(MODEL_IDS)('of %s: the parameters the model has, and no other', async (model) => {
    const ask = await noting();
    const given = { style: 'calm', seed: 7, temperature: 1.5, speed: 1.2 };
    const job = await ask({ input: 'Hello', voiceId: voiceId(model), ...given });
    const rules = modelRules(model);
    expect(job).toMatchObject({ text: 'Hello', tags: rules.tags, format: rules.defaultFormat });
    expect(job?.speed).toBe(rules.speed ? given.speed : 1);
    for (const field of ['style', 'seed', 'temperature'] as const) {
      expect(job?.[field], field).toBe(rules[field] ? given[field] : undefined);
    }
  });
});

describe('a text that the synthesizer would spell out', () => {
  test.each([
    ['今日は天気がいいですね。', 'kanji', undefined],
    // In itself Chinese.
    ['了解', 'kanji', 'ja'],
    ['សួស្តី', 'Khmer', undefined],
  ])('%j is refused without a bill, and no word of it is repeated', async (input, script, language) => {
    const service = await runningService({ engine: { ...instantEngine(), languages: espeakLanguages(false) } });
    const before = (await service.call('GET', '/api/v1/billing')).body.creditsLeft;
    const reply = await service.speak({ input, voiceId: voiceId('gpro'), ...(language && { language }) });
    expect(reply.status).toBe(400);
    expect(reply.body.error).toMatchObject({ code: 'unsupported_language', param: 'input' });
    expect(reply.body.error.message).toContain(script);
    expect(reply.body.error.message).not.toContain(input.slice(0, 2));
    expect((await service.call('GET', '/api/v1/billing')).body.creditsLeft).toBe(before);
  });

  test('is known by the list of voices: their languages are those that the synthesizer reads', async () => {
    const service = await runningService({ engine: { ...instantEngine(), languages: ['de', 'en'] } });
    const { data } = (await service.call('GET', '/api/v1/voices')).body as { data: Voice[] };
    expect(data.find(({ model }) => model === 'gpro')?.languages).toEqual(['de', 'en']);
    expect(data.find(({ model }) => model === 'orpheus')?.languages).toEqual(['en']);
  });
});
