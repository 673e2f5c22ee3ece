import { expect, it } from 'vitest';
import { readWav } from '../speech-service/measure-audio.ts';
import { jobOf } from '../speech-service/running-service.ts';
import { SPOKEN } from './cell.ts';
import { problemsOf } from './judge.ts';
import type { Seen } from './run-cell.ts';
import { countTones, createToneEngine, judgeText, stepsOf, type TextName, toneText } from './tones.ts';

/** The text as a listener hears it, at 48 kHz. */
async function spoken(name: TextName, seconds: number): Promise<Float32Array> {
  const engine = await createToneEngine();
  const job = jobOf(toneText(name, seconds, 1));
  const { bytes } = await engine.synthesize(job, new AbortController().signal);
  const { samples } = readWav(bytes);
  return Float32Array.from({ length: samples.length * 2 }, (_, at) => samples[at >> 1] ?? 0);
}

const joined = (...parts: readonly Float32Array[]) => Float32Array.from(parts.flatMap((part) => [...part]));

it('what is heard of a text is known by its tones: all of it once, a part, and a part twice', async () => {
  const [alpha, bravo] = await Promise.all([spoken('Alpha', 2), spoken('Bravo', 1)]);
  const half = alpha.subarray(0, alpha.length / 2);
  const heard = (pcm: Float32Array) => judgeText(countTones({ pcm }).Alpha, stepsOf(2));

  expect(heard(joined(alpha, bravo))).toMatchObject({ endings: 1, againSeconds: 0 });
  expect(heard(joined(alpha, bravo)).share).toBeGreaterThan(0.98);
  expect(heard(half).share).toBeCloseTo(0.5, 1);
  expect(heard(half).endings).toBe(0);
  expect(heard(joined(half, alpha))).toMatchObject({ endings: 1 });
  expect(heard(joined(half, alpha)).againSeconds).toBeCloseTo(1, 0);
  expect(heard(joined(alpha, alpha)).endings).toBe(2);
  expect(judgeText(countTones({ pcm: joined(alpha, bravo) }).Bravo, stepsOf(1)).share).toBeGreaterThan(0.98);
});

it('a cell is red for each thing that is not as it is wanted', () => {
  const good = { share: 1, againSeconds: 0, endings: 1, end: 'spoken', told: [] } as const;
  const seen: Seen = {
    first: good,
    second: good,
    newcomersShare: 1,
    paid: 2,
    isBotThere: true,
    silentMs: 300,
    clearFrames: 0,
    notices: [],
    seconds: 8,
  };
  const problems = (change: Partial<Seen>) => problemsOf({ wanted: SPOKEN, when: 'speaking' }, { ...seen, ...change });
  expect(problems({})).toEqual([]);
  expect(problems({ newcomersShare: 0 })).toHaveLength(1);
  expect(problems({ paid: 3 })).toHaveLength(1);
  expect(problems({ clearFrames: 1 })).toHaveLength(1);
  expect(problems({ silentMs: undefined })).toEqual(['never heard again']);
  expect(problems({ isBotThere: false })).toHaveLength(1);
  expect(problems({ first: { ...good, endings: 2 } })).toHaveLength(1);
  expect(problems({ first: { ...good, share: 0.5 } })).toHaveLength(1);
  expect(problems({ first: { ...good, share: 0, end: 'told', told: ['Lost.', 'Lost.'] } })).toHaveLength(2);
  expect(problems({ first: { ...good, end: 'told', told: ['Lost.'] } })).toContain(
    'the first is told not to be spoken, and 100 % of it is heard',
  );
});
