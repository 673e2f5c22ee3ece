import { expect, test } from 'vitest';
import { clipFromPackets } from '../../../src/audio/clips/clip.ts';
import type { ClipOptions } from '../../../src/audio/making/pipeline.ts';
import { createSoundStore } from '../../../src/services/synthesis/sound-store.ts';
import { createSynthesiser } from '../../../src/services/synthesis/synthesis.ts';
import type { SpeechRequest } from '../../../src/speech/request.ts';
import { asked, by, SOUND, silentLog } from './synthesis-stage.ts';

const LONG = Array.from({ length: 19 }, (_, i) => `Fox ${100 + i} jumps over the lazy dog, again and again.`).join(' ');

/** How the sounds of these requests were asked for. */
async function madeWith(...requests: SpeechRequest[]): Promise<ClipOptions[]> {
  const made: ClipOptions[] = [];
  const synthesiser = createSynthesiser({
    keyOf: (request) => JSON.stringify(request),
    store: createSoundStore({ memoryBytes: 0, log: silentLog }),
    speech: {
      speak: async () => ({
        audioUrl: new URL('https://audio.example.com/1'),
        creditsUsed: 1,
        creditsRemaining: 1,
        warnings: [],
      }),
    },
    pipeline: {
      async fetchClip(_, options = {}) {
        made.push(options);
        return clipFromPackets(SOUND);
      },
      fetchFile: () => Promise.reject(new Error('There is no file')),
    },
  });
  for (const request of requests) {
    await synthesiser.voiceMessage(request, by('alice'));
  }
  synthesiser.close();
  return made;
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
