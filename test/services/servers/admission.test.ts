import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { DeliveryError, StoreError } from '../../../src/errors/user-errors.ts';
import {
  admissionRefusal,
  createCooldowns,
  createOptOuts,
  createServerRules,
  createTextCooldown,
  DEFAULT_RULES,
  placeRefusal,
  type Requester,
  rulesOf,
  speakerLimitsOf,
} from '../../../src/services/servers/admission.ts';
import {
  createSettings,
  EVERYBODY,
  SERVER_SETTINGS,
  SETTING_NAMES,
  type ServerSettings,
  type Settings,
} from '../../../src/services/servers/server-settings.ts';
import { render } from '../../../src/texts/catalog.ts';
import { silentLog as log } from '../../silent-log.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

const SOMEONE = { userId: '1', roleIds: ['10'], isAdmin: false, textChannelId: '20', voiceChannelId: '30' };

function refusal(settings: ServerSettings, speaker: Partial<Requester> = {}): string | undefined {
  const refused = admissionRefusal(rulesOf(settings), { ...SOMEONE, ...speaker });
  return refused && render(refused);
}

describe('who may have something spoken', () => {
  it('is nobody who is muted here', () => {
    expect(refusal({ mutedMembers: ['1'] })).toContain('muted');
    expect([refusal({}), refusal({ mutedMembers: ['2'] })]).toEqual([undefined, undefined]);
    expect(refusal({ mutedMembers: [EVERYBODY] })).toContain('muted');
  });

  it('is nobody with a blocked role, and only those with an allowed one', () => {
    expect(refusal({ blockedRoles: ['10'] })).toContain('<@&10>');
    expect(refusal({ blockedRoles: [EVERYBODY] }, { roleIds: [] })).toBeDefined();
    expect(refusal({ allowedRoles: ['11', '12'] })).toContain('<@&11> or <@&12>');
    expect(refusal({ allowedRoles: ['11', '10'] })).toBeUndefined();
    expect(refusal({ allowedRoles: ['10'], blockedRoles: ['10'] })).toContain('<@&10>');
  });

  it('is whoever writes in an allowed text channel or is in an allowed voice channel', () => {
    expect(refusal({ allowedChannels: ['21'] })).toContain('<#21>');
    expect(refusal({ allowedChannels: ['20'] })).toBeUndefined();
    expect(refusal({ allowedChannels: ['30'] })).toBeUndefined();
    expect(refusal({ allowedChannels: ['30'] }, { voiceChannelId: undefined })).toContain('<#30>');
  });

  it('is always somebody who could change these rules', () => {
    const everything = { mutedMembers: ['1'], blockedRoles: ['10'], allowedRoles: ['11'], allowedChannels: ['21'] };
    expect(refusal(everything, { isAdmin: true })).toBeUndefined();
  });
});

describe('which voice channels may be spoken in', () => {
  /** 30 and 31 are voice channels, 20 and 21 text channels; 99 is gone. */
  const refusedIn = (voiceChannelId: string, allowedChannels?: string[], isAdmin = false) => {
    const isVoiceChannel = (id: string) => ['30', '31'].includes(id);
    const refused = placeRefusal(rulesOf({ allowedChannels }), { isAdmin, voiceChannelId, isVoiceChannel });
    return refused && render(refused);
  };

  it('are all where admins have listed none, and for those who could change the list', () => {
    expect(refusedIn('31')).toBeUndefined();
    expect(refusedIn('31', ['20', '99'])).toBeUndefined();
    expect(refusedIn('31', ['30'], true)).toBeUndefined();
  });

  it('are the listed ones only, wherever it was asked for', () => {
    expect(refusedIn('30', ['20', '30'])).toBeUndefined();
    expect(refusedIn('31', ['20', '30'])).toBe('In this server, the bot doesn’t speak in <#31>, only in <#30>.');
    expect(refusedIn('31', ['30'])).toContain('<#31>');
  });
});

