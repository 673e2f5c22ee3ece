import { describe, expect, it, vi } from 'vitest';
import { DeliveryError } from '../../../src/errors/user-errors.ts';
import { createCooldowns, createTextCooldown, DEFAULT_RULES } from '../../../src/services/servers/admission.ts';

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

  it('does not follow the clock of this machine, which somebody may set', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const cooldowns = createCooldowns();
    cooldowns.take('alice', { uses: 1, perMs: 1000 });
    vi.setSystemTime(Date.now() - 3_600_000);
    expect(cooldowns.take('alice', { uses: 1, perMs: 1000 })).toBeLessThanOrEqual(1000);
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

type TextCooldown = ReturnType<typeof createTextCooldown>;

/** The milliseconds to wait; without a wait, the text counts. */
function take(cooldown: TextCooldown, ...who: Parameters<TextCooldown['waitMs']>): number {
  const waitMs = cooldown.waitMs(...who);
  if (waitMs <= 0) cooldown.count(...who);
  return waitMs;
}

describe('how often one member has a text spoken', () => {
  const rules = { cooldownSeconds: 30, textsInTenSeconds: 5 };
  const ann = { userId: '1', isAdmin: false };

  it('is after a pause as long as the server’s admins want it, each member’s own in each server', () => {
    let nowMs = 0;
    const pauses = createTextCooldown(() => nowMs);
    expect(take(pauses, '9', ann, rules)).toBe(0);
    nowMs = 10_000;
    expect(take(pauses, '9', ann, rules)).toBe(20_000);
    expect(take(pauses, '8', ann, rules)).toBe(0);
    expect(take(pauses, '9', { ...ann, userId: '2' }, rules)).toBe(0);
  });

  it('is after the pause of a text that is spoken also where an earlier one, accepted before it, fails for nothing', () => {
    let nowMs = 0;
    const cooldown = createTextCooldown(() => nowMs);
    const accepted = () => {
      expect(cooldown.waitMs('9', ann, rules)).toBeLessThanOrEqual(0);
      return cooldown.count('9', ann, rules);
    };
    const earlier = accepted();
    nowMs = 30_000;
    accepted();
    nowMs = 31_000;
    earlier(new DeliveryError(undefined, { kind: 'none' }, new Error('The service is down')));
    expect(cooldown.waitMs('9', ann, rules)).toBe(29_000);
  });

  it('is without a pause for those who could change it, and where none is wanted', () => {
    const pauses = createTextCooldown(() => 0);
    for (let texts = 0; texts < 3; texts += 1) {
      expect(take(pauses, '9', { ...ann, isAdmin: true }, rules)).toBe(0);
      expect(take(pauses, '8', ann, { ...rules, cooldownSeconds: 0 })).toBe(0);
    }
  });

  it('is five times in ten seconds, or as often as admins want, for all alike and outside of servers too', () => {
    let nowMs = 0;
    const cooldown = createTextCooldown(() => nowMs);
    const { textsInTenSeconds } = DEFAULT_RULES;
    expect(textsInTenSeconds).toBe(5);
    const often = (guildId: string | null, isAdmin: boolean, limit = textsInTenSeconds) => {
      const times = { cooldownSeconds: 0, textsInTenSeconds: limit };
      return Array.from({ length: 6 }, () => take(cooldown, guildId, { ...ann, isAdmin }, times));
    };
    const sixthTooSoon = [0, 0, 0, 0, 0, 10_000];
    expect(often('9', false)).toEqual(sixthTooSoon);
    expect(often('8', true)).toEqual(sixthTooSoon);
    expect(often(null, false)).toEqual(sixthTooSoon);
    expect(often('7', false, 1)).toEqual([0, 10_000, 10_000, 10_000, 10_000, 10_000]);
    expect(often('6', false, 100)).toEqual([0, 0, 0, 0, 0, 0]);
    nowMs = 10_000;
    expect(often('9', false)).toEqual(sixthTooSoon);
  });
});
