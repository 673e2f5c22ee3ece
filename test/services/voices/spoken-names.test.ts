import { pino } from 'pino';
import { expect, it } from 'vitest';
import { createSpokenNames, type OwnSettings } from '../../../src/services/voices/member-settings.ts';

const log = pino({ level: 'silent' });

interface Kept {
  readonly here?: OwnSettings;
  readonly everywhere?: OwnSettings;
}

/** Of member 1 in server 9. */
function nameIn({ here = {}, everywhere = {} }: Kept) {
  const members = {
    get: async ({ guildId }: { guildId: string | undefined }) => (guildId === '9' ? here : everywhere),
  };
  const isBlocked = async (name: string, guildId: string) => guildId === '9' && name === 'Rude Boy';
  return createSpokenNames({ members: members as never, isBlocked, log }).of('1', '9');
}

it('a member’s name is said as they chose: in this server, else everywhere', async () => {
  expect(await nameIn({})).toBeUndefined();
  expect(await nameIn({ everywhere: { spokenName: 'Shivawn' } })).toBe('Shivawn');
  expect(await nameIn({ here: { spokenName: 'Boss' }, everywhere: { spokenName: 'Shivawn' } })).toBe('Boss');
});

it('is said as it is in Discord where the server blocks the chosen one', async () => {
  expect(await nameIn({ everywhere: { spokenName: 'Rude Boy' } })).toBeUndefined();
});

it('is said as it is in Discord while the store does not answer', async () => {
  const members = { get: () => Promise.reject(new Error('busy')) };
  const names = createSpokenNames({ members: members as never, isBlocked: async () => false, log });
  expect(await names.of('1', '9')).toBeUndefined();
});
