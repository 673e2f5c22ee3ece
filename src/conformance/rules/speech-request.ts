import assert from 'node:assert/strict';
import { INSTANT_TAGS, WRAPPING_TAGS } from '../../services/speech/interface/tags.ts';
import type { SpeechRequest } from '../../services/speech/request.ts';
import { failsWith, good, NO_VOICE_ID, refused, refusedByClient, spoken, TEXT } from '../expect.ts';
import { NotApplicable, type Rule, type Subject, section } from '../rule.ts';

const body = section('Speech request body');
const selection = section('Voice selection');
const models = section('Model-specific rules');
const tags = section('Speech tags');
const SPEND = ['credits'] as const;

/** A body that would be good, of the first family that is there. */
async function goodBody(subject: Subject): Promise<{ input: string; voiceId: string }> {
  const [first] = await subject.voices();
  if (first === undefined) throw new NotApplicable('no voice is listed');
  return { input: TEXT, voiceId: first.id };
}

function refuses(id: string, statement: string, change: Record<string, unknown>): Rule {
  return body.states(`request/${id}`, statement, async (subject) => {
    refused(await subject.speak({ ...(await goodBody(subject)), ...change }), 400);
  });
}

async function byId(subject: Subject, model: string): Promise<Pick<SpeechRequest, 'input' | 'voice'>> {
  const { id } = await subject.voiceOf(model);
  return { input: TEXT, voice: { kind: 'id', voiceId: id, model } };
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
    body.states(
      `request/${field}/ends`,
      `${field} of ${ends.join(' and ')} is accepted`,
      async (subject) => {
        for (const value of ends) {
          const result = await subject.client.speak({ ...(await byId(subject, model)), [field]: value });
          assert.deepEqual(result.warnings, []);
        }
      },
      SPEND,
    ),
    body.states(`request/${field}/type`, `${field} is a number`, async (subject) => {
      const { id } = await subject.voiceOf(model);
      refused(await subject.speak({ input: TEXT, voiceId: id, [field]: '1' }), 400);
    }),
  ];
}

