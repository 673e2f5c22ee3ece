import { expect, test } from 'vitest';
import { caughtUp } from '../../../src/services/playback/catching-up.ts';
import { rulesOf } from '../../../src/services/servers/server-rules.ts';
import { GENERAL, stage, utterance } from './speaker-stage.ts';

interface Asked {
  readonly speed: number | undefined;
  readonly model: string;
  readonly catchUp: boolean;
}

function behind(waiting: number, { speed, model = 'ext', catchUp = true }: Partial<Asked> = {}) {
  const { speaker } = stage({ queueLimit: 20 });
  for (let count = 0; count <= waiting; count++) speaker.submit(utterance(`text ${count}`, GENERAL, `member ${count}`));
  const { request } = utterance('Hello').requested;
  const asked = { ...request, voice: { ...request.voice, model }, speed };
  return caughtUp(asked, rulesOf({ catchUp }), speaker).speed;
}

test('a text behind five others is spoken faster, where admins want that', () => {
  expect(behind(4)).toBeUndefined();
  expect(behind(5)).toBe(1.25);
  expect(behind(9, { catchUp: false })).toBeUndefined();
});

test('together with the speed that was asked for, never faster than a voice can speak', () => {
  expect(behind(5, { speed: 0.8 })).toBe(1);
  expect(behind(5, { speed: 1.4 })).toBe(1.5);
  expect(behind(5, { speed: 1.5 })).toBe(1.5);
});

test('a voice that takes no speed, or of which that is not known, speaks as always', () => {
  expect(behind(5, { model: 'orpheus' })).toBeUndefined();
  expect(behind(5, { model: 'brand-new' })).toBeUndefined();
});
