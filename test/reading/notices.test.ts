import { expect, it } from 'vitest';
import { createNotices } from '../../src/reading/notices.ts';

it('tells one trouble a minute in a server, and the same one seldom', () => {
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