/** A parameter another family has: no error, no effect, and a warning from the client. */
function ignored(field: 'style' | 'seed' | 'temperature' | 'speed', value: string | number, model: string): Rule {
  return body.states(
    `request/${field}/ignored-by/${model}`,
    `${field} has no effect on ${model} voices, and the client warns`,
    async (subject) => {
      const { id } = await subject.voiceOf(model);
      const answer = await subject.speak({ input: TEXT, voiceId: id, [field]: value });
      // Style and seed are 'not supported' there, which may also be an error.
      if (field === 'temperature' || field === 'speed' || answer.status !== 400) good(answer);
      const result = await subject.client.speak({ ...(await byId(subject, model)), [field]: value });
      assert.deepEqual(result.warnings, [{ field, model }]);
    },
    SPEND,
  );
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
  body.states(
    'request/seed/deterministic',
    'the same seed gives the same audio',
    async (subject) => {
      const request = { input: TEXT, voiceId: (await subject.voiceOf('gpro')).id, seed: 7 };
      const [first, second] = [await spoken(subject, request), await spoken(subject, request)];
      assert.ok(Buffer.from(first.bytes).equals(second.bytes), 'the audio differs');
    },
    SPEND,
  ),
  body.states(
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
    SPEND,
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

  selection.states(
    'selection/voiceId-alone',
    'voiceId alone selects a voice',
    async (subject) => void good(await subject.speak(await goodBody(subject))),
    SPEND,
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
  selection.states(
    'selection/shared-name',
    'a name of several models is resolved by model or by voiceId',
    async (subject) => {
      const byName = Map.groupBy(await subject.voices(), (voice) => voice.name);
      const shared = [...byName.values()].find((same) => new Set(same.map((voice) => voice.model)).size > 1);
      if (shared === undefined) throw new NotApplicable('no two models share a name');
      for (const { id, name, model } of shared) {
        const named = good(await subject.speak({ input: TEXT, voice: name, model }));
        const identified = good(await subject.speak({ input: TEXT, voiceId: id }));
        assert.deepEqual(named.usage, identified.usage, `${name} of ${model}`);
      }
    },
    SPEND,
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

  models.states(
    'models/gpro/style-and-seed',
    'gpro: style and seed are honoured',
    async (subject) => {
      const request = { ...(await byId(subject, 'gpro')), style: 'calm', seed: 7 };
      assert.deepEqual((await subject.client.speak(request)).warnings, []);
      const { id } = await subject.voiceOf('gpro');
      const plain = await spoken(subject, { input: TEXT, voiceId: id, seed: 7 });
      const styled = await spoken(subject, { input: TEXT, voiceId: id, seed: 7, style: 'very slow and quiet' });
      assert.ok(!Buffer.from(plain.bytes).equals(styled.bytes), 'style changes nothing');
    },
    SPEND,
  ),
  models.states(
    'models/gpro31/tags',
    'gpro31: expression tags in square brackets',
    async (subject) => {
      const { id } = await subject.voiceOf('gpro31');
      good(await subject.speak({ input: '[cheerful] Hi [short pause] there.', voiceId: id }));
    },
    SPEND,
  ),
  models.states('models/gpro31/listed-voices-only', 'gpro31: only with voices listed as gpro31', async (subject) => {
    const listed = await subject.voices();
    if (!listed.some((voice) => voice.model === 'gpro31')) throw new NotApplicable('no voice of gpro31 is listed');
    const names = new Set(listed.filter((voice) => voice.model === 'gpro31').map((voice) => voice.name));
    const other = listed.find((voice) => !names.has(voice.name));
    if (other === undefined) throw new NotApplicable('every name is also one of gpro31');
    const answer = await subject.speak({ input: TEXT, voice: other.name, model: 'gpro31' });
    assert.ok(answer.status === 400 || answer.status === 404, `answered ${answer.status}`);
  }),
  models.states(
    'models/gpro38/tags',
    'gpro38: vocal events in angle brackets',
    async (subject) => {
      const { id } = await subject.voiceOf('gpro38');
      good(await subject.speak({ input: 'Hi <sigh> there <short pause>.', voiceId: id }));
    },
    SPEND,
  ),
  models.states(
    'models/gpro38/style-apart',
    'gpro38: style is passed apart from the text and not billed with it',
    async (subject) => {
      const request = { ...(await byId(subject, 'gpro38')), style: 'calm and friendly' };
      const result = await subject.client.speak(request);
      assert.deepEqual(result.warnings, []);
      assert.equal(result.inputCharacters, TEXT.length);
    },
    SPEND,
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
    models.states(
      `models/${model}/format/${asked ?? 'default'}`,
      `${model}: ${asked === undefined ? `makes ${made} unless told otherwise` : `makes ${made} when asked`}`,
      async (subject) => {
        const { id } = await subject.voiceOf(model);
        assert.equal((await spoken(subject, { input: TEXT, voiceId: id, response_format: asked })).format, made);
      },
      SPEND,
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
    tags.states(
      `tags/${tag}`,
      `${tag} is accepted, and its characters are billed`,
      async (subject) => {
        const input = `Hi ${tag} you.`;
        const { warnings, inputCharacters } = await subject.client.speak({ ...(await byId(subject, 'ext')), input });
        assert.deepEqual(warnings, []);
        assert.equal(inputCharacters, input.length);
      },
      SPEND,
    ),
  ),
  tags.states(
    'tags/not-spoken',
    'tags are not read out',
    async (subject) => {
      const { id } = await subject.voiceOf('ext');
      const tagged = await spoken(subject, { input: 'Hi <higher-pitch>there</higher-pitch> you.', voiceId: id });
      const readOut = await spoken(subject, { input: 'Hi higher pitch there higher pitch you.', voiceId: id });
      assert.ok(
        tagged.seconds < readOut.seconds,
        `${tagged.seconds} s, and ${readOut.seconds} s with the tags as words`,
      );
    },
    SPEND,
  ),
  tags.states(
    'tags/combined',
    'both kinds may be combined in one input',
    async (subject) => {
      const { id } = await subject.voiceOf('ext');
      good(await subject.speak({ input: '<slow>Hi [pause] <soft>there</soft></slow> [laugh]', voiceId: id }));
    },
    SPEND,
  ),
  tags.states(
    'tags/misspelled',
    'unsupported and misspelled tags are read as plain text',
    async (subject) => {
      const { id } = await subject.voiceOf('ext');
      const plain = await spoken(subject, { input: 'Hi there.', voiceId: id });
      const misspelled = await spoken(subject, { input: 'Hi [extraordinary tag] there.', voiceId: id });
      assert.ok(
        misspelled.seconds > plain.seconds + 0.2,
        `${misspelled.seconds} s with it, ${plain.seconds} s without`,
      );
    },
    SPEND,
  ),
];
