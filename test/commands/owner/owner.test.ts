import { describe, expect, it } from 'vitest';
import type { CommandCall } from '../../../src/commands/framework/command.ts';
import { spendingReply, statusReply } from '../../../src/commands/owner/owner.ts';
import type { BotStatus } from '../../../src/services/monitoring/readiness.ts';
import { render } from '../../../src/texts/catalog.ts';
import { servicesOf } from '../services.ts';

const status: BotStatus = {
  version: '1.2.3',
  startedAtMs: 0,
  discord: undefined,
  speakers: undefined,
  queues: undefined,
  cache: undefined,
  openCircuits: ['gpro', '[free](https://e.io)'],
  lostAudio: ['orpheus'],
  draining: false,
  checks: { discord: 'ok', commands: 'ok', store: 'ok', speech: 'it cannot be reached', joining: 'ok' },
};
const linesIn = (locale: string) => statusReply(status).lines.map((line) => render(line, locale));

it('names what is looked at in the language of the owner', () => {
  expect(linesIn('de').slice(1)).toEqual([
    expect.stringContaining('aufgebraucht für gpro und \\[free](https'),
    expect.stringContaining('kommt nicht an** von orpheus'),
    '- Verbindung zu Discord: OK',
    '- Befehle: OK',
    '- Datenbank: OK',
    '- **Sprachdienst: Problem** (`it cannot be reached`). Siehe Log.',
    '- Beitritt zu Sprachkanälen: OK',
  ]);
  expect(statusReply({ ...status, lostAudio: [] }).lines).toHaveLength(linesIn('de').length - 1);
  expect(linesIn('es-ES').join()).toContain('servicio de voz: problema');
});

const usage = (today: number, month: number) => ({
  today: { credits: today, cached: 0 },
  month: { credits: month, cached: 0 },
});

async function spendingLines(
  outside: ReturnType<typeof usage>,
  unknown = { requests: 0, credits: 0 },
  limit = 200_000,
): Promise<string[]> {
  const call = {
    interaction: { user: { id: '7' }, client: { guilds: { cache: new Map([['1', { name: 'Playground' }]]) } } },
    services: servicesOf({
      spending: {
        report: async () => ({
          servers: [{ guildId: '1', ...usage(599, 700) }],
          members: [],
          outsideServers: outside,
          unknownToday: unknown,
        }),
        overview: async () => ({ total: { ...usage(610, 720), limit }, renewsAtMs: 0 }),
      },
    }),
  };
  return (await spendingReply(call as unknown as CommandCall)).lines.map((line) => render(line));
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

  it('names no limit where there is none', async () => {
    const [total] = await spendingLines(usage(0, 0), undefined, Number.POSITIVE_INFINITY);
    expect(total).toBe('All servers: 610 credits used today, 720 this month.');
  });

  it('says how much of it is for requests whose bill is not known', async () => {
    expect((await spendingLines(usage(0, 0), { requests: 1, credits: 23 }))[1]).toBe(
      'Of today’s credits, about 23 are for 1 request without a response. The service may still have billed for that.',
    );
    expect((await spendingLines(usage(0, 0), { requests: 2, credits: 46 }))[1]).toContain('46 are for 2 requests');
  });
});
