import { describe, expect, it } from 'vitest';
import { owner } from '../../../src/commands/owner/owner.ts';
import type { BotStatus } from '../../../src/services/monitoring/readiness.ts';
import { callOf, linesOf } from '../scene.ts';

const status: BotStatus = {
  version: '1.2.3',
  startedAtMs: 0,
  lostAudio: ['orpheus', '[free](https://e.io)'],
  draining: false,
  checks: { discord: 'ok', commands: 'ok', store: 'ok', speech: 'it cannot be reached', joining: 'ok' },
};

/** What a subcommand answers the owner. */
function wordsOf(subcommand: string, services: Parameters<typeof callOf>[1], locale = 'en-US') {
  const client = { guilds: { cache: new Map([['1', { name: 'Playground' }]]) } };
  return linesOf(owner, callOf({ client, options: { getSubcommand: () => subcommand } }, services), locale);
}

it('/owner status names what does not work, in the language of the owner', async () => {
  const lines = await wordsOf('status', { status: async () => status }, 'de');
  expect(lines.slice(1)).toEqual([
    expect.stringMatching(/kommt nicht an\*\* von orpheus und \\\[free/),
    '- Verbindung zu Discord: OK',
    '- Befehle: OK',
    '- Datenbank: OK',
    '- **Sprachdienst: Problem** (`it cannot be reached`). Siehe Log.',
    '- Beitritt zu Sprachkanälen: OK',
  ]);
});

const usage = (today: number, month: number) => ({
  today: { credits: today, cached: 0 },
  month: { credits: month, cached: 0 },
});

function spendingLines(outsideServers: ReturnType<typeof usage>, unknownToday = { requests: 0, credits: 0 }) {
  const servers = [{ guildId: '1', ...usage(599, 700) }];
  const spending = {
    report: async () => ({ servers, members: [], outsideServers, unknownToday }),
    overview: async () => ({ total: { ...usage(610, 720), limit: 200_000 }, renewsAtMs: 0 }),
  };
  return wordsOf('spending', { spending });
}

describe('/owner spending', () => {
  it('has a line for what no server used, so that the lines add up to the total', async () => {
    expect(await spendingLines(usage(11, 20))).toEqual([
      expect.stringContaining('610 credits of 200,000'),
      'By server:',
      expect.stringContaining('Playground'),
      'Direct messages, and servers with deleted data: 11 today, 20 this month',
    ]);
    expect(await spendingLines(usage(0, 0))).toHaveLength(3);
  });

  it('says how much of it is for requests whose bill is not known', async () => {
    expect((await spendingLines(usage(0, 0), { requests: 1, credits: 23 }))[1]).toBe(
      'Of today’s credits, about 23 are for 1 request without a response. The service may still have billed for that.',
    );
    expect((await spendingLines(usage(0, 0), { requests: 2, credits: 46 }))[1]).toContain('46 are for 2 requests');
  });
});
