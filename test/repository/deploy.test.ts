import { spawnSync } from 'node:child_process';
import { delimiter, dirname } from 'node:path';
import { parseEnv } from 'node:util';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { SETTINGS } from '../../src/config/environment.ts';
import { NODE_FLAGS } from '../../src/process/child-environment.ts';
import { WRONG_SETTING } from '../../src/process/package.ts';
import { parseEngines } from '../../src/speech/engines/engines-file.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { manifest, read, trackedFiles } from './tracked-files.ts';

/** What supervisors wait before they kill: as .env.example says, 15 s beyond the time for what is being spoken. */
const STOP_SECONDS = Number(SETTINGS.DRAIN_TIMEOUT_MS.fallback) / 1000 + 15;
const dockerfile = read('Dockerfile');
/** What the last stage does: the image itself. */
const image = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

describe('the image', () => {
  test('is described without a mistake the linter knows', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  test('runs node itself as an ordinary user, so that SIGTERM reaches the bot', () => {
    expect(image).toMatch(/^USER node$/m);
    expect(image).toMatch(/^STOPSIGNAL SIGTERM$/m);
    expect(image.trim().split('\n').at(-1)).toBe(
      `CMD ${JSON.stringify(manifest().scripts.start?.split(' ')).replaceAll(',', ', ')}`,
    );
  });

  test('is made of tracked files that .dockerignore lets through', () => {
    const ignore = read('.dockerignore').split('\n');
    expect(ignore).toContain('*');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, sources]) => sources?.split(' ') ?? [],
    );
    expect(copied.length).toBeGreaterThan(4);
    for (const source of copied) {
      expect(trackedFiles().some((file) => file === source || file.startsWith(`${source}/`))).toBe(true);
      expect(ignore).toContain(`!${source.split('/')[0]}`);
    }
  });

  test.each([
    ['yes', 1],
    ['no', 0],
  ])('with ffmpeg asked for (%s) is not built where it could not be downloaded', (WITH_FFMPEG, status) => {
    const step = /if \[ "\$WITH_FFMPEG".* fi/.exec(dockerfile)?.[0] ?? 'exit 9';
    const env = { PATH: [dirname(process.execPath), process.env.PATH].join(delimiter), WITH_FFMPEG };
    expect(Math.sign(spawnSync('sh', ['-c', step], { cwd: temporaryFolder(), env }).status ?? 1)).toBe(status);
  });

  test('holds no settings: no secret has a default in it', () => {
    expect(dockerfile).not.toMatch(/(TOKEN|KEY)\s*=/);
  });
});

test('Node is started with the same options everywhere', () => {
  const started = `node ${NODE_FLAGS.join(' ')} src/main.ts`;
  expect(manifest().scripts.start).toBe(started);
  expect(read('deploy/crier.service')).toContain(` ${started}\n`);
  expect(read('docs/guides/systemd.md')).toContain(`\`${started}\``);
});

test('images are named by an exact version, the base image also by its digest, the same everywhere', () => {
  const stages = [...dockerfile.matchAll(/^FROM (\S+)(?: AS (\S+))?/gm)];
  const made = new Set(['scratch', ...stages.map(([, , stage]) => stage)]);
  const bases = stages.map(([, base]) => base).filter((base) => !made.has(base));
  expect(bases.length).toBe(1);
  expect(bases[0]).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim@sha256:[0-9a-f]{64}$/);
  expect(read('scripts/prepare.mjs')).toContain(`'${/\d+\.\d+\.\d+/.exec(bases[0] ?? '')?.[0]}'`);
  const own = `crier:${manifest().version}`;
  expect(parse(read('deploy/compose.yaml')).services.crier.image).toBe(own);
  expect(read('deploy/kubernetes.yaml')).toContain(`image: ${own}\n`);
  expect(dockerfile).toContain(`docker build -t ${own} .`);
});

