import { expect, it } from 'vitest';
import { createNaming, createNotices } from '../../src/reading/chosen-voice.ts';

it('an author is named again after a long silence, after the bot was away, and after a name that was not heard', () => {
  let now = 0;
  const naming = createNaming(() => now);
  const undo = naming.follows('9', 'ann');
  now = 5 * 60_000 + 1;
  expect(naming.isNamed('9', 'ann', 'on-change')).toBe(true);
  now = 0;
  undo();
  expect(naming.isNamed('9', 'ann', 'on-change')).toBe(true);
  naming.follows('9', 'ann');
  naming.forget('9');
  expect(naming.isNamed('9', 'ann', 'on-change')).toBe(true);
});

it('a notice tells one trouble a minute in a server, and the same one seldom', () => {
  let now = 0;
  const notices = createNotices(() => now);
  expect(notices.take('9', 'credits')).toBe(true);
  expect(notices.take('9', 'credits')).toBe(false);
  expect(notices.take('9', 'permissions')).toBe(false);
  expect(notices.take('8', 'credits')).toBe(true);
  now = 60_000;
  expect(notices.take('9', 'credits')).toBe(false);
  expect(notices.take('9', 'permissions')).toBe(true);
  now = 30 * 60_000;
  expect(notices.take('9', 'credits')).toBe(true);
});
