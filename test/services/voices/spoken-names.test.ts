import { pino } from 'pino';
import { expect, it } from 'vitest';
import type { OwnSettings } from '../../../src/services/voices/member-settings.ts';
import { createSpokenNames } from '../../../src/services/voices/spoken-names.ts';

/** Of one member: what holds in server 9, and everywhere. */
function nameWith(here: OwnSettings, everywhere: OwnSettings = {}) {
  const members = {
    get: async ({ guildId }: { guildId: string | undefined }) => (guildId === '9' ? here : everywhere),
  };
  return createSpokenNames({ members, log: pino({ level: 'silent' }) }).of('1', '9');
}

it('a member’s name is said as they chose: in this server, else everywhere', async () => {
  expect(await nameWith({})).toBeUndefined();
  expect(await nameWith({}, { spokenName: 'Shivawn' })).toBe('Shivawn');
  expect(await nameWith({ spokenName: 'Boss' }, { spokenName: 'Shivawn' })).toBe('Boss');
});

it('an empty name of the server is their name in Discord, whatever they chose everywhere', async () => {
  expect(await nameWith({ spokenName: '' }, { spokenName: 'Shivawn' })).toBeUndefined();
});

it('is said as it is in Discord while the store does not answer', async () => {
  const members = { get: () => Promise.reject(new Error('busy')) };
  expect(await createSpokenNames({ members, log: pino({ level: 'silent' }) }).of('1', '9')).toBeUndefined();
});
