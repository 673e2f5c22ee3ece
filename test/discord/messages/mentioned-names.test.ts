import { ChannelType, Collection } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { mentionedNames } from '../../../src/discord/messages/mentioned-names.ts';

const EVERYONE = 'everyone';
const ANN = 'ann';

/** A channel that only those can see who are listed. */
const channel = (name: string, seenBy: readonly string[], type = ChannelType.GuildText) => ({
  name,
  type,
  permissionsFor: (who: string) => ({ has: () => seenBy.includes(who) }),
});

const guild = {
  members: { cache: new Collection([['1', { displayName: 'Ann here' }]]) },
  roles: { cache: new Collection([['5', { name: 'Crew' }]]), everyone: EVERYONE },
  channels: {
    cache: new Collection<string, unknown>([
      ['20', channel('general', [EVERYONE, ANN])],
      ['21', channel('staff', [ANN])],
      ['22', channel('board', [])],
      ['23', channel('two of us', [EVERYONE, ANN], ChannelType.PrivateThread)],
    ]),
  },
};
const client = {
  users: { cache: new Collection([['3', { displayName: 'Cleo' }]]) },
  // Also those of other servers.
  channels: { cache: new Collection([['90', channel('elsewhere', [EVERYONE, ANN])]]) },
};

const names = (parts: { words?: string; reader?: string | null; guild?: null } = {}) =>
  mentionedNames({
    words: '',
    client,
    guild,
    reader: ANN,
    signal: new AbortController().signal,
    spokenNames: { of: async (id: string) => (id === '3' ? 'Clio' : undefined) },
    mentioned: (id: string) => (id === '2' ? 'Ben' : undefined),
    ...parts,
  } as never);

describe('names of mentions', () => {
  it('are those that are shown here, else those that came with the message or are known', async () => {
    const { users, roles } = await names();
    expect(['1', '2', '3', '4'].map(users)).toEqual(['Ann here', 'Ben', 'Cleo', undefined]);
    expect(['5', '6'].map(roles)).toEqual(['Crew', undefined]);
  });

  it('are those that members chose for being spoken, before any other', async () => {
    const { users } = await names({ words: '<@1>, <@3>' });
    expect(['1', '3'].map(users)).toEqual(['Ann here', 'Clio']);
  });

  it('are none of other servers’ channels, nor of channels hidden from the requester', async () => {
    const ids = ['20', '21', '22', '23', '90'];
    const seen = async (parts?: Parameters<typeof names>[0]) => ids.map((await names(parts)).channels);
    expect(await seen()).toEqual(['general', 'staff', undefined, undefined, undefined]);
    expect(await seen({ reader: null })).toEqual(['general', undefined, undefined, undefined, undefined]);
    expect(await seen({ guild: null })).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});
