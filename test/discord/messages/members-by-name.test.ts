import { Collection, type Guild, type GuildMember } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { membersCalled } from '../../../src/discord/messages/members-by-name.ts';

const named = (...names: readonly (readonly [username: string, displayName: string])[]) =>
  new Collection(
    names.map(([username, displayName]) => [
      username,
      { id: username, displayName, user: { username } } as GuildMember,
    ]),
  );

/** Who is found, and what Discord was asked. */
async function found(name: string, cached: ReturnType<typeof named>, answer: () => Promise<ReturnType<typeof named>>) {
  const search = vi.fn(answer);
  const guild = { id: '1', members: { cache: cached, search } } as unknown as Guild;
  const asking = { signal: new AbortController().signal, log: pino({ level: 'silent' }), timeoutMs: 20 };
  return { ids: (await membersCalled(name, guild, asking)).map(({ id }) => id), asked: search.mock.calls };
}

const cached = named(['bob', 'Bob'], ['rob', 'Robby']);

describe('the members with a name', () => {
  it('are those with exactly that name, cached or not; the user name goes first', async () => {
    const answer = async () => named(['bobby', 'Bobby'], ['robert', 'Robby'], ['robby2', 'Robby2']);
    expect(await found('BOB', cached, answer)).toEqual({ ids: ['bob'], asked: [] });
    expect(await found('Robby', cached, answer)).toEqual({
      ids: ['robert', 'rob'],
      asked: [[{ query: 'Robby', limit: 1_000, cache: false }]],
    });
    expect((await found('robert', cached, answer)).ids).toEqual(['robert']);
    expect((await found('Ro', cached, answer)).ids).toEqual([]);
  });

  it('are not asked for by a name that nobody can have', async () => {
    expect(await found('x'.repeat(33), cached, async () => named())).toEqual({ ids: [], asked: [] });
  });

  it('are the cached ones where Discord refuses, or does not answer in time', async () => {
    expect((await found('Robby', cached, () => Promise.reject(new Error('Missing Access')))).ids).toEqual(['rob']);
    expect((await found('Robby', cached, () => new Promise(() => undefined))).ids).toEqual(['rob']);
  });
});
