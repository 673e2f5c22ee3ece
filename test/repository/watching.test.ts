import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SETTINGS } from '../../src/config/environment.ts';
import { createMetrics } from '../../src/services/monitoring/metrics.ts';
import { silentLog as log } from '../silent-log.ts';
import { read } from './tracked-files.ts';

/** What a PromQL expression selects; throws when it is none. */
function selectorsOf(expression: string) {
  const selectors: { metric: string; labels: string[] }[] = [];
  const grouping: string[] = [];
  const textOf = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`Not PromQL at ${node.from}: ${expression}`);
      if (node.name === 'VectorSelector') selectors.push({ metric: '', labels: [] });
      const selector = selectors.at(-1);
      if (node.name === 'Identifier' && selector && selector.metric === '') selector.metric = textOf(node);
      if (node.name === 'LabelName' && node.node.parent?.name === 'GroupingLabels') grouping.push(textOf(node));
      else if (node.name === 'LabelName') selector?.labels.push(textOf(node));
    },
  });
  return selectors.map(({ metric, labels }) => ({ metric, labels: [...labels, ...grouping] }));
}

/** Every series the bot exports, by name with its labels, once everything has happened. */
async function exported(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics({ version: '1.0.0', ofProcess: true, log });
  metrics.speechCall({ endpoint: 'speech', outcome: 'ok', ms: 1 });
  metrics.creditsUsed(1);
  metrics.creditsRemaining(1);
  metrics.storeFailed('settings');
  metrics.commandAnswered({ command: 'say', outcome: 'done' });
  metrics.watch({
    speakers: () => ({ joined: 1, speaking: 1 }),
    queues: () => ({ waiting: 1, longest: 1 }),
    cache: () => ({ memoryHits: 1, diskHits: 1, misses: 1, bytes: 1 }),
    circuits: () => [['gpro', true]],
    lostAudio: () => [['gpro', true]],
    discord: () => ({ servers: 1, shards: 1, shardsReady: 1, pingMs: 1 }),
    draining: () => false,
  });
  const series = new Map<string, Set<string>>();
  for (const line of (await metrics.text()).split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const known = series.get(name) ?? new Set();
    for (const [, label] of labels.matchAll(/(\w+)="/g)) known.add(label ?? '');
    series.set(name, known);
  }
  return series;
}

/** Labels that Prometheus itself adds. */
const OF_PROMETHEUS = ['job', 'instance'];

async function unknownIn(expressions: readonly string[]): Promise<string[]> {
  const series = await exported();
  return expressions.flatMap((expression) =>
    selectorsOf(expression).flatMap(({ metric, labels }) => {
      // Prometheus makes this series of each target.
      if (metric === 'up') return [];
      const known = series.get(metric);
      if (!known) return [metric];
      return labels
        .filter((label) => !known.has(label) && !OF_PROMETHEUS.includes(label))
        .map((l) => `${metric}{${l}}`);
    }),
  );
}

/** Grafana fills these in before Prometheus sees them. */
const filledIn = (expression: string) => expression.replaceAll('$__rate_interval', '1m').replaceAll('$job', 'crier');

describe('the Grafana dashboard', () => {
  const dashboard = JSON.parse(read('deploy/watching/grafana-dashboard.json'));
  const panels: { targets?: { expr: string }[] }[] = dashboard.panels;
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => filledIn(expr)));

  it('asks only for what the bot exports, by labels it has', async () => {
    expect(expressions.length).toBeGreaterThan(20);
    expect(await unknownIn(expressions)).toEqual([]);
    const annotations = dashboard.annotations.list.map(({ expr }: { expr: string }) => filledIn(expr));
    expect(await unknownIn(annotations)).toEqual([]);
  });
});

describe('the example for Prometheus', () => {
  const { scrape_configs, rule_files } = parse(read('deploy/watching/prometheus.yaml'));
  const rules: { expr: string }[] = parse(read(`deploy/watching/${rule_files[0]}`)).groups.flatMap(
    ({ rules }: { rules: unknown[] }) => rules,
  );

  it('looks where the bot serves its figures when nothing is set', () => {
    const targets = [`127.0.0.1:${SETTINGS.METRICS_PORT.fallback}`];
    expect(scrape_configs).toMatchObject([{ job_name: 'crier', static_configs: [{ targets }] }]);
  });

  it('alerts about nothing that the bot does not export', async () => {
    expect(await unknownIn(rules.map(({ expr }) => expr))).toEqual([]);
  });
});
