import { describe, expect, it } from 'vitest';
import { createTextCooldown } from '../../../src/services/servers/text-cooldown.ts';

describe('the break between two texts of one member', () => {
  const rules = { cooldownSeconds: 30 };
  const ann = { userId: '1', isAdmin: false };

  it('is as long as the server’s admins want it, and each member’s own in each server', () => {
    let nowMs = 0;
    const breaks = createTextCooldown(() => nowMs);
    expect(breaks.take('9', ann, rules)).toBe(0);
    nowMs = 10_000;
    expect(breaks.take('9', ann, rules)).toBe(20_000);
    expect(breaks.take('8', ann, rules)).toBe(0);
    expect(breaks.take('9', { ...ann, userId: '2' }, rules)).toBe(0);
  });

  it('is none for those who could change it, nor where nobody wants one', () => {
    const breaks = createTextCooldown(() => 0);
    for (let texts = 0; texts < 3; texts += 1) {
      expect(breaks.take('9', { ...ann, isAdmin: true }, rules)).toBe(0);
      expect(breaks.take('9', ann, { cooldownSeconds: 0 })).toBe(0);
    }
  });
});
