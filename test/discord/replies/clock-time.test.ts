import { expect, it } from 'vitest';
import { clockTime } from '../../../src/discord/replies/clock-time.ts';

it.each([
  [0, '0:00'],
  [7_400, '0:07'],
  [59_600, '1:00'],
  [750_000, '12:30'],
  [3_900_000, '1:05:00'],
  [-5, '0:00'],
])('%d ms is %s', (ms, words) => {
  expect(clockTime(ms)).toBe(words);
});
