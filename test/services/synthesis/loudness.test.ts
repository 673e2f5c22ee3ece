import { expect, test } from 'vitest';
import type { SpeechRequest } from '../../../src/speech/request.ts';
import { asked, by, stage } from './synthesis-stage.ts';

const LONG = Array.from({ length: 19 }, (_, i) => `Fox ${100 + i} jumps over the lazy dog, again and again.`).join(' ');

/** How the sounds of these requests were asked for. */
async function madeWith(...requests: SpeechRequest[]) {
  const { synthesizer, fetched } = stage({ memoryBytes: 0, isAutomatic: true });
  for (const request of requests) await synthesizer.voiceMessage(request, by('alice'));
  await synthesizer.close();
  return fetched;
}

test('a sound is made for its voice, however that was named and whatever it says', async () => {
  const byId = { kind: 'id', voiceId: 'ABC', model: 'orpheus' } as const;
  const byName = { kind: 'name', voice: 'aria', model: 'gpro' } as const;
  const made = await madeWith(
    asked('One.', { voice: byId }),
    asked('Two.', { voice: { ...byId, voiceId: 'abc' } }),
    asked('Three.', { voice: byName }),
  );
  expect(made.map(({ voiceKey }) => voiceKey)).toEqual(['abc', 'abc', 'gpro aria']);
});

test('the parts of a long text belong together, two texts do not', async () => {
  const made = await madeWith(asked(LONG), asked(LONG));
  const utterances = new Set(made.map(({ utterance }) => utterance));
  expect(made.length).toBeGreaterThan(utterances.size);
  expect(utterances.size).toBe(2);
  expect(utterances).not.toContain(undefined);
});
