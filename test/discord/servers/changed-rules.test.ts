import type { Client } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { endForbidden } from '../../../src/discord/servers/changed-rules.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { createFilesUnderWay } from '../../../src/services/playback/guild-speakers.ts';
import { rulesOf } from '../../../src/services/servers/admission.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { BlockedWordError } from '../../../src/services/text/blocked-words.ts';
import { text } from '../../../src/texts/catalog.ts';

/** What a change does to texts of `known` members and of strangers; their words are their ids. */
async function ended(
  asked: readonly string[],
  { before = {}, after }: { before?: ServerSettings; after: ServerSettings },
  {
    known = {} as Readonly<Record<string, { bot?: true; isAdmin?: true; roles?: readonly string[] }>>,
    blockedIn = async (_: string) => undefined as BlockedWordError | undefined,
    files = createFilesUnderWay(),
  } = {},
) {
  const told: string[] = [];
  const members = Object.entries(known).map(([id, { bot = false, isAdmin = false, roles = [] }]) => {
    const member = {
      user: { bot },
      permissions: { has: () => isAdmin },
      roles: { cache: new Map(roles.map((role) => [role, {}])) },
    };
    return [id, member] as const;
  });
  const client = { guilds: { cache: new Map([['g', { members: { cache: new Map(members) } }]]) } };
  const waiting = asked.map((userId) => ({
    id: userId,
    order: { userId },
    requested: { request: { input: userId } },
  }));
  const speaker = {
    queue: () => ({ current: undefined, waiting, recent: [] }),
    forgetMember: (userId: string, why: UserError) => told.push(`${userId}: ${why.text.key}`),
    refuse: (id: string, why: UserError) => told.push(`${id}: ${why.text.key}`),
  };
  const done = endForbidden(
    {
      client: client as unknown as Client,
      speakers: { find: () => speaker, files } as never,
      spokenTexts: { blockedInRequest: ({ input }: { input: string }) => blockedIn(input) } as never,
    },
    'g',
    { before: rulesOf(before), after: rulesOf(after) },
  );
  return { told, error: await done.then(() => undefined).catch((error: unknown) => error) };
}

const blocking = (rule: string) => new BlockedWordError(text('blocked.refused', { rule }));

describe('a change of the rules', () => {
  it('ends the texts of members without a role that is needed now, not those of bots, whose roles do not count', async () => {
    const known = { bob: {}, alice: { roles: ['1'] }, olga: { isAdmin: true }, clock: { bot: true } } as const;
    const asked = ['bob', 'alice', 'olga', 'clock', 'webhook'];
    expect((await ended(asked, { after: { allowedRoles: ['1'] } }, { known })).told).toEqual([
      'bob: refused.role-needed',
    ]);
    const blocked = await ended(['clock'], { after: { mutedMembers: ['clock'] } }, { known });
    expect(blocked.told).toHaveLength(1);
  });

  it('calls off files that are being made, also where nothing is spoken', async () => {
    const files = createFilesUnderWay();
    const made = (userId: string, input: string, guildId = 'g') =>
      files.begin({ guildId, userId, authorId: undefined, request: { input } }, new AbortController().signal).signal;
    const [bobs, alices, elsewhere] = [made('bob', 'hello'), made('alice', 'a kumquat'), made('bob', 'hi', 'h')];
    const blockedIn = async (words: string) => (words.includes('kumquat') ? blocking('kumquat') : undefined);
    const after = { mutedMembers: ['bob'], blockedWords: ['kumquat'] };
    expect((await ended([], { after }, { files, blockedIn })).error).toBeUndefined();
    expect(bobs.reason).toMatchObject({ text: { key: 'refused.member-muted' } });
    expect(alices.reason).toMatchObject({ text: { key: 'blocked.refused' } });
    expect(elsewhere.aborted).toBe(false);
  });

  it('ends what an exception to the blocked words let pass once that is gone', async () => {
    const before = { blockedWords: ['schwul'], blockedWordsExceptions: ['schwül'] };
    const blockedIn = async () => blocking('schwul');
    const after = { blockedWords: ['schwul'] };
    expect((await ended(['bob'], { before, after }, { blockedIn })).told).toEqual(['bob: blocked.refused']);
  });

  it('ends nothing that was forbidden before or is not concerned', async () => {
    const before = { mutedMembers: ['bob'], blockedWords: ['kumquat'] };
    const blockedIn = async () => blocking('kumquat');
    const { told, error } = await ended(['bob'], { before, after: { ...before, queueLimit: 7 } }, { blockedIn });
    expect([told, error]).toEqual([[], undefined]);
  });

  it('ends the other texts with a blocked word where one cannot be examined', async () => {
    const slow = new UserError(text('refused.stopping'));
    const blockedIn = async (words: string) => {
      if (words === 'slow') throw slow;
      return blocking('kumquat');
    };
    const { told, error } = await ended(['slow', 'bob'], { after: { blockedWords: ['kumquat'] } }, { blockedIn });
    expect(told).toEqual(['bob: blocked.refused']);
    expect(error).toBe(slow);
  });
});
