import { describe, expect, it } from 'vitest';
import {
  listedVoice,
  requestCharacters,
  requestIssues,
  requestsOf,
  requestWarnings,
  type SpeechRequest,
  speechRequestSchema,
  toWire,
  type Voice,
  voiceSchema,
} from '../../../src/speech/interface/schemas.ts';

const VOICE_ID = '0b7a1c1e-7a1c-4b2e-9d3f-3f2a1b0c9d8e';
const SENT = { input: 'Hi', voiceId: VOICE_ID };
const byId = (model?: string): SpeechRequest => ({ input: 'Hi', voice: { kind: 'id', voiceId: VOICE_ID, model } });
/** A voice of the list, which says no more of it than this. */
const listed = (facts: Partial<Voice> = {}) =>
  listedVoice(voiceSchema.parse({ id: VOICE_ID, name: 'x', model: 'gpro', ...facts }));

it.each([
  ['is not sent, told as ignored and not counted where the list says so', 'gpro', false, false, 2],
  ['is sent and counted where list and model take it', 'gpro', true, true, 10],
  ['is sent and not counted with gpro38', 'gpro38', true, true, 2],
  ['is up to the model where the list says nothing', 'gpro', undefined, true, 10],
  ['is up to the model where the list says nothing', 'some-new-model', undefined, true, 10],
  ['is up to the model where the list says nothing', 'orpheus', undefined, false, 2],
])('the style %s: %s', (_, model, takesStyle, isSent, characters) => {
  const request = { input: 'Hi', voice: listed({ model, supports_style: takesStyle }), style: 'calm' };
  expect(toWire(request)).toEqual(isSent ? { ...SENT, style: 'calm' } : SENT);
  expect(requestWarnings(request)).toEqual(isSent ? [] : [{ field: 'style', model }]);
  expect(requestCharacters(request)).toBe(characters);
});

describe('the body on the wire', () => {
  it.each([
    ['an alias resolved', 'Grok', 'ext', {}],
    ['an unknown one passed on', 'next9', 'next9', { style: 'x', speed: 1 }],
  ])('is the voice’s name with its model, %s', (_, named, model, more) => {
    const body = toWire({ input: 'Hi', voice: { kind: 'name', voice: 'anna', model: named }, ...more });
    expect(body).toEqual({ input: 'Hi', voice: 'anna', model, ...more });
  });

  it('holds only the given fields, and satisfies the strict schema', () => {
    const given = { style: 'calm', seed: 0, temperature: 0, speed: 1 };
    const body = toWire({ ...byId(), ...given, responseFormat: 'wav' });
    expect(body).toEqual({ ...SENT, ...given, response_format: 'wav' });
    expect(speechRequestSchema.safeParse(body).success).toBe(true);
    expect(Object.keys(toWire({ ...byId(), style: '' }))).toEqual(['input', 'voiceId']);
  });

  it('names the language of the text to a voice alone whose service says that it takes one', () => {
    const told = listed({ takes_language: true });
    const body = toWire({ input: 'No', voice: told, language: 'es' });
    expect(body).toEqual({ ...SENT, input: 'No', language: 'es' });
    expect(speechRequestSchema.safeParse(body).success).toBe(true);
    expect(toWire({ input: 'No', voice: listed(), language: 'es' })).not.toHaveProperty('language');
    const first = { input: 'No. ', voice: told, language: 'es' };
    const passages = [first, { input: 'Hello.', voice: told }];
    const requests = requestsOf({ input: 'No. Hello.', voice: listed(), language: 'es', passages });
    expect(requests.map((one) => toWire(one).language)).toEqual(['es', undefined]);
  });
});

describe('a request refused before sending', () => {
  it.each([
    ['temperature', 2.01, 'out-of-range'],
    ['speed', Number.NaN, 'not-a-number'],
    ['seed', 2 ** 31, 'out-of-range'],
    ['seed', 1.5, 'not-an-integer'],
  ] as const)('%s of %d, for every model: %s', (field, value, problem) => {
    for (const model of ['gpro', 'ext', 'unknown', undefined])
      expect(requestIssues({ ...byId(model), [field]: value })).toMatchObject([{ field, problem }]);
  });

  it.each([
    ['a voice is listed with, whatever its model makes', listed({ formats: ['mp3', 'wav'] }), 'mp3', undefined],
    ['a voice is not listed with', listed({ model: 'ext', formats: ['mp3'] }), 'wav', ['mp3']],
    ['the model does not make, of a list that names none', listed({ model: 'gpro' }), 'mp3', ['wav']],
    ['the model makes', byId('ext').voice, 'wav', undefined],
  ] as const)('a format that %s', (_, voice, responseFormat, allowed) => {
    const issue = { field: 'responseFormat', problem: 'unsupported', allowed };
    expect(requestIssues({ input: 'Hi', voice, responseFormat })).toEqual(allowed ? [issue] : []);
  });
});
