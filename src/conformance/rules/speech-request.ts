import assert from 'node:assert/strict';
import {
  anyVoiceId,
  byId,
  failsWith,
  goodResponse,
  NO_VOICE_ID,
  refused,
  refusedByClient,
  spoken,
  TEXT,
} from '../framework/expect.ts';
import { NotApplicable, type Rule, type Subject, section } from '../framework/rule.ts';

const body = section('Speech request body');
const paidBody = section('Speech request body', 'credits');
const selection = section('Voice selection');
const paidSelection = section('Voice selection', 'credits');

/** A body that would be good. */
async function goodBody(subject: Subject): Promise<{ input: string; voiceId: string }> {
  return { input: TEXT, voiceId: await anyVoiceId(subject) };
}

function refuses(id: string, statement: string, change: Record<string, unknown>): Rule {
  return body.states(`request/${id}`, statement, async (subject) => {
    refused(await subject.speak({ ...(await goodBody(subject)), ...change }), 400);
  });
}

/** A number out of its range is refused by the service, and by the client before it is sent. */
function range(field: 'temperature' | 'speed', model: string, bad: readonly number[], ends: readonly number[]): Rule[] {
  return [
    body.states(`request/${field}/range`, `${field} beyond ${ends.join(' to ')} is refused`, async (subject) => {
      const { id } = await subject.voiceOf(model);
      for (const value of bad) {
        refused(await subject.speak({ input: TEXT, voiceId: id, [field]: value }), 400);
        await refusedByClient(subject.client.speak({ ...(await byId(subject, model)), [field]: value }));
      }
    }),
    body.observed(
      `request/${field}/range/every-model`,
      `${field} out of range is refused for every model`,
      async (subject) => {
        for (const listed of new Map((await subject.voices()).map((voice) => [voice.model, voice])).values()) {
          refused(await subject.speak({ input: TEXT, voiceId: listed.id, [field]: bad[0] }), 400);
        }
      },
    ),
    paidBody.states(`request/${field}/ends`, `${field} of ${ends.join(' and ')} is accepted`, async (subject) => {
      for (const value of ends) {
        const result = await subject.client.speak({ ...(await byId(subject, model)), [field]: value });
        assert.deepEqual(result.warnings, []);
      }
    }),
    body.states(`request/${field}/type`, `${field} is a number`, async (subject) => {
      const { id } = await subject.voiceOf(model);
      refused(await subject.speak({ input: TEXT, voiceId: id, [field]: '1' }), 400);
    }),
  ];
}

/** A parameter another family has: no error, no effect, and a warning from the client. */
function ignored(field: 'style' | 'seed' | 'temperature' | 'speed', value: string | number, model: string): Rule {
  return paidBody.states(
    `request/${field}/ignored-by/${model}`,
    `${field} has no effect on ${model} voices, and the client warns`,
    async (subject) => {
      const { id } = await subject.voiceOf(model);
      const answer = await subject.speak({ input: TEXT, voiceId: id, [field]: value });
      // Style and seed are 'not supported' there, which may also be an error.
      if (field === 'temperature' || field === 'speed' || answer.status !== 400) goodResponse(answer);
      const result = await subject.client.speak({ ...(await byId(subject, model)), [field]: value });
      assert.deepEqual(result.warnings, [{ field, model }]);
    },
  );
}

/** Two values of a parameter differ in the audio; the seed holds everything else equal. */
function changesAudio(
  field: 'seed' | 'temperature',
  [one, other]: readonly [number, number],
  model: string,
  statement: string,
): Rule {
  return paidBody.observed(`request/${field}/effect/${model}`, `${statement} (${model})`, async (subject) => {
    const request = { input: TEXT, voiceId: (await subject.voiceOf(model)).id, seed: 7 };
    const first = await spoken(subject, { ...request, [field]: one });
    const second = await spoken(subject, { ...request, [field]: other });
    assert.ok(!Buffer.from(first.bytes).equals(second.bytes), `${field} changes nothing`);
  });
}

