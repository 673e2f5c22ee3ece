import { expect, it } from 'vitest';
import { createMemberSettings, createSpokenNames, type OwnSettings } from '../../../src/services/voices/voices.ts';
import { silentLog as log } from '../../silent-log.ts';
import { openMemoryStore } from '../storage/memory-store.ts';

function open() {
  const { store, database, rows } = openMemoryStore();
  return { members: createMemberSettings(store), rows, database };
}

const alice = { userId: '7', guildId: '1' };

it('keeps what a member chose by member and by server, and everywhere apart, until it is reset', async () => {
  const { members, rows } = open();
  await members.change(alice, () => ({ speed: 1.2 }));
  await members.change({ userId: '7', guildId: undefined }, () => ({ style: 'calm' }));
  expect(await members.get(alice)).toEqual({ speed: 1.2 });
  expect(await members.get({ userId: '7', guildId: '2' })).toEqual({});
  expect(await members.get({ userId: '8', guildId: '1' })).toEqual({});
  expect(await members.get({ userId: '7', guildId: undefined })).toEqual({ style: 'calm' });
  // Of who resets every preference, nothing is stored.
  expect(await members.change(alice, () => ({}))).toEqual({ before: { speed: 1.2 }, after: {} });
  expect(rows()).toHaveLength(1);
});

it('does not speak with a kept value that no service takes', async () => {
  const { members, database } = open();
  await members.change(alice, () => ({ speed: 1.2 }));
  database.exec(`UPDATE entries SET value = replace(value, '1.2', '9')`);
  expect(await members.get(alice)).toEqual({});
});

/** Of member 1 in server 9. */
async function nameIn(here: OwnSettings, everywhere: OwnSettings = {}) {
  const { members } = open();
  await members.change({ userId: '1', guildId: '9' }, () => here);
  await members.change({ userId: '1', guildId: undefined }, () => everywhere);
  const isBlocked = async (name: string, guildId: string) => guildId === '9' && name === 'Rude Boy';
  return createSpokenNames(members, isBlocked, log).of('1', '9');
}

it('a member’s name is said as they chose: in this server, else everywhere', async () => {
  expect(await nameIn({})).toBeUndefined();
  expect(await nameIn({}, { spokenName: 'Shivawn' })).toBe('Shivawn');
  expect(await nameIn({ spokenName: 'Boss' }, { spokenName: 'Shivawn' })).toBe('Boss');
  // The server blocks it.
  expect(await nameIn({}, { spokenName: 'Rude Boy' })).toBeUndefined();
});

it('a member’s name is said as it is in Discord while the store does not answer', async () => {
  const members = { get: () => Promise.reject(new Error('busy')) };
  const names = createSpokenNames(members as never, async () => false, log);
  expect(await names.of('1', '9')).toBeUndefined();
});
