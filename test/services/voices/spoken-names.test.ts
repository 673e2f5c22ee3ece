import { pino } from 'pino';
import { expect, it } from 'vitest';
import { rulesOf } from '../../../src/services/servers/server-rules.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import type { OwnSettings } from '../../../src/services/voices/member-settings.ts';
import { createSpokenNames } from '../../../src/services/voices/spoken-names.ts';

const log = pino({ level: 'silent' });

interface Server extends ServerSettings {
  readonly here?: OwnSettings;
  readonly everywhere?: OwnSettings;
}

/** Of member 1 in server 9. */
function nameIn({ here = {}, everywhere = {}, ...settings }: Server) {
  const rules = { of: async () => rulesOf(settings) };
  const members = {
    get: async ({ guildId }: { guildId: string | undefined }) => (guildId === '9' ? here : everywhere),
  };
  const isBlocked = async (name: string, guildId: string) => guildId === '9' && name === 'Rude Boy';
  return createSpokenNames({ members, rules, isBlocked, log }).of('1', '9');
}

it('a member’s name is said as they chose: in this server, else everywhere', async () => {
  expect(await nameIn({})).toBeUndefined();
  expect(await nameIn({ everywhere: { spokenName: 'Shivawn' } })).toBe('Shivawn');
  expect(await nameIn({ here: { spokenName: 'Boss' }, everywhere: { spokenName: 'Shivawn' } })).toBe('Boss');
});

it('is said as it is in Discord where admins want that, whatever the member chooses', async () => {
  const own = { here: { spokenName: 'Boss' }, everywhere: { spokenName: 'Shivawn' } };
  expect(await nameIn({ ...own, namesAsInDiscord: ['2', '1'] })).toBeUndefined();
  expect(await nameIn({ ...own, namesAsInDiscord: ['2'] })).toBe('Boss');
});

it('is said as it is in Discord where the server blocks the chosen one', async () => {
  expect(await nameIn({ everywhere: { spokenName: 'Rude Boy' } })).toBeUndefined();
});

it('is said as it is in Discord while the store does not answer', async () => {
  const rules = { of: async () => rulesOf({}) };
  const members = { get: () => Promise.reject(new Error('busy')) };
  const names = createSpokenNames({ members, rules, isBlocked: async () => false, log });
  expect(await names.of('1', '9')).toBeUndefined();
});
