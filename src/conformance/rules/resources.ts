import assert from 'node:assert/strict';
import { PATHS } from '../../speech/base-url.ts';
import { accepts, asked, by, good, goodResponse, type Rule, section, TEXT } from '../framework/rule.ts';
import { NotApplicable, type Subject } from '../framework/subject.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const voice = section('Voice');
const paidVoice = section('Voice', 'credits');
const result = section('Speech result', 'credits');
const billing = section('Billing result');

function everyVoice(check: (voice: Record<string, unknown>) => void) {
  return async (subject: Subject) => {
    const voices = await subject.rawVoices();
    assert.ok(voices.length > 0, 'no voice is listed');
    for (const [index, listed] of voices.entries()) {
      try {
        check(listed);
      } catch (error) {
        assert.fail(`voice ${index} (${String(listed.id)}): ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  };
}

const hasText = (field: string) => (voice: Record<string, unknown>) =>
  assert.ok(typeof voice[field] === 'string' && voice[field] !== '', `no ${field}`);

function catalog(model: string, formats: readonly string[], style: boolean, language: 'multiple' | 'label'): Rule {
  return voice.states(
    `voice/catalog/${model}`,
    `${model} voices: ${[...formats].join(', ')}; supports_style ${style}; language ${language === 'label' ? 'a locale label' : language}`,
    async (subject) => {
      await subject.voiceOf(model);
      const family = (await subject.voices()).filter((candidate) => candidate.model === model);
      // A service may list that none of its voices of this model takes a style: `supports_style` is then not checked.
      const isWithoutStyle = style && family.every((listed) => listed.supports_style === false);
      for (const listed of family) {
        assert.deepEqual([...listed.formats].sort(), [...formats].sort(), listed.name);
        if (!isWithoutStyle) assert.equal(listed.supports_style, style, listed.name);
        if (language === 'multiple') assert.equal(listed.language, 'multiple', listed.name);
        else assert.match(listed.language, /^en\b/i, listed.name);
      }
      if (isWithoutStyle) throw new NotApplicable('these voices say that they take no style; the rest holds');
    },
  );
}

const anySpeech = accepts(good());

function usageOf(body: Record<string, unknown>): Record<string, unknown> {
  assert.ok(typeof body.usage === 'object' && body.usage !== null, 'usage is not an object');
  return body.usage as Record<string, unknown>;
}

export const resourceRules: readonly Rule[] = [
  voice.states('voice/id', 'id is a UUID, and no two voices share one', async (subject) => {
    await everyVoice((listed) => assert.match(String(listed.id), UUID))(subject);
    const ids = (await subject.rawVoices()).map((listed) => listed.id);
    assert.equal(new Set(ids).size, ids.length, 'two voices have the same id');
  }),
  voice.states('voice/id/stable', 'id is the same in every list', async (subject) => {
    const again = (await subject.client.voices()).voices.map((listed) => listed.id).sort();
    assert.deepEqual(again, (await subject.voices()).map((listed) => listed.id).sort());
  }),
  paidVoice.states('voice/id/usable', 'id is usable as voiceId', async (subject) => {
    await anySpeech(subject);
    await subject.client.speak({ input: TEXT, voice: { kind: 'id', voiceId: (await subject.voiceOf()).id } });
  }),
  voice.states('voice/name', 'name is text', everyVoice(hasText('name'))),
  paidVoice.states('voice/name/usable', 'name is usable as voice together with model', async (subject) => {
    const { name: voice, model } = await subject.voiceOf();
    await accepts(async () => ({ input: TEXT, voice, model }))(subject);
    await subject.client.speak({ input: TEXT, voice: { kind: 'name', voice, model } });
  }),
  voice.states('voice/model', 'model is text', everyVoice(hasText('model'))),
  voice.states(
    'voice/language',
    "language is 'multiple' or a locale label",
    everyVoice((listed) => assert.match(String(listed.language), /^(?:multiple|[a-z]{2,3}(?:[-_ ].*)?)$/iu)),
  ),
  voice.states(
    'voice/formats',
    'formats is a list of wav and mp3',
    everyVoice(({ formats }) => {
      assert.ok(Array.isArray(formats) && formats.length > 0, 'no formats');
      assert.ok(formats.every((format) => format === 'wav' || format === 'mp3'));
    }),
  ),
  voice.states(
    'voice/supports_style',
    'supports_style is true or false',
    everyVoice((listed) => assert.equal(typeof listed.supports_style, 'boolean')),
  ),
  catalog('gpro', ['wav'], true, 'multiple'),
  catalog('ext', ['mp3', 'wav'], false, 'multiple'),
  catalog('orpheus', ['mp3'], false, 'label'),
  voice.states('voice/ambiguous-names', 'a name of several models has an id for each', async (subject) => {
    const byName = Map.groupBy(await subject.voices(), (listed) => listed.name);
    const shared = [...byName.values()].filter((same) => new Set(same.map((listed) => listed.model)).size > 1);
    if (shared.length === 0) throw new NotApplicable('no two models share a name');
    for (const same of shared) assert.equal(new Set(same.map((listed) => listed.id)).size, same.length);
  }),

  result.states('result/url', 'url is the location of the audio', async (subject) => {
    const { url } = await anySpeech(subject);
    assert.ok(typeof url === 'string' && URL.canParse(url), 'url is no URL');
    const audio = await subject.listen(url);
    assert.notEqual(audio.format, 'unknown', 'the audio is neither WAV nor MP3');
    assert.ok(audio.seconds > 0.1, `the audio lasts ${audio.seconds} s`);
  }),
  result.observed('result/url/host', 'the audio is elsewhere, without a key, with its type', async (subject) => {
    const { url } = await anySpeech(subject);
    assert.notEqual(new URL(String(url)).origin, subject.apiOrigin);
    const audio = await subject.listen(String(url));
    assert.equal(audio.contentType?.split(';')[0], audio.format === 'wav' ? 'audio/wav' : 'audio/mpeg');
  }),
  ...(['credits_used', 'credits_remaining'] as const).map((field) =>
    result.states(`result/${field}`, `${field} is a number`, async (subject) => {
      const value = (await anySpeech(subject))[field];
      assert.ok(typeof value === 'number' && value >= 0, `${field} is ${String(value)}`);
    }),
  ),
  result.states('result/credits/consistent', 'credits_used and credits_remaining fit the balance', async (subject) => {
    const before = await subject.client.billing();
    const body = await anySpeech(subject);
    const after = await subject.client.billing();
    assert.equal(body.credits_remaining, after.creditsLeft);
    assert.equal(before.creditsLeft - Number(body.credits_used), after.creditsLeft);
  }),
  result.states('result/usage', 'usage is an object', async (subject) => void usageOf(await anySpeech(subject))),
  result.states(
    'result/usage.input_characters',
    'usage.input_characters is the number of characters billed',
    async (subject) => assert.equal(usageOf(await anySpeech(subject)).input_characters, TEXT.length),
  ),
  result.states('result/usage.model', 'usage.model is text', async (subject) =>
    assert.equal(typeof usageOf(await anySpeech(subject)).model, 'string'),
  ),
  result.states('result/usage.model/gpro38', 'usage.model names 3.8 for gpro38', async (subject) => {
    assert.match(String(usageOf(await accepts(by('gpro38'))(subject)).model), /3[.-]?8/);
    assert.match(String((await subject.client.speak(await asked(subject, 'gpro38'))).model), /3[.-]?8/);
  }),

  ...(['creditsLeft', 'lastUpdated', 'userId', 'lastBillingTransaction'] as const).map((field) =>
    billing.states(`billing/${field}`, `${field} is there`, async (subject) => {
      assert.ok(field in goodResponse(await subject.raw(PATHS.billing)), `no ${field}`);
    }),
  ),
  billing.states('billing/client', 'the client reads the balance', async (subject) => {
    assert.ok(Number.isFinite((await subject.client.billing()).creditsLeft));
  }),
  billing.observed('billing/transaction', 'lastBillingTransaction is null or a purchase', async (subject) => {
    const { lastBillingTransaction: last } = await subject.client.billing();
    if (last === null) return;
    assert.ok(last.type === 'purchase' || last.type === 'topup', `type ${last.type}`);
    assert.equal(typeof last.amount, 'number');
  }),
];
