import { describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/errors/user-errors.ts';
import { createServerRules, rulesOf, speakerLimitsOf } from '../../../src/services/servers/admission.ts';
import {
  createSettings,
  SERVER_SETTINGS,
  SETTING_NAMES,
  type Settings,
} from '../../../src/services/servers/server-settings.ts';
import { silentLog as log } from '../../silent-log.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

/** The store does not answer while `store.isDown`. */
function book() {
  const stored = createSettings(openMemoryStore().store);
  const store = { isDown: false };
  const answer = <Value>(value: () => Promise<Value>) =>
    store.isDown ? Promise.reject(new StoreError('down')) : value();
  const failing: Settings = {
    ...stored,
    get: (guildId) => answer(() => stored.get(guildId)),
    change: (...change) => answer(() => stored.change(...change)),
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
    expect(speakerLimitsOf(rulesOf({ aloneSeconds: 0, idleSeconds: 60 }))).toMatchObject({
      aloneMs: 0,
      idleMs: 60_000,
    });
  });

  it('are the same value while nothing changes, so that what was made of them is found', async () => {
    const { rules } = book();
    await rules.change('1', () => ({ catchUp: true }));
    const before = await rules.of('1');
    await rules.get('1');
    expect(await rules.of('1')).toBe(before);
    await rules.change('1', () => ({ catchUp: false }));
    expect(await rules.of('1')).not.toBe(before);
  });

  it('are read again after a change of which nobody knows whether it was made', async () => {
    const { stored } = book();
    const rules = createServerRules(
      {
        ...stored,
        async change(...change) {
          await stored.change(...change);
          throw new StoreError('too late');
        },
      },
      log,
    );
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
    const { stored } = book();
    const late = Promise.withResolvers<void>();
    const rules = createServerRules(
      {
        ...stored,
        async get(guildId) {
          const read = await stored.get(guildId);
          await late.promise;
          return read;
        },
      },
      log,
    );
    const reading = rules.get('1');
    await rules.change('1', () => ({ hushed: true }));
    late.resolve();
    await reading;
    expect(rules.known('1').hushed).toBe(true);
  });

  it('tell when they have become others, and only then', async () => {
    const { rules } = book();
    const changed: string[] = [];
    const stop = rules.onChanged((guildId) => changed.push(guildId));
    await rules.change('1', () => ({ queueLimit: 5 }));
    await rules.get('1');
    await rules.change('2', (before) => before);
    stop();
    await rules.change('1', () => ({}));
    expect(changed).toEqual(['1']);
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
