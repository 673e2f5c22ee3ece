import { expect, it } from 'vitest';
import { statusReply } from '../../../src/commands/owner/owner-servers.ts';
import type { BotStatus } from '../../../src/services/monitoring/readiness.ts';
import { render } from '../../../src/texts/catalog.ts';

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
  firstAudio: {
    cold: { count: 20, p50Ms: 500, p95Ms: 900, p99Ms: 990, longestMs: 1_000 },
    queued: { count: 19, p50Ms: 500, p95Ms: 900, p99Ms: 990, longestMs: 18_000.4 },
  },
  checks: { discord: 'ok', commands: 'ok', store: 'ok', speech: 'it cannot be reached', joining: 'ok' },
};
const linesIn = (locale: string) => statusReply(status).lines.map((line) => render(line, locale));

it('names what is looked at and what was measured in the language of the owner', () => {
  expect(linesIn('de').slice(2)).toEqual([
    '  - nach dem Beitreten: 500, 900, 990 (20 Texte)',
    // Too few for a percentile.
    '  - nach Warten in der Warteschlange: höchstens 18.000 (19 Texte)',
    expect.stringContaining('aufgebraucht für gpro, \\[free](https'),
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
