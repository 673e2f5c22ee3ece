import assert from 'node:assert/strict';
import { INSTANT_TAGS, WRAPPING_TAGS } from '../../speech/interface/models.ts';
import {
  accepts,
  asked,
  by,
  failsWith,
  good,
  hears,
  NO_VOICE_ID,
  type Rule,
  refused,
  refusedByClient,
  refuses,
  section,
  TEXT,
} from '../framework/rule.ts';
import { NotApplicable } from '../framework/subject.ts';

const invalid = (fields: Parameters<typeof good>[0]) => refuses(good(fields), 400, 'invalid_request');

const body = section('Speech request body');
const paidBody = section('Speech request body', 'credits');
const selection = section('Voice selection');
const paidSelection = section('Voice selection', 'credits');

/** The service must reject numbers outside the range, and Crier's client must reject them before sending. */
function range(field: 'temperature' | 'speed', model: string, bad: readonly number[], ends: readonly number[]): Rule[] {
  return [
    body.states(`request/${field}/range`, `${field} beyond ${ends.join(' to ')} is refused`, async (subject) => {
      for (const value of bad) {
        await refuses(by(model, { [field]: value }), 400)(subject);
        await refusedByClient(subject.client.speak(await asked(subject, model, { [field]: value })));
      }
    }),
    body.observed(`request/${field}/range/every-model`, `${field} out of range is refused by each`, async (subject) => {
      for (const model of new Set((await subject.voices()).map((voice) => voice.model))) {
        await refuses(by(model, { [field]: bad[0] }), 400)(subject);
      }
    }),
    paidBody.states(`request/${field}/ends`, `${field} of ${ends.join(' and ')} is accepted`, async (subject) => {
      for (const value of ends) {
        const result = await subject.client.speak(await asked(subject, model, { [field]: value }));
        assert.deepEqual(result.warnings, []);
      }
    }),
    body.states(`request/${field}/type`, `${field} is a number`, refuses(by(model, { [field]: '1' }), 400)),
  ];
}

/** The service must ignore a parameter that the model does not support, and Crier's client must warn about it. */
function ignored(field: 'style' | 'seed' | 'temperature' | 'speed', value: string | number, model: string): Rule {
  return paidBody.states(
    `request/${field}/ignored-by/${model}`,
    `${field} has no effect on ${model} voices, and the client warns`,
    async (subject) => {
      const changed = { [field]: value };
      // The API document calls style and seed 'not supported' for some models: a service may ignore or reject them.
      const mayBeRefused = field === 'style' || field === 'seed';
      const { status } = await subject.speak(await by(model, changed)(subject));
      assert.ok((status >= 200 && status < 300) || (mayBeRefused && status === 400), `answered ${status}`);
      const result = await subject.client.speak(await asked(subject, model, changed));
      assert.deepEqual(result.warnings, [{ field, model }]);
    },
  );
}

/** Two values of a parameter must give different audio; the requests differ in nothing else. */
function changesAudio(
  field: 'seed' | 'temperature',
  [one, other]: readonly [number, number],
  model: string,
  statement: string,
): Rule {
  return paidBody.observed(`request/${field}/effect/${model}`, `${statement} (${model})`, async (subject) => {
    const hear = (value: number) => hears(by(model, { seed: 7, [field]: value }))(subject);
    const first = await hear(one);
    const second = await hear(other);
    assert.ok(!Buffer.from(first.bytes).equals(second.bytes), `${field} changes nothing`);
  });
}

const models = section('Model-specific rules');
const paidModels = section('Model-specific rules', 'credits');
const tags = section('Speech tags', 'credits');

/** Each row: a model, the requested audio format (undefined: the default), and the format that the model must make. */
const MADE = [
  ['gpro', undefined, 'wav'],
  ['gpro31', undefined, 'wav'],
  ['gpro38', undefined, 'wav'],
  ['orpheus', undefined, 'mp3'],
  ['ext', undefined, 'mp3'],
  ['ext', 'mp3', 'mp3'],
  ['ext', 'wav', 'wav'],
] as const;
const NOT_MADE = [
  ['gpro', 'mp3'],
  ['gpro38', 'mp3'],
  ['orpheus', 'wav'],
] as const;

