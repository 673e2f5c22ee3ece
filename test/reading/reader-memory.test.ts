import { describe, expect, it } from 'vitest';
import { createNaming, createNotices } from '../../src/reading/reader-memory.ts';

describe('the name of an author', () => {
  it('names an author when another one was read before', () => {
    const naming = createNaming(() => 0);
    expect(naming.isNamed('9', 'ann', 'on-change')).toBe(true);
    naming.follows('9', 'ann');
    expect(naming.isNamed('9', 'ann', 'on-change')).toBe(false);
    expect(naming.isNamed('9', 'ben', 'on-change')).toBe(true);
    expect(naming.isNamed('8', 'ann', 'on-change')).toBe(true);
    // Or as admins want it.
    expect(naming.isNamed('9', 'ann', 'always')).toBe(true);
    expect(naming.isNamed('9', 'ben', 'never')).toBe(false);
  });

  it('names again after a long silence, after the bot was away, and after one that was not heard', () => {
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

  it('remembers the next author when the message before was not played', () => {
    const naming = createNaming(() => 0);
    const undo = naming.follows('9', 'ann');
    naming.follows('9', 'ben');
    undo();
    expect(naming.isNamed('9', 'ben', 'on-change')).toBe(false);
  });
});

describe('a notice', () => {
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
});
