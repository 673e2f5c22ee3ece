import { describe, expect, it } from 'vitest';
import { credits } from '../../../src/commands/info/credits.ts';
import type { UsageOverview } from '../../../src/services/spending/spending.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { callOf, linesOf } from '../scene.ts';

const used = (today: number, limit: number, cached = 0): UsageOverview['total'] => ({
  today: { credits: today, cached },
  month: { credits: today * 10, cached },
  limit,
});

const USAGE: UsageOverview = {
  member: used(3, 100),
  memberEverywhere: used(3, 100),
  server: used(30, 1000, 4),
  total: used(300, 10_000),
  renewsAtMs: 86_400_000,
};

function lines({
  left = 500,
  owner = false,
  isDirect = false,
  usage = {} as Partial<UsageOverview>,
  services = {} as Parameters<typeof callOf>[1],
}) {
  const given = {
    localVoice: false,
    billing: async () => ({ creditsLeft: left, lastUpdated: null }),
    spending: {
      overview: async ({ guildId }: { guildId?: string }) => ({
        ...USAGE,
        ...(!guildId && { server: undefined }),
        ...usage,
      }),
    },
    showsBalance: true,
    owners: { isOwner: async () => owner },
    ...services,
  };
  return linesOf(credits, callOf(isDirect ? { guildId: null } : {}, given));
}

describe('/credits', () => {
  it('names a limit of 0 beside what was used before', async () => {
    expect(await lines({ usage: { member: used(192, 0), memberEverywhere: used(192, 0) } })).toEqual([
      '500 credits left.',
      '- You, in this server: 192 credits of 0 used today, 1,920 this month.',
      '- This server: 30 credits of 1,000 used today, 300 this month.',
      'Daily limits reset <t:86400:R>, at 00:00 UTC.',
      '-# This server: 4 texts cached and free this month.',
    ]);
    const off = used(192, 0);
    const told = await lines({ usage: { member: off, memberEverywhere: off, server: off } });
    expect(told.join('\n')).not.toContain('reset');
  });

  it.each([
    [{ topUp: new URL('https://voice.example.com/credits') }, 'Top up here: https://voice.example.com/credits'],
    // The embedded service, whose engines have a price.
    [{ topUp: 'command' as const }, 'Add more with `npm run'],
    [{}, 'Top up the speech service account.'],
  ])('without a credit left says where more come from (%j)', async (services, remedy) => {
    expect((await lines({ left: 0, services }))[1]).toContain(remedy);
  });

  it('says what was used, and the limits, also while the speech service does not answer', async () => {
    const billing = async () => {
      throw new SpeechError({ kind: 'unavailable', message: 'out of order', requestId: 'req_1' });
    };
    const told = await lines({ services: { billing } });
    expect(told[0]).toBe('The speech service is busy or down right now. Try again in a few minutes.');
    expect(told.join('\n')).toContain('req_1');
    expect(told).toContain('- This server: 30 credits of 1,000 used today, 300 this month.');
  });

  it('shows the balance to owners alone, unless the owner says otherwise, and does not even ask for it', async () => {
    const services = { showsBalance: false };
    expect(await lines({ services, owner: true })).toContain('500 credits left.');
    expect(await lines({ services: { ...services, billing: undefined } })).toEqual([
      '- You, in this server: 3 credits of 100 used today, 30 this month.',
      '- This server: 30 credits of 1,000 used today, 300 this month.',
      'Daily limits reset <t:86400:R>, at 00:00 UTC.',
      '-# This server: 4 texts cached and free this month.',
    ]);
  });

  it('shows in direct messages what was used in all servers, and nothing of one', async () => {
    const own = used(7, 100, 2);
    expect(await lines({ isDirect: true, usage: { member: own, memberEverywhere: own } })).toEqual([
      '500 credits left.',
      '- You, in all servers: 7 credits of 100 used today, 70 this month.',
      'Daily limits reset <t:86400:R>, at 00:00 UTC.',
      '-# You, in all servers: 2 texts cached and free this month.',
    ]);
  });

  it('with the built-in voice shows no credits, asks no account, and names only limits that the owner set', async () => {
    const free = { localVoice: true, speech: undefined } as never;
    const unlimited = used(300, Number.POSITIVE_INFINITY);
    const usage = { member: unlimited, memberEverywhere: unlimited, server: unlimited, total: unlimited };
    expect(await lines({ owner: true, services: free, usage })).toEqual(['The voice is free.']);
    expect(await lines({ services: free, usage: { ...usage, server: used(30, 1000) } })).toEqual([
      'The voice is free.',
      '- This server: 30 characters of 1,000 used today, 300 this month.',
      'Daily limits reset <t:86400:R>, at 00:00 UTC.',
    ]);
  });
});