export const requestRules: readonly Rule[] = [
  body.states('request/input/required', 'input is required', refuses(good({ input: undefined }), 400)),
  body.states('request/input/text', 'input is text', refuses(good({ input: 5 }), 400)),
  body.states('request/input/empty', 'empty input is refused', refuses(good({ input: '' }), 400)),
  body.states('request/input/client', 'the client refuses blank input before it is sent', async (subject) => {
    const { id: voiceId } = await subject.voiceOf();
    await refusedByClient(subject.client.speak({ input: ' ', voice: { kind: 'id', voiceId } }));
  }),
  body.states('request/style/text', 'style is text', refuses(good({ style: 5 }), 400)),
  body.states('request/seed/integer', 'seed is an integer', refuses(good({ seed: 1.5 }), 400)),
  body.states('request/seed/client', 'the client refuses a seed that is no integer', async (subject) =>
    refusedByClient(subject.client.speak(await asked(subject, 'gpro', { seed: 1.5 }))),
  ),
  body.states('request/response_format/values', 'it is mp3 or wav', refuses(good({ response_format: 'ogg' }), 400)),
  ...range('temperature', 'gpro', [-0.1, 2.1], [0, 2]),
  ...range('speed', 'ext', [0.69, 1.51], [0.7, 1.5]),
  ignored('style', 'calm', 'ext'),
  ignored('style', 'calm', 'orpheus'),
  ignored('seed', 7, 'ext'),
  ignored('temperature', 1, 'ext'),
  ignored('temperature', 1, 'orpheus'),
  ignored('speed', 1.2, 'gpro'),
  ignored('speed', 1.2, 'orpheus'),
  paidBody.states('request/seed/deterministic', 'the same seed gives the same audio', async (subject) => {
    const hear = hears(by('gpro', { seed: 7 }));
    const [first, second] = [await hear(subject), await hear(subject)];
    assert.ok(Buffer.from(first.bytes).equals(second.bytes), 'the audio differs');
  }),
  ...['gpro', 'gpro31', 'gpro38'].flatMap((model) => [
    changesAudio('seed', [7, 8], model, 'another seed gives other audio'),
    changesAudio('temperature', [0, 2], model, 'temperature changes the audio of one seed'),
  ]),
  paidBody.states('request/speed/effect', 'speed below 1 is slower, above 1 faster, 1 if omitted', async (subject) => {
    const seconds: number[] = [];
    for (const speed of [0.7, undefined, 1, 1.5]) seconds.push((await hears(by('ext', { speed }))(subject)).seconds);
    const [slow = 0, omitted = 0, normal = 0, fast = 0] = seconds;
    assert.ok(slow > normal && normal > fast, `0.7, 1, 1.5 lasted ${slow}, ${normal}, ${fast} s`);
    assert.ok(Math.abs(omitted - normal) < 0.25 * normal, `omitted lasted ${omitted} s, 1 lasted ${normal} s`);
  }),
  body.observed('request/unknown-field', 'an unknown field is refused', invalid({ pitch: 1 })),
  body.observed('request/null', 'null is not the absence of a field', invalid({ style: null })),
  body.observed('request/not-json', 'a body that is not JSON is refused', async (subject) =>
    refused(await subject.speak('{"input":'), 400, 'invalid_request'),
  ),

  paidSelection.states('selection/voiceId-alone', 'voiceId alone selects a voice', accepts(good())),
  ...(['voice', 'model'] as const).map((field) =>
    selection.states(`selection/voiceId-with-${field}`, `${field} must not come with voiceId`, async (subject) => {
      const { name: voice, model } = await subject.voiceOf();
      await refuses(good({ [field]: { voice, model }[field] }), 400)(subject);
    }),
  ),
  selection.states('selection/all-three', 'voice and model must not be present with voiceId', async (subject) => {
    const { name: voice, model } = await subject.voiceOf();
    await refuses(good({ voice, model }), 400)(subject);
  }),
  selection.states('selection/voice-without-model', 'voice needs model', async (subject) => {
    const { name: voice } = await subject.voiceOf('gpro');
    refused(await subject.speak({ input: TEXT, voice }), 400);
  }),
  selection.states('selection/model-without-voice', 'model needs voice', refuses({ input: TEXT, model: 'gpro' }, 400)),
  selection.states('selection/none', 'a voice must be selected', refuses({ input: TEXT }, 400)),
  paidSelection.states('selection/shared-name', 'model or voiceId tells voices of one name apart', async (subject) => {
    const byName = Map.groupBy(await subject.voices(), (voice) => voice.name);
    const shared = [...byName.values()].find((same) => new Set(same.map((voice) => voice.model)).size > 1);
    if (shared === undefined) throw new NotApplicable('no two models share a name');
    for (const { id: voiceId, name: voice, model } of shared) {
      const named = await accepts(async () => ({ input: TEXT, voice, model }))(subject);
      const identified = await accepts(async () => ({ input: TEXT, voiceId }))(subject);
      assert.deepEqual(named.usage, identified.usage, `${voice} of ${model}`);
    }
  }),
  selection.observed('selection/unknown-id', 'an unknown voiceId is 404 voice_not_found', async (subject) => {
    await refuses({ input: TEXT, voiceId: NO_VOICE_ID }, 404, 'voice_not_found')(subject);
    const call = subject.client.speak({ input: TEXT, voice: { kind: 'id', voiceId: NO_VOICE_ID } });
    await failsWith(call, 'voice-not-found');
  }),
  selection.observed(
    'selection/unknown-name',
    'an unknown name is 404 voice_not_found',
    refuses({ input: TEXT, voice: 'nobody-of-this-name', model: 'gpro' }, 404, 'voice_not_found'),
  ),
  selection.observed('selection/case', 'names are case-sensitive', async (subject) => {
    const { name } = await subject.voiceOf('gpro');
    const voice = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
    refused(await subject.speak({ input: TEXT, voice, model: 'gpro' }), 404);
  }),

  paidModels.states('models/gpro/style-and-seed', 'gpro: style and seed are honored', async (subject) => {
    const { supports_style: takesStyle } = await subject.voiceOf('gpro');
    if (takesStyle === false) throw new NotApplicable('the voice says that it takes no style');
    const plain = await hears(by('gpro', { seed: 7 }))(subject);
    const styled = await hears(by('gpro', { seed: 7, style: 'very slow and quiet' }))(subject);
    assert.ok(!Buffer.from(plain.bytes).equals(styled.bytes), 'style changes nothing');
    const result = await subject.client.speak(await asked(subject, 'gpro', { style: 'calm', seed: 7 }));
    assert.deepEqual(result.warnings, []);
  }),
  paidModels.states(
    'models/gpro31/tags',
    'gpro31: expression tags in square brackets',
    accepts(by('gpro31', { input: '[cheerful] Hi [short pause] there.' })),
  ),
  models.states('models/gpro31/listed-voices-only', 'gpro31: only with voices listed as gpro31', async (subject) => {
    const listed = await subject.voices();
    const names = new Set(listed.filter((voice) => voice.model === 'gpro31').map((voice) => voice.name));
    if (names.size === 0) throw new NotApplicable('no voice of gpro31 is listed');
    const other = listed.find((voice) => !names.has(voice.name));
    if (other === undefined) throw new NotApplicable('every name is also one of gpro31');
    const answer = await subject.speak({ input: TEXT, voice: other.name, model: 'gpro31' });
    assert.ok(answer.status === 400 || answer.status === 404, `answered ${answer.status}`);
  }),
  paidModels.states(
    'models/gpro38/tags',
    'gpro38: vocal events in angle brackets',
    accepts(by('gpro38', { input: 'Hi <sigh> there <short pause>.' })),
  ),
  paidModels.states('models/gpro38/style-apart', 'gpro38: style is not billed with the text', async (subject) => {
    const result = await subject.client.speak(await asked(subject, 'gpro38', { style: 'calm and friendly' }));
    assert.deepEqual(result.warnings, []);
    assert.equal(result.inputCharacters, TEXT.length);
  }),
  ...MADE.map(([model, format, made]) =>
    paidModels.states(
      `models/${model}/format/${format ?? 'default'}`,
      `${model}: makes ${made} ${format === undefined ? 'unless told otherwise' : 'when asked'}`,
      async (subject) => assert.equal((await hears(by(model, { response_format: format }))(subject)).format, made),
    ),
  ),
  ...NOT_MADE.map(([model, format]) =>
    models.observed(`models/${model}/format/refused`, `${model}: ${format} is refused`, async (subject) => {
      await refuses(by(model, { response_format: format }), 400, 'unsupported_response_format')(subject);
      await refusedByClient(subject.client.speak(await asked(subject, model, { responseFormat: format })));
    }),
  ),

  ...[...INSTANT_TAGS.map((tag) => `[${tag}]`), ...WRAPPING_TAGS.map((tag) => `<${tag}>there</${tag}>`)].map((tag) =>
    tags.states(`tags/${tag}`, `${tag} is accepted, and its characters are billed`, async (subject) => {
      const input = `Hi ${tag} you.`;
      const { warnings, inputCharacters } = await subject.client.speak(await asked(subject, 'ext', { input }));
      assert.deepEqual(warnings, []);
      assert.equal(inputCharacters, input.length);
    }),
  ),
  tags.states('tags/not-spoken', 'tags are not read out', async (subject) => {
    const tagged = await hears(by('ext', { input: 'Hi <higher-pitch>there</higher-pitch> you.' }))(subject);
    const readOut = await hears(by('ext', { input: 'Hi higher pitch there higher pitch you.' }))(subject);
    assert.ok(tagged.seconds < readOut.seconds, `${tagged.seconds} s, and ${readOut.seconds} s with the tags as words`);
  }),
  tags.states(
    'tags/combined',
    'both kinds may be combined in one input',
    accepts(by('ext', { input: '<slow>Hi [pause] <soft>there</soft></slow> [laugh]' })),
  ),
  tags.states('tags/misspelled', 'unsupported and misspelled tags are read as plain text', async (subject) => {
    const plain = await hears(by('ext', { input: 'Hi there.' }))(subject);
    const misspelled = await hears(by('ext', { input: 'Hi [extraordinary tag] there.' }))(subject);
    assert.ok(misspelled.seconds > plain.seconds + 0.2, `${misspelled.seconds} s with it, ${plain.seconds} s without`);
  }),
];
