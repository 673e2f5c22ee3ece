import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ReportRow, renderReport, writeBetweenMarkers } from '../../bench/report.ts';

const row: ReportRow = {
  number: 9,
  name: 'stall',
  figure: 'after a 2 s stall',
  target: '≤ 15 packets',
  verdict: 'met',
  ratios: ['11.1 × smaller'],
  ours: { way: 'ours', text: '10 packets', runs: [{ burst: 10 }] },
  peers: [{ way: 'library player', text: '111 | packets', runs: [{ burst: 111 }] }],
  notes: ['As it was measured.'],
  seconds: 60,
  coresBusy: [0.25, 0.5],
  loadBefore: [0.42, 1, 2],
  measuredAt: '2026-01-02T03:04:05.678Z',
  niceness: 0,
};

describe('the table', () => {
  it('puts the ratio first, then our value, the target and the peer’s side by side', () => {
    const markdown = renderReport({ machine: '2 × CPU', runs: 5, rows: [row] });
    expect(markdown).toContain(
      '| 9 | after a 2 s stall | 11.1 × smaller | 10 packets | ≤ 15 packets | met | library player: 111 \\| packets |',
    );
    expect(markdown).toContain('Cores busy (sink / bot): 25 % / 50 %; load before: 0.42; 60 s, 2026-01-02 03:04 UTC.');
  });

  it('gives the reason for a missing measurement, and no conditions', () => {
    const nothing = { ours: undefined, ratios: [], peers: [] };
    const unbuilt: ReportRow = { ...row, ...nothing, verdict: 'not measured', notes: ['No.'] };
    const markdown = renderReport({ machine: '', runs: 5, rows: [unbuilt] });
    expect(markdown).toContain('| 9 | after a 2 s stall | – | – | ≤ 15 packets | not measured | – |');
    expect(markdown).toContain('\n9. No.\n');
  });

  it('replaces the text between the markers of a document and nothing else', () => {
    const document = 'before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n';
    const written = writeBetweenMarkers(document, 'new\n');
    expect(written).toBe('before\n<!-- bench:begin -->\nnew\n<!-- bench:end -->\nafter\n');
    expect(writeBetweenMarkers(written, 'new\n')).toBe(written);
    expect(() => writeBetweenMarkers('no markers', 'new')).toThrow('bench:begin');
  });

  it('is in docs/engineering/measurements.md as the results have it', () => {
    const file = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
    const markdown = renderReport(JSON.parse(file('bench/results/results.json')));
    expect(file('docs/engineering/measurements.md')).toContain(`<!-- bench:begin -->\n${markdown}<!-- bench:end -->`);
    expect(file('bench/results/README.md')).toContain(markdown);
  });
});
