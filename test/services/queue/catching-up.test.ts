import { expect, test } from 'vitest';
import { catchUpAfter } from '../../../src/services/queue/catching-up.ts';
import { utterance } from '../playback/speaker-stage.ts';

const { request } = utterance('Hello');
const speedAfter = (seconds: number, speed?: number, model = 'ext') =>
  catchUpAfter(seconds * 1_000, {
    ...request,
    voice: { ...request.voice, model },
    ...(speed !== undefined && { speed }),
  })?.speed;

test.each([
  [0, undefined],
  [10, undefined],
  [17, undefined],
  [20, 1.1],
  [35, 1.25],
  // In a few steps: each may be bought, and kept.
  [59, 1.25],
  [60, 1.5],
  [600, 1.5],
])('after a wait of %d s a text is spoken %s times as fast', (seconds, speed) => {
  expect(speedAfter(seconds)).toBe(speed);
});

test('together with the speed that was asked for, never more than 1.5 times as fast as the voice speaks', () => {
  expect(speedAfter(600, 1.25)).toBe(1.2);
  expect(speedAfter(600, 1.5)).toBeUndefined();
  expect(speedAfter(600, 0.75)).toBe(1.5);
});

test('a speed that the voice ignores does not count', () => {
  expect(speedAfter(600, 1.5, 'gpro31')).toBe(1.5);
});
