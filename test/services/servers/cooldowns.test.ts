import { describe, expect, it, vi } from 'vitest';
import { createCooldowns, createTextCooldown } from '../../../src/services/servers/cooldowns.ts';

describe('a cooldown', () => {
  const limit = { uses: 2, perMs: 1000 };

  it('lets a member through again when the oldest use is long enough ago', () => {
    let nowMs = 0;
    const cooldowns = createCooldowns(() => nowMs);
    expect(cooldowns.take('alice', limit)).toBe(0);
    nowMs = 400;
    expect(cooldowns.take('alice', limit)).toBe(0);
    expect(cooldowns.take('alice', limit)).toBe(600);
    expect(cooldowns.take('bob', limit)).toBe(0);
    nowMs = 1001;
    expect(cooldowns.take('alice', limit)).toBe(0);
  });

  it('is not made longer by somebody who sets the clock of this machine', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const cooldowns = createCooldowns();
      cooldowns.take('alice', { uses: 1, perMs: 1000 });
      vi.setSystemTime(Date.now() - 3_600_000);
      expect(cooldowns.take('alice', { uses: 1, perMs: 1000 })).toBeLessThanOrEqual(1000);
    } finally {
      vi.useRealTimers();
    }
  });

  it('is counted only by a use, not by a look', () => {
    const cooldowns = createCooldowns(() => 0);
    for (let looks = 0; looks < 3; looks += 1) expect(cooldowns.waitMs('alice', limit)).toBe(0);
    for (let uses = 0; uses < 2; uses += 1) cooldowns.take('alice', limit);
    expect(cooldowns.waitMs('alice', limit)).toBe(1000);
  });

  it('is not made longer by trying', () => {
    let nowMs = 0;
    const cooldowns = createCooldowns(() => nowMs);
    for (let tries = 0; tries < 10; tries += 1) cooldowns.take('alice', limit);
    nowMs = 1001;
    expect(cooldowns.take('alice', limit)).toBe(0);
  });

  it('that still runs is not forgotten for the many that came after it, nor for their shorter ones', () => {
    let nowMs = 0;
    const cooldowns = createCooldowns(() => nowMs);
    const long = { uses: 1, perMs: 60_000 };
    cooldowns.take('alice', long);
    nowMs = 5_000;
    for (let others = 0; others < 20_000; others += 1) cooldowns.take(`guest ${others}`, limit);
    expect(cooldowns.take('alice', long)).toBe(55_000);
  });
});

describe('the pause between two texts of one member', () => {
  const rules = { cooldownSeconds: 30 };
  const ann = { userId: '1', isAdmin: false };

  it('is as long as the server’s admins want it, and each member’s own in each server', () => {
    let nowMs = 0;
    const pauses = createTextCooldown(() => nowMs);
    expect(pauses.take('9', ann, rules)).toBe(0);
    nowMs = 10_000;
    expect(pauses.take('9', ann, rules)).toBe(20_000);
    expect(pauses.take('8', ann, rules)).toBe(0);
    expect(pauses.take('9', { ...ann, userId: '2' }, rules)).toBe(0);
  });

  it('is none for those who could change it, nor where nobody wants one', () => {
    const pauses = createTextCooldown(() => 0);
    for (let texts = 0; texts < 3; texts += 1) {
      expect(pauses.take('9', { ...ann, isAdmin: true }, rules)).toBe(0);
      expect(pauses.take('9', ann, { cooldownSeconds: 0 })).toBe(0);
    }
  });
});
