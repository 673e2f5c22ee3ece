import { expect, it } from 'vitest';
import { statusReply } from '../../../src/commands/owner/owner-status.ts';
import type { BotStatus } from '../../../src/services/monitoring/bot-status.ts';
import { render } from '../../../src/texts/catalogue.ts';

const status: BotStatus = {
  version: '1.2.3',
  startedAtMs: 0,
  openCircuits: ['gpro', '[free](https://e.io)'],
  lostAudio: ['orpheus'],
  draining: false,
  firstAudio: {
    cold: { count: 20, p50Ms: 500, p95Ms: 900, p99Ms: 990, longestMs: 1_000 },
    queued: { count: 19, p50Ms: 500, p95Ms: 900, p99Ms: 990, longestMs: 18_000.4 },
  },
  checks: { discord: 'ok', commands: 'ok', store: 'ok', speech: 'it cannot be reached' },
};
const linesIn = (locale: string) => statusReply(status).lines.map((line) => render(line, locale));

it('names what is looked at and what was measured in the language of the owner', () => {
  expect(linesIn('de').slice(2)).toEqual([
    '  - erst beigetreten: 500, 900, 990 (20 Texte)',
    // Too few for a percentile.
    '  - erst gewartet, bis es dran war: höchstens 18.000 (19 Texte)',
    expect.stringContaining('verbraucht für gpro, \\[free](https'),
    expect.stringContaining('kommt nicht an** von orpheus'),
    '- Verbindung zu Discord: in Ordnung',
    '- Befehle: in Ordnung',
    '- Gedächtnis: in Ordnung',
    '- **Sprachdienst: nicht in Ordnung** (`it cannot be reached`). Das Protokoll sagt mehr.',
  ]);
  expect(statusReply({ ...status, lostAudio: [] }).lines).toHaveLength(linesIn('de').length - 1);
  expect(linesIn('es-ES').join()).toContain('servicio de voz: con problemas');
});
