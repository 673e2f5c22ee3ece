import assert from 'node:assert/strict';
import { INSTANT_TAGS, WRAPPING_TAGS } from '../../speech/interface/tags.ts';
import { byId, goodResponse, refused, refusedByClient, spoken, TEXT } from '../framework/expect.ts';
import { NotApplicable, type Rule, section } from '../framework/rule.ts';

const models = section('Model-specific rules');
const paidModels = section('Model-specific rules', 'credits');
const tags = section('Speech tags', 'credits');

export const modelSchemaRules: readonly Rule[] = [
  paidModels.states('models/gpro/style-and-seed', 'gpro: style and seed are honoured', async (subject) => {
    const { id, supports_style: takesStyle } = await subject.voiceOf('gpro');
    if (takesStyle === false) throw new NotApplicable('the voice says that it takes no style');
    const plain = await spoken(subject, { input: TEXT, voiceId: id, seed: 7 });
    const styled = await spoken(subject, { input: TEXT, voiceId: id, seed: 7, style: 'very slow and quiet' });
    assert.ok(!Buffer.from(plain.bytes).equals(styled.bytes), 'style changes nothing');
    const request = { ...(await byId(subject, 'gpro')), style: 'calm', seed: 7 };
    assert.deepEqual((await subject.client.speak(request)).warnings, []);
  }),
  paidModels.states('models/gpro31/tags', 'gpro31: expression tags in square brackets', async (subject) => {
    const { id } = await subject.voiceOf('gpro31');
    goodResponse(await subject.speak({ input: '[cheerful] Hi [short pause] there.', voiceId: id }));
  }),
  models.states('models/gpro31/listed-voices-only', 'gpro31: only with voices listed as gpro31', async (subject) => {
    const listed = await subject.voices();
    if (!listed.some((voice) => voice.model === 'gpro31')) throw new NotApplicable('no voice of gpro31 is listed');
    const names = new Set(listed.filter((voice) => voice.model === 'gpro31').map((voice) => voice.name));
    const other = listed.find((voice) => !names.has(voice.name));
    if (other === undefined) throw new NotApplicable('every name is also one of gpro31');
    const answer = await subject.speak({ input: TEXT, voice: other.name, model: 'gpro31' });
    assert.ok(answer.status === 400 || answer.status === 404, `answered ${answer.status}`);
  }),
  paidModels.states('models/gpro38/tags', 'gpro38: vocal events in angle brackets', async (subject) => {
    const { id } = await subject.voiceOf('gpro38');
    goodResponse(await subject.speak({ input: 'Hi <sigh> there <short pause>.', voiceId: id }));
  }),
  paidModels.states(
    'models/gpro38/style-apart',
    'gpro38: style is passed apart from the text and not billed with it',
    async (subject) => {
      const request = { ...(await byId(subject, 'gpro38')), style: 'calm and friendly' };
      const result = await subject.client.speak(request);
      assert.deepEqual(result.warnings, []);
      assert.equal(result.inputCharacters, TEXT.length);
    },
  ),
  ...(
    [
      ['gpro', undefined, 'wav'],
      ['gpro31', undefined, 'wav'],
      ['gpro38', undefined, 'wav'],
      ['orpheus', undefined, 'mp3'],
      ['ext', undefined, 'mp3'],
      ['ext', 'mp3', 'mp3'],
      ['ext', 'wav', 'wav'],
    ] as const
  ).map(([model, asked, made]) =>
    paidModels.states(
      `models/${model}/format/${asked ?? 'default'}`,
      `${model}: ${asked === undefined ? `makes ${made} unless told otherwise` : `makes ${made} when asked`}`,
      async (subject) => {
        const { id } = await subject.voiceOf(model);
        assert.equal((await spoken(subject, { input: TEXT, voiceId: id, response_format: asked })).format, made);
      },
    ),
  ),
  ...(
    [
      ['gpro', 'mp3'],
      ['gpro38', 'mp3'],
      ['orpheus', 'wav'],
    ] as const
  ).map(([model, format]) =>
    models.observed(`models/${model}/format/refused`, `${model}: ${format} is refused`, async (subject) => {
      const { id } = await subject.voiceOf(model);
      const answer = await subject.speak({ input: TEXT, voiceId: id, response_format: format });
      refused(answer, 400, 'unsupported_response_format');
      await refusedByClient(subject.client.speak({ ...(await byId(subject, model)), responseFormat: format }));
    }),
  ),

  ...[...INSTANT_TAGS.map((tag) => `[${tag}]`), ...WRAPPING_TAGS.map((tag) => `<${tag}>there</${tag}>`)].map((tag) =>
    tags.states(`tags/${tag}`, `${tag} is accepted, and its characters are billed`, async (subject) => {
      const input = `Hi ${tag} you.`;
      const { warnings, inputCharacters } = await subject.client.speak({ ...(await byId(subject, 'ext')), input });
      assert.deepEqual(warnings, []);
      assert.equal(inputCharacters, input.length);
    }),
  ),
  tags.states('tags/not-spoken', 'tags are not read out', async (subject) => {
    const { id } = await subject.voiceOf('ext');
    const tagged = await spoken(subject, { input: 'Hi <higher-pitch>there</higher-pitch> you.', voiceId: id });
    const readOut = await spoken(subject, { input: 'Hi higher pitch there higher pitch you.', voiceId: id });
    assert.ok(tagged.seconds < readOut.seconds, `${tagged.seconds} s, and ${readOut.seconds} s with the tags as words`);
  }),
  tags.states('tags/combined', 'both kinds may be combined in one input', async (subject) => {
    const { id } = await subject.voiceOf('ext');
    goodResponse(await subject.speak({ input: '<slow>Hi [pause] <soft>there</soft></slow> [laugh]', voiceId: id }));
  }),
  tags.states('tags/misspelled', 'unsupported and misspelled tags are read as plain text', async (subject) => {
    const { id } = await subject.voiceOf('ext');
    const plain = await spoken(subject, { input: 'Hi there.', voiceId: id });
    const misspelled = await spoken(subject, { input: 'Hi [extraordinary tag] there.', voiceId: id });
    assert.ok(misspelled.seconds > plain.seconds + 0.2, `${misspelled.seconds} s with it, ${plain.seconds} s without`);
  }),
];
