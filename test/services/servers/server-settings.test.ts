import { expect, it } from 'vitest';
import * as z from 'zod';
import {
  createSettings,
  EVERY_WORD,
  EVERYBODY,
  SETTINGS_LIMITS,
  serverSettingsSchema,
} from '../../../src/services/servers/server-settings.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

it('settings that cannot be read hold the strictest restrictions, until they are reset', async () => {
  const store = openMemoryStore().store;
  await store.table('server-settings', z.unknown()).set('1', { speed: 1.5, allowedRoles: 'everyone' });
  const settings = createSettings(store);
  expect(await settings.get('1')).toMatchObject({
    ...{ allowedRoles: ['0'], blockedRoles: [EVERYBODY], mutedMembers: [EVERYBODY], blockedWords: [EVERY_WORD] },
    ...{ creditsPerServer: 0, creditsPerMember: 0 },
  });
  await settings.change('1', () => ({ queueLimit: 5 }));
  expect(await settings.get('1')).toEqual({ queueLimit: 5 });
});

it('no server can be given more credits a day than can be counted exactly', () => {
  const takes = (creditsPerServer: number) => serverSettingsSchema.safeParse({ creditsPerServer }).success;
  expect([0, SETTINGS_LIMITS.credits, SETTINGS_LIMITS.credits + 1].map(takes)).toEqual([true, true, false]);
});
