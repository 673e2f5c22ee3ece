import { Collection } from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import { namesOfMentioned } from '../../../src/discord/messages/mentioned-names.ts';

function guild(fetch: (options: { user: string; cache: boolean }) => Promise<{ displayName: string }>) {
  const members = { cache: new Collection([['1', { displayName: 'Known' }]]), fetch: vi.fn(fetch) };
  return { members, guild: { members } as never };
}

describe('names of mentioned members', () => {
  it('are asked for where they are not known, once each, and not kept', async () => {
    const { members, guild: server } = guild(async ({ user }) => ({ displayName: `Nick ${user}` }));
    const names = await namesOfMentioned(server, '<@1> and <@2>, <@!2>, <@3>');
    expect([...names]).toEqual([
      ['2', 'Nick 2'],
      ['3', 'Nick 3'],
    ]);
    expect(members.fetch.mock.calls.map(([options]) => options)).toEqual([
      { user: '2', cache: false },
      { user: '3', cache: false },
    ]);
  });

  it('do not keep a text waiting, nor do members who have left', async () => {
    const late = Promise.withResolvers<{ displayName: string }>();
    const { guild: server } = guild(async ({ user }) => {
      if (user === '2') throw new Error('Unknown Member');
      if (user === '3') return late.promise;
      return { displayName: 'There' };
    });
    const names = await namesOfMentioned(server, '<@2> <@3> <@4>', { timeoutMs: 20 });
    expect([...names]).toEqual([['4', 'There']]);
    late.resolve({ displayName: 'Late' });
    await late.promise;
    expect(names.size).toBe(1);
  });

  it('are not asked for without a server, without mentions, or for a whole crowd', async () => {
    const { members, guild: server } = guild(async () => ({ displayName: 'x' }));
    expect((await namesOfMentioned(null, '<@2>')).size).toBe(0);
    expect((await namesOfMentioned(server, 'nobody')).size).toBe(0);
    const crowd = Array.from({ length: 50 }, (_, at) => `<@${at + 100}>`).join(' ');
    expect((await namesOfMentioned(server, crowd)).size).toBe(10);
    expect(members.fetch).toHaveBeenCalledTimes(10);
  });
});