describe('the Compose file', () => {
  const { services, volumes } = parse(read('deploy/compose.yaml'));
  const { crier } = services;

  test('keeps the data in a volume, where the image expects it', () => {
    expect(crier.volumes[0]).toBe(`data:${crier.environment.DATA_DIR}`);
    expect(volumes).toHaveProperty('data');
    expect(image).toContain(`VOLUME ${crier.environment.DATA_DIR}`);
  });

  test('gives the bot time to finish what it speaks and to leave, and no rights it does not need', () => {
    expect(crier.stop_grace_period).toBe(`${STOP_SECONDS}s`);
    expect(crier).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(crier).not.toHaveProperty('ports');
    // It would hold the token.
    expect(crier.ulimits).toEqual({ core: 0 });
  });

  test('shows the page of the built-in voice when asked for, to browsers on this machine alone', () => {
    const { environment, ports } = parse(read('deploy/dashboard.yaml')).services.crier;
    const configured = readConfig({ DISCORD_TOKEN: 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token', ...environment });
    expect(configured).toMatchObject({ config: { speech: { dashboard: { host: '0.0.0.0', port: 8642 } } } });
    expect(ports).toEqual(['127.0.0.1:8642:8642']);
  });

  test('shows the figures to its own network, where the example for Prometheus looks for them', () => {
    const [host, port] = crier.environment.METRICS_PORT.split(':');
    expect([host, port]).toEqual(['0.0.0.0', SETTINGS.METRICS_PORT.fallback]);
    expect(read('deploy/watching/prometheus.yaml')).toContain(`crier:${port}`);
  });
});

describe('the natural voice of the Compose file', () => {
  const { services } = parse(read('deploy/compose.yaml'));
  const { crier, kokoro } = services;

  test('is an engine beside the bot, of an exact version, started by the profile alone', () => {
    expect(kokoro.profiles).toEqual(['natural-voice']);
    expect(kokoro.image).toMatch(/^[\w.-]+(\/[\w.-]+)+:v\d+\.\d+\.\d+@sha256:[0-9a-f]{64}$/);
    expect(crier).not.toHaveProperty('depends_on');
  });

  test('is named to the bot by a file of engines that it can read, with the built-in voice in its place while it is down', () => {
    const [profile] = kokoro.profiles;
    const { SPEECH_ENGINES: path, ...others } = parseEnv(read(`deploy/${profile}/settings.env`));
    expect(others).toEqual({});
    expect(crier.volumes[1]).toBe(`\${ENGINES_FILE:-./${profile}/engines.toml}:${path}:ro`);
    const engines = parseEngines(read(`deploy/${profile}/engines.toml`));
    if (!engines.ok) throw new Error(engines.problems.join('\n'));
    const [first, second] = engines.engines;
    expect(first).toMatchObject({ kind: 'openai', url: 'http://kokoro:8880/v1', fallback: second?.name });
    expect(second).toMatchObject({ kind: 'embedded' });
    // Every language of the engine has a voice, and says so.
    const voices = first?.kind === 'openai' ? (first.voices ?? []) : [];
    expect(new Set(voices.flatMap(({ languages = [] }) => languages.map((tag) => tag.slice(0, 2))))).toEqual(
      new Set(['en', 'es', 'fr', 'hi', 'it', 'ja', 'pt', 'zh']),
    );
  });
});

describe('the Kubernetes manifest', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes.yaml'));
  const [claim, workload] = documents.map((document) => document.toJS());
  const pod = workload.spec.template.spec;
  const [container] = pod.containers;

  test('never runs two bots with one token', () => {
    // A Deployment starts a second pod while the first one's node is lost, and both may run.
    expect(workload).toMatchObject({ apiVersion: 'apps/v1', kind: 'StatefulSet', spec: { replicas: 1 } });
    expect(workload.spec).toHaveProperty('serviceName');
    expect(workload.spec).not.toHaveProperty('strategy');
    expect(workload.spec.selector.matchLabels).toEqual(workload.spec.template.metadata.labels);
  });

  test('gives the bot time to finish, mounts what it writes to, and nothing else is writable', () => {
    expect(pod.terminationGracePeriodSeconds).toBe(STOP_SECONDS);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, fsGroup: 1000 });
    expect(pod.volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
    const dataDir = container.env.find(({ name }: { name: string }) => name === 'DATA_DIR').value;
    const mounts = container.volumeMounts.map(({ mountPath }: { mountPath: string }) => mountPath);
    expect(mounts).toEqual([dataDir, '/tmp']);
    expect(pod.volumes.map(({ name }: { name: string }) => name)).toEqual(
      container.volumeMounts.map(({ name }: { name: string }) => name),
    );
  });

  test('asks the bot’s own port for its health, and restarts it for nothing that a restart does not mend', () => {
    const value = (wanted: string) => container.env.find(({ name }: { name: string }) => name === wanted).value;
    const [host, port] = value('METRICS_PORT').split(':');
    expect(host).toBe('0.0.0.0');
    expect(container.ports).toEqual([{ name: 'metrics', containerPort: Number(port) }]);
    const health = { path: '/healthz', port: 'metrics' };
    expect([container.startupProbe.httpGet, container.livenessProbe.httpGet]).toEqual([health, health]);
    expect(container.readinessProbe.httpGet).toEqual({ ...health, path: '/readyz' });
    expect(workload.spec.template.metadata.annotations['prometheus.io/port']).toBe(port);
  });
});

describe('the systemd unit', () => {
  const unit = read('deploy/crier.service');
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

  test('starts node itself with its data, ends it gently and runs it without privileges', () => {
    expect(setting('ExecStart')).toMatch(/ PATH=\S+\/node_modules\/\.bin:\S+ .* node (--\S+ )+src\/main\.ts$/);
    expect(setting('ExecStart')).toContain(` DATA_DIR=/var/lib/${setting('StateDirectory')} `);
    expect([setting('WorkingDirectory'), setting('StateDirectoryMode')]).toEqual(['/opt/crier', '0700']);
    expect([setting('TimeoutStopSec'), setting('KillMode')]).toEqual([String(STOP_SECONDS), 'mixed']);
    for (const protection of [
      'DynamicUser=yes',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'CapabilityBoundingSet=',
    ])
      expect(unit.split('\n')).toContain(protection);
    // A core file would hold the token.
    expect(setting('LimitCORE')).toBe('0');
  });

  test('starts the bot again however long an outage lasts, except for a wrong setting', () => {
    expect(setting('Restart')).toBe('on-failure');
    expect(setting('StartLimitIntervalSec')).toBe('0');
    expect(setting('RestartPreventExitStatus')).toBe(`${WRONG_SETTING}`);
  });
});
