import { describe, expect, it } from 'vitest';
import { MODEL_IDS, modelRules } from '../../src/speech/interface/models.ts';
import { speechRequestSchema, type Voice, voiceSchema } from '../../src/speech/interface/schemas.ts';
import {
  listedVoice,
  requestCharacters,
  requestIssues,
  requestsOf,
  requestWarnings,
  type SpeechRequest,
  toWire,
} from '../../src/speech/request.ts';

const VOICE_ID = '0b7a1c1e-7a1c-4b2e-9d3f-3f2a1b0c9d8e';
const byId = (model?: string): SpeechRequest => ({
  input: 'Hi',
  voice: { kind: 'id', voiceId: VOICE_ID, ...(model !== undefined && { model }) },
});

const LISTED: Voice = {
  id: VOICE_ID,
  name: 'x',
  model: 'gpro',
  language: 'multiple',
  formats: [],
  supports_style: true,
};

describe('the style', () => {
  const styled = (supportsStyle: boolean, model = 'gpro') => ({
    input: 'Hi',
    voice: listedVoice({ ...LISTED, model, supports_style: supportsStyle }),
    style: 'calm',
  });

  it('is not sent, told as ignored and not counted where the list says that the voice takes none', () => {
    expect(toWire(styled(false))).toEqual({ input: 'Hi', voiceId: VOICE_ID });
    expect(requestWarnings(styled(false))).toEqual([{ field: 'style', model: 'gpro' }]);
    expect(requestCharacters(styled(false))).toBe(2);
  });

  it('is sent and counted where list and model take it', () => {
    expect(toWire(styled(true))).toEqual({ input: 'Hi', voiceId: VOICE_ID, style: 'calm' });
    expect(requestWarnings(styled(true))).toEqual([]);
    expect(requestCharacters(styled(true))).toBe(10);
    expect(requestCharacters(styled(true, 'gpro38'))).toBe(2);
  });

  it('is up to the model alone where the list does not say whether the voice takes one', () => {
    const { supports_style: _, ...silent } = LISTED;
    const styledOf = (model: string) => ({
      ...styled(true),
      voice: listedVoice(voiceSchema.parse({ ...silent, model })),
    });
    for (const model of ['gpro', 'some-new-model']) {
      expect(toWire(styledOf(model))).toEqual({ input: 'Hi', voiceId: VOICE_ID, style: 'calm' });
      expect(requestWarnings(styledOf(model))).toEqual([]);
    }
    expect(toWire(styledOf('orpheus'))).toEqual({ input: 'Hi', voiceId: VOICE_ID });
  });
});

describe('the body on the wire', () => {
  it('is a name with its model, aliases resolved', () => {
    expect(toWire({ input: 'Hi', voice: { kind: 'name', voice: 'anna', model: 'Grok' } })).toEqual({
      input: 'Hi',
      voice: 'anna',
      model: 'ext',
    });
  });

  it('passes an unknown model on', () => {
    expect(toWire({ input: 'Hi', voice: { kind: 'name', voice: 'a', model: 'next9' }, style: 'x', speed: 1 })).toEqual({
      input: 'Hi',
      voice: 'a',
      model: 'next9',
      style: 'x',
      speed: 1,
    });
  });

  it('holds only the given fields, and satisfies the strict schema', () => {
    const full: SpeechRequest = { ...byId(), style: 'calm', seed: 0, temperature: 0, responseFormat: 'wav', speed: 1 };
    const body = toWire(full);
    expect(body).toEqual({
      input: 'Hi',
      voiceId: VOICE_ID,
      style: 'calm',
      seed: 0,
      temperature: 0,
      response_format: 'wav',
      speed: 1,
    });
    expect(speechRequestSchema.safeParse(body).success).toBe(true);
    expect(Object.keys(toWire({ ...byId(), style: '' }))).toEqual(['input', 'voiceId']);
  });

  it('names the language of the text to a voice alone whose service says that it takes one', () => {
    const spanish = (voice: Voice) => toWire({ input: 'No', voice: listedVoice(voice), language: 'es' });
    const told = spanish({ ...LISTED, takes_language: true });
    expect(told).toEqual({ input: 'No', voiceId: VOICE_ID, language: 'es' });
    expect(speechRequestSchema.safeParse(told).success).toBe(true);
    expect(spanish(LISTED)).toEqual({ input: 'No', voiceId: VOICE_ID });
    const passages = requestsOf({
      ...{ input: 'No. Hello.', voice: listedVoice(LISTED), language: 'es' },
      passages: [
        { input: 'No. ', voice: listedVoice({ ...LISTED, takes_language: true }), language: 'es' },
        { input: 'Hello.', voice: listedVoice({ ...LISTED, takes_language: true }) },
      ],
    });
    expect(passages.map((one) => toWire(one).language)).toEqual(['es', undefined]);
  });

  it.each(MODEL_IDS)('leaves out what %s ignores, and warns of it', (model) => {
    const request = { ...byId(model), style: 'calm', seed: 1, temperature: 1, speed: 1 };
    const rules = modelRules(model);
    const ignored = (['style', 'seed', 'temperature', 'speed'] as const).filter((field) => !rules[field]);
    expect(requestWarnings(request)).toEqual(ignored.map((field) => ({ field, model })));
    for (const field of ignored) expect(toWire(request)).not.toHaveProperty(field);
  });
});

describe('a request refused before sending', () => {
  it.each([
    ['temperature', -0.01],
    ['temperature', 2.01],
    ['speed', 0.69],
    ['speed', 1.51],
    ['seed', -1],
    ['seed', 2 ** 31],
  ] as const)('%s of %d, for every model', (field, value) => {
    for (const model of [...MODEL_IDS, 'unknown', undefined]) {
      expect(requestIssues({ ...byId(model), [field]: value })).toMatchObject([{ field, problem: 'out-of-range' }]);
    }
  });

  it('a seed with a fraction, and numbers that are none', () => {
    expect(requestIssues({ ...byId(), seed: 1.5 })).toEqual([{ field: 'seed', problem: 'not-an-integer' }]);
    expect(requestIssues({ ...byId(), speed: Number.NaN })).toEqual([{ field: 'speed', problem: 'not-a-number' }]);
  });

  it('a format the voice is not listed with, whatever the table of models says', () => {
    const listed = (model: string, formats: string[]) => ({
      input: 'Hello',
      voice: listedVoice({ id: 'id', name: 'aria', model, language: 'en', formats, supports_style: true }),
    });
    expect(requestIssues({ ...listed('gpro', ['mp3', 'wav']), responseFormat: 'mp3' })).toEqual([]);
    expect(requestIssues({ ...listed('ext', ['mp3']), responseFormat: 'wav' })).toEqual([
      { field: 'responseFormat', problem: 'unsupported', allowed: ['mp3'] },
    ]);
    // An empty list says nothing.
    expect(requestIssues({ ...listed('gpro', []), responseFormat: 'mp3' })).toHaveLength(1);
    expect(toWire(listed('gpro', ['mp3', 'wav']))).toEqual({ input: 'Hello', voiceId: 'id' });
  });

  it('a format the model does not make, with those it makes', () => {
    expect(requestIssues({ ...byId('gpro38'), responseFormat: 'mp3' })).toEqual([
      { field: 'responseFormat', problem: 'unsupported', allowed: ['wav'] },
    ]);
    expect(requestIssues({ ...byId('orpheus'), responseFormat: 'wav' })).toHaveLength(1);
    expect(requestIssues({ ...byId('ext'), responseFormat: 'wav' })).toEqual([]);
  });
});