/** The store does not answer while `store.isDown`; `faulty` is what else is wrong with it. */
function book(faulty: (stored: Settings) => Partial<Settings> = () => ({})) {
  const stored = createSettings(openMemoryStore().store);
  const store = { isDown: false };
  const answer = <Value>(value: () => Promise<Value>) =>
    store.isDown ? Promise.reject(new StoreError('down')) : value();
  const failing: Settings = {
    ...stored,
    get: (guildId) => answer(() => stored.get(guildId)),
    change: (...change) => answer(() => stored.change(...change)),
    ...faulty(stored),
  };
  return { stored, store, rules: createServerRules(failing, log) };
}

describe('the rules of a server', () => {
  it('have defaults that admins could choose themselves, or that stand for an empty list', () => {
    const wrong = SETTING_NAMES.filter((name) => {
      const { default: value, schema } = SERVER_SETTINGS[name];
      const isAbsent = value === undefined || (Array.isArray(value) && value.length === 0);
      return !isAbsent && !schema.safeParse(value).success;
    });
    expect(wrong).toEqual([]);
  });

  it('never let one member’s share be more than the queue', () => {
    expect(speakerLimitsOf(rulesOf({ queueLimit: 3 }))).toMatchObject({ queueLimit: 3, memberQueueLimit: 3 });
    const limits = speakerLimitsOf(rulesOf({ aloneSeconds: 0, idleSeconds: 60 }));
    expect(limits).toMatchObject({ aloneMs: 0, idleMs: 60_000 });
  });

  it('are the same value while nothing changes, and tell when they have become others, and only then', async () => {
    const { rules } = book();
    const changed: string[] = [];
    rules.onChanged((guildId) => changed.push(guildId));
    await rules.change('1', () => ({ catchUp: true }));
    const before = await rules.of('1');
    await rules.get('1');
    await rules.change('2', (same) => same);
    expect(await rules.of('1')).toBe(before);
    expect(changed).toEqual(['1']);
    await rules.change('1', () => ({ catchUp: false }));
    expect(await rules.of('1')).not.toBe(before);
  });

  it('are read again after a change of which nobody knows whether it was made', async () => {
    const { rules } = book((stored) => ({
      async change(...change) {
        await stored.change(...change);
        throw new StoreError('too late');
      },
    }));
    expect((await rules.of('1')).hushed).toBe(false);
    await expect(rules.change('1', () => ({ hushed: true }))).rejects.toThrow(StoreError);
    expect((await rules.of('1')).hushed).toBe(true);
  });

  it('hold as they were last seen while the store does not answer, and admit nobody where none were', async () => {
    const { store, rules } = book();
    await rules.change('1', () => ({ allowedRoles: ['7'] }));
    store.isDown = true;
    await expect(rules.change('1', () => ({}))).rejects.toThrow(StoreError);
    expect((await rules.of('1')).allowedRoles).toEqual(['7']);
    await expect(rules.of('2')).rejects.toThrow(StoreError);
  });

  it('are not taken back by what was read before a change', async () => {
    const late = Promise.withResolvers<void>();
    const { rules } = book((stored) => ({
      async get(guildId) {
        const read = await stored.get(guildId);
        await late.promise;
        return read;
      },
    }));
    const reading = rules.get('1');
    await rules.change('1', () => ({ hushed: true }));
    late.resolve();
    await reading;
    expect(rules.known('1').hushed).toBe(true);
  });

  it('are read anew when another process has changed them, and tell of that', async () => {
    const { stored, rules } = book();
    await Promise.all(['1', '2'].map(rules.of));
    const changed: string[] = [];
    rules.onChanged((guildId) => changed.push(guildId));
    await stored.change('1', () => ({ mutedMembers: ['7'] }));
    await stored.change('2', () => ({ mutedMembers: ['7'] }));
    rules.changedElsewhere('1');
    rules.changedElsewhere('3');
    await expect.poll(() => rules.known('1').mutedMembers).toEqual(['7']);
    expect(rules.known('2').mutedMembers).toBeUndefined();
    // Some were missed, nobody knows of which servers.
    rules.changedElsewhere();
    expect((await rules.of('2')).mutedMembers).toEqual(['7']);
    expect(changed.sort()).toEqual(['1', '2']);
  });

  it('are asked for at each use while what another process has changed cannot be read', async () => {
    const { stored, store, rules } = book();
    await rules.of('1');
    await stored.change('1', () => ({ mutedMembers: ['7'] }));
    store.isDown = true;
    rules.changedElsewhere('1');
    expect((await rules.of('1')).mutedMembers).toBeUndefined();
    store.isDown = false;
    expect((await rules.of('1')).mutedMembers).toEqual(['7']);
  });
});

