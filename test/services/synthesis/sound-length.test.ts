import { describe, expect, it } from 'vitest';
import { leastSoundMs, longestSoundMs } from '../../../src/services/synthesis/parts.ts';
import { leastCpuMs } from '../text/readable/cpu-time.ts';
import { asked } from './synthesis-stage.ts';

describe('the longest sound of a text', () => {
  it('is 20 s for a short one, and eight times what a long one should take', () => {
    expect(longestSoundMs(asked('Hi'))).toBe(20_000);
    expect(longestSoundMs(asked('a'.repeat(100)))).toBe(8 * 6_500);
    expect(longestSoundMs(asked('a'.repeat(4_000)))).toBe(8 * 260_000);
  });

  it('has room for digits that are read one by one, 0.7 s each in Finnish', () => {
    expect(longestSoundMs(asked('7'.repeat(60)))).toBe(62_400);
  });

  it.each([
    ['Wait. [pause for 30 minutes] Now.', 60_000],
    ['[long-pause]<break time="3s"/> Now.', 120_000],
    ['[laugh] <soft>Hi</soft>', 0],
    ['[unpaused] Hi', 0],
  ])('has room for the pauses of %s', (input, pausesMs) => {
    expect(longestSoundMs(asked(input))).toBe(20_000 + pausesMs);
  });

  it('has room for the pauses between passages', () => {
    const passages = ['Hi', 'Ho', 'Hey'].map((input) => ({ input, voice: { kind: 'id', voiceId: 'v' } as const }));
    expect(longestSoundMs(asked('Hi\nHo\nHey', { passages }))).toBe(23_000);
  });

  it.each(['['.repeat(6_000), '[pause'.repeat(1_000), '[pause 1'.repeat(750)])(
    'is computed at once for a text made of brackets: %.8s…',
    async (input) => {
      expect(await leastCpuMs(() => longestSoundMs(asked(input)))).toBeLessThan(200);
    },
  );
});

it.each([
  ['Hello there', 108],
  ['Where is everybody tonight?', 276],
  ['…!? 😀 [laugh] <break time="2s"/>', 0],
  ['nooooooooooo', 24],
  ['a'.repeat(900), 12],
  ['abcdefghij'.repeat(50), 240],
])('the least sound of a text of %s', (input, ms) => {
  expect(leastSoundMs(asked(input))).toBe(ms);
});
