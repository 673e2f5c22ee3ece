import { expect, it } from 'vitest';
import * as z from 'zod';
import { StoreError } from '../../../src/errors/user-errors.ts';
import {
  createSettings,
  EVERY_WORD,
  EVERYBODY,
  SETTINGS_LIMITS,
  serverSettingsSchema,
} from '../../../src/services/servers/server-settings.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

const kore = { voiceId: 'id-1', name: 'kore', model: 'gpro' };
const puck = { voiceId: 'id-2', name: 'puck', model: 'gpro' };

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

it('a change says what was before and after, and stays in its server', async () => {
  const settings = createSettings(openMemoryStore().store);
  await settings.change('1', () => ({ defaultVoice: kore }));
  expect(await settings.change('1', () => ({ defaultVoice: puck }))).toEqual({
    before: { defaultVoice: kore },
    after: { defaultVoice: puck },
  });
  expect(await settings.get('1')).toEqual({ defaultVoice: puck });
  expect(await settings.get('2')).toEqual({});
});

it('two admins at once: each change sees the other’s', async () => {
  const settings = createSettings(openMemoryStore().store);
  const changes = await Promise.all([
    settings.change('1', () => ({ defaultVoice: kore })),
    settings.change('1', () => ({ defaultVoice: puck })),
  ]);
  expect(changes.map(({ before }) => before.defaultVoice)).toEqual([undefined, kore]);
});

it('a change that fails changes nothing and does not block the next one', async () => {
  const settings = createSettings(openMemoryStore().store);
  await expect(
    settings.change('1', () => {
      throw new StoreError('refused');
    }),
  ).rejects.toThrow(StoreError);
  expect(await settings.get('1')).toEqual({});
  await settings.change('1', () => ({ defaultVoice: kore }));
  expect(await settings.get('1')).toEqual({ defaultVoice: kore });
});

it('no server can be given more credits a day than can be counted exactly', () => {
  const takes = (creditsPerServer: number) => serverSettingsSchema.safeParse({ creditsPerServer }).success;
  expect([0, SETTINGS_LIMITS.credits, SETTINGS_LIMITS.credits + 1].map(takes)).toEqual([true, true, false]);
});