export const requestRules: readonly Rule[] = [
  refuses('input/required', 'input is required', { input: undefined }),
  refuses('input/text', 'input is text', { input: 5 }),
  refuses('input/empty', 'empty input is refused', { input: '' }),
  body.states('request/input/client', 'the client refuses blank input before it is sent', async (subject) => {
    const { voiceId } = await goodBody(subject);
    await refusedByClient(subject.client.speak({ input: ' ', voice: { kind: 'id', voiceId } }));
  }),
  refuses('style/text', 'style is text', { style: 5 }),
  refuses('seed/integer', 'seed is an integer', { seed: 1.5 }),
  body.states('request/seed/client', 'the client refuses a seed that is no integer', async (subject) =>
    refusedByClient(subject.client.speak({ ...(await byId(subject, 'gpro')), seed: 1.5 })),
  ),
  refuses('response_format/values', 'response_format is mp3 or wav', { response_format: 'ogg' }),
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
    const request = { input: TEXT, voiceId: (await subject.voiceOf('gpro')).id, seed: 7 };
    const [first, second] = [await spoken(subject, request), await spoken(subject, request)];
    assert.ok(Buffer.from(first.bytes).equals(second.bytes), 'the audio differs');
  }),
  ...['gpro', 'gpro31', 'gpro38'].flatMap((model) => [
    changesAudio('seed', [7, 8], model, 'another seed gives other audio'),
    changesAudio('temperature', [0, 2], model, 'temperature changes the audio of one seed'),
  ]),
  paidBody.states(
    'request/speed/effect',
    'speed below 1 is slower, above 1 faster, 1 when omitted',
    async (subject) => {
      const { id } = await subject.voiceOf('ext');
      const seconds: number[] = [];
      for (const speed of [0.7, undefined, 1, 1.5]) {
        seconds.push((await spoken(subject, { input: TEXT, voiceId: id, speed })).seconds);
      }
      const [slow = 0, omitted = 0, normal = 0, fast = 0] = seconds;
      assert.ok(slow > normal && normal > fast, `0.7, 1, 1.5 lasted ${slow}, ${normal}, ${fast} s`);
      assert.ok(Math.abs(omitted - normal) < 0.25 * normal, `omitted lasted ${omitted} s, 1 lasted ${normal} s`);
    },
  ),
  body.observed('request/unknown-field', 'an unknown field is refused', async (subject) => {
    refused(await subject.speak({ ...(await goodBody(subject)), pitch: 1 }), 400, 'invalid_request');
  }),
  body.observed('request/null', 'null is not the absence of a field', async (subject) => {
    refused(await subject.speak({ ...(await goodBody(subject)), style: null }), 400, 'invalid_request');
  }),
  body.observed('request/not-json', 'a body that is not JSON is refused', async (subject) => {
    refused(await subject.speak('{"input":'), 400, 'invalid_request');
  }),

  paidSelection.states(
    'selection/voiceId-alone',
    'voiceId alone selects a voice',
    async (subject) => void goodResponse(await subject.speak(await goodBody(subject))),
  ),
  ...(['voice', 'model'] as const).map((field) =>
    selection.states(
      `selection/voiceId-with-${field}`,
      `${field} must not be present with voiceId`,
      async (subject) => {
        const [first] = await subject.voices();
        const value = field === 'voice' ? first?.name : first?.model;
        refused(await subject.speak({ ...(await goodBody(subject)), [field]: value }), 400);
      },
    ),
  ),
  selection.states('selection/all-three', 'voice and model must not be present with voiceId', async (subject) => {
    const [first] = await subject.voices();
    refused(await subject.speak({ ...(await goodBody(subject)), voice: first?.name, model: first?.model }), 400);
  }),
  selection.states('selection/voice-without-model', 'voice needs model', async (subject) => {
    const { name: voice } = await subject.voiceOf('gpro');
    refused(await subject.speak({ input: TEXT, voice }), 400);
  }),
  selection.states('selection/model-without-voice', 'model needs voice', async (subject) =>
    refused(await subject.speak({ input: TEXT, model: 'gpro' }), 400),
  ),
  selection.states('selection/none', 'a voice must be selected', async (subject) =>
    refused(await subject.speak({ input: TEXT }), 400),
  ),
  paidSelection.states(
    'selection/shared-name',
    'a name of several models is resolved by model or by voiceId',
    async (subject) => {
      const byName = Map.groupBy(await subject.voices(), (voice) => voice.name);
      const shared = [...byName.values()].find((same) => new Set(same.map((voice) => voice.model)).size > 1);
      if (shared === undefined) throw new NotApplicable('no two models share a name');
      for (const { id, name, model } of shared) {
        const named = goodResponse(await subject.speak({ input: TEXT, voice: name, model }));
        const identified = goodResponse(await subject.speak({ input: TEXT, voiceId: id }));
        assert.deepEqual(named.usage, identified.usage, `${name} of ${model}`);
      }
    },
  ),
  selection.observed('selection/unknown-id', 'an unknown voiceId is 404 voice_not_found', async (subject) => {
    refused(await subject.speak({ input: TEXT, voiceId: NO_VOICE_ID }), 404, 'voice_not_found');
    await failsWith(
      subject.client.speak({ input: TEXT, voice: { kind: 'id', voiceId: NO_VOICE_ID } }),
      'voice-not-found',
    );
  }),
  selection.observed('selection/unknown-name', 'an unknown name is 404 voice_not_found', async (subject) => {
    refused(await subject.speak({ input: TEXT, voice: 'nobody-of-this-name', model: 'gpro' }), 404, 'voice_not_found');
  }),
  selection.observed('selection/case', 'names are case-sensitive', async (subject) => {
    const { name } = await subject.voiceOf('gpro');
    const other = name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase();
    refused(await subject.speak({ input: TEXT, voice: other, model: 'gpro' }), 404);
  }),
];
