import { beforeEach, expect, it, vi } from 'vitest';
import { type ApplicationOwners, createOwners } from '../../../src/services/spending/owners.ts';
import { silentLog } from '../../silent-log.ts';

const MINUTE_MS = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));

function owners(configured: readonly string[] = []) {
  const discord = { answer: { owner: 'olga', team: [] } as ApplicationOwners, asked: 0, down: false };
  const created = createOwners({
    configured,
    fetchOwners: async () => {
      discord.asked += 1;
      if (discord.down) throw new Error('unreachable');
      return discord.answer;
    },
    log: silentLog,
  });
  return { ...created, discord, pass: (ms: number) => vi.advanceTimersByTime(ms) };
}

it('owners are who owns the application, the members of its team, and those of the settings', async () => {
  const { isOwner, discord, pass } = owners(['nina']);
  discord.answer = { owner: 'olga', team: ['tom'] };
  const found = await Promise.all(['nina', 'olga', 'tom', 'alice'].map((id) => isOwner(id)));
  expect(found).toEqual([true, true, true, false]);
  expect(discord.asked).toBe(1);

  discord.answer = { owner: 'olga', team: [] };
  expect(await isOwner('tom')).toBe(true);
  pass(11 * MINUTE_MS);
  expect(await isOwner('tom')).toBe(false);
});

it('nobody becomes an owner because Discord is out of reach, and nobody it named before stops being one', async () => {
  const { isOwner, contacts, discord, pass } = owners();
  discord.down = true;
  expect(await isOwner('olga')).toBe(false);
  expect(await contacts()).toEqual([]);
  expect(discord.asked).toBe(1);
  discord.down = false;
  pass(MINUTE_MS);
  expect(await isOwner('olga', 'de')).toBe(true);
  discord.down = true;
  pass(60 * MINUTE_MS);
  expect(await isOwner('olga')).toBe(true);
  expect(await contacts()).toEqual([{ userId: 'olga', locale: 'de' }]);
});