describe('opt-outs', () => {
  function open() {
    const { store, rows } = openMemoryStore();
    return { optOuts: createOptOuts(store), again: () => createOptOuts(store), rows };
  }

  it('keeps who has opted out, until they take it back, and nothing of others', async () => {
    const { optOuts, again, rows } = open();
    expect(await optOuts.has('7')).toBe(false);
    await optOuts.set('7', true);
    expect(await again().has('7')).toBe(true);
    expect(await optOuts.has('8')).toBe(false);
    await optOuts.set('7', true);
    await optOuts.set('7', false);
    await optOuts.set('8', false);
    expect(rows()).toEqual([]);
  });

  it('tells at once of those who opt out, in another process too, and not of those who take it back', async () => {
    const { optOuts, again } = open();
    const told: string[] = [];
    const stop = optOuts.onOptedOut((userId) => told.push(userId));
    await optOuts.set('7', true);
    await optOuts.set('7', false);
    expect(told).toEqual(['7']);
    await again().set('8', true);
    await optOuts.changedElsewhere('8');
    await again().set('8', false);
    await optOuts.changedElsewhere('8');
    await optOuts.changedElsewhere();
    expect(told).toEqual(['7', '8']);
    stop();
    await optOuts.set('9', true);
    expect(told).toEqual(['7', '8']);
  });

  it('counts one that cannot be read as opted out: in doubt a member is not read out', async () => {
    const { store } = openMemoryStore();
    await store.table('opt-outs', z.unknown()).set('7', { since: 'yesterday' });
    const optOuts = createOptOuts(store);
    expect(await optOuts.has('7')).toBe(true);
    await optOuts.set('7', false);
    expect(await optOuts.has('7')).toBe(false);
  });
});

describe('a cooldown', () => {
  const limit = { uses: 2, perMs: 1000 };

  it('lets a member through again when the oldest use is long enough ago, and each by itself', () => {
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
  const rules = rulesOf({ cooldownSeconds: 30, textsInTenSeconds: 5 });
  const ann = { userId: '1', isAdmin: false };

  it('is after a pause as long as admins want it, each member’s own in each server, and without one for admins', () => {
    let nowMs = 0;
    const pauses = createTextCooldown(() => nowMs);
    expect(take(pauses, '9', ann, rules)).toBe(0);
    nowMs = 10_000;
    expect(take(pauses, '9', ann, rules)).toBe(20_000);
    expect(take(pauses, '8', ann, rules)).toBe(0);
    expect(take(pauses, '9', { ...ann, userId: '2' }, rules)).toBe(0);
    for (let texts = 0; texts < 3; texts += 1) {
      expect(take(pauses, '7', { ...ann, isAdmin: true }, rules)).toBe(0);
      expect(take(pauses, '6', ann, { ...rules, cooldownSeconds: 0 })).toBe(0);
    }
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

  it('is five times in ten seconds, or as often as admins want, for all alike and outside of servers too', () => {
    let nowMs = 0;
    const cooldown = createTextCooldown(() => nowMs);
    const { textsInTenSeconds } = DEFAULT_RULES;
    expect(textsInTenSeconds).toBe(5);
    const often = (guildId: string | null, isAdmin: boolean, limit = textsInTenSeconds) => {
      const times = rulesOf({ cooldownSeconds: 0, textsInTenSeconds: limit });
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
